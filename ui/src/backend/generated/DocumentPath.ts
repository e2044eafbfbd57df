// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * A path from a dialog, a drop, the command line or the recent files.
 */
export type DocumentPath = { path: string, };
