// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * The word in a receipt.
 */
export type Status = "committed" | "staged" | "dry_run" | "unchanged";
