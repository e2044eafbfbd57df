// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * What the caller may do about it.
 */
export type Retry = "reread" | "fix_and_retry" | "smaller_or_fence" | "resend_fence" | "other_op" | "later" | "none";
