// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * One endpoint that serves models.
 */
export type Provider = { 
/**
 * The word in `stet key set PROVIDER` and `model: "provider/model"`.
 */
id: string, name: string, base_url: string, 
/**
 * The gateway's preset; recognised from the address when absent.
 */
dialect?: string, models: Array<string>, 
/**
 * Servers on this machine often want no key.
 */
needs_key: boolean, 
/**
 * Further headers, such as an organisation.
 */
headers: Array<[string, string]>, };
