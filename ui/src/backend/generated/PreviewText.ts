// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type PreviewText = { file_id: string, 
/**
 * `current`, `before`, `after` (of a proposal), or a snapshot id.
 */
side: string, 
/**
 * For `before` and `after`; the waiting proposal of the file when absent.
 */
proposal_id?: string, };
