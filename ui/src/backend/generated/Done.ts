// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * Something was done that has no more to say.
 */
export type Done = { 
/**
 * Always true: what was not done is an error.
 */
ok: boolean, };
