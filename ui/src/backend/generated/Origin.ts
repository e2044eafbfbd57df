// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * How a revision came about.
 */
export type Origin = "opened" | "assistant" | "user" | "external" | "restore";
