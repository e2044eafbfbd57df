// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type Restore = { file_id: string, snapshot: string, expected_content_rev?: number, };
