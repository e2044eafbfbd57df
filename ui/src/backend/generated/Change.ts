// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type Change = { op: number, where: string, before?: string, after?: string, detail?: string, };
