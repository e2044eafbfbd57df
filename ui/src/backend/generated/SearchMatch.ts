// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type SearchMatch = { file_id: string, at: string, text: string, };
