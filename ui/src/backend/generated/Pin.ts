// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type Pin = { file_id: string, snapshot: string, pinned: boolean, };
