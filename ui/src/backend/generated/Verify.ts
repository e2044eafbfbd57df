// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type Verify = { file_id: string, 
/**
 * Another known file to compare with: its id, or the path by which Stet knows it.
 */
against?: string, };
