// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type PackageReport = { parts: number, changed: Array<string>, added: Array<string>, removed: Array<string>, };
