// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type Verify = { file_id: string, 
/**
 * The path of another version to compare with.
 */
against?: string, };
