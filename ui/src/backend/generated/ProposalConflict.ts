// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * An operation that does not fit the file any more.
 */
export type ProposalConflict = { op: number, message: string, };
