// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * How a file stands on the disk.
 */
export type DocumentState = "ok" | "changed_outside" | "missing" | "read_only" | "locked" | "unsupported";
