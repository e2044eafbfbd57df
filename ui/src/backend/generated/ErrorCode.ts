// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * The contract's codes.
 */
export type ErrorCode = "content_rev_required" | "content_rev_conflict" | "zero_matches" | "multiple_matches" | "prefix_mismatch" | "out_of_range" | "arguments_truncated" | "invalid_arguments" | "fence_missing" | "fence_unclosed" | "fence_mismatch" | "unsupported_op" | "would_damage" | "unsupported_document" | "damaged_document" | "encrypted_document" | "file_not_open" | "path_not_allowed" | "read_only" | "locked" | "too_large" | "timeout" | "cancelled" | "io_error" | "internal";
