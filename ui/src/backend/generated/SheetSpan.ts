// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type SheetSpan = { from: number, to: number, size: number, };
