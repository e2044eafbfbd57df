// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * What the endpoint offers.
 */
export type ModelsAnswer = { ok: boolean, provider: string, 
/**
 * The names to use in `provider/model`, sorted.
 */
models: Array<string>, };
