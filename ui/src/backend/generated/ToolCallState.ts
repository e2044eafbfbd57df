// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * How far a tool call is.
 */
export type ToolCallState = "streaming" | "running" | "done" | "failed";
