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
 * How many tokens its models take in at once, question and answer together; 64 000 is assumed when absent. The conversation is
 * shortened to it.
 */
context_tokens?: number, 
/**
 * Further headers, such as an organisation.
 */
headers: Array<[string, string]>, };
