// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type Search = { query: string, 
/**
 * All open files when absent.
 */
file_id?: string, max?: number, };
