// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type Compare = { file_id: string, from_snapshot: string, to_snapshot: string, };
