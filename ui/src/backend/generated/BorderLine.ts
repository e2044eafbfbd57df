// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type BorderLine = { line: string, color?: string, };
