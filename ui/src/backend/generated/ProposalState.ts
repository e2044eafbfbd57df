// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * Where a proposal stands.
 */
export type ProposalState = "pending" | "rebased" | "conflict" | "accepted" | "rejected";
