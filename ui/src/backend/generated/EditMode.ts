// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * What happens with a batch that applies.
 */
export type EditMode = "commit" | "stage" | "dry_run";
