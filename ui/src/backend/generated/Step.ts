// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * Undo or redo. Without `expected_content_rev` it means the state the caller sees now: the newest.
 */
export type Step = { file_id: string, expected_content_rev?: number, };
