// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * What happens with an edit that the assistant made.
 */
export type Review = "ask" | "commit";
