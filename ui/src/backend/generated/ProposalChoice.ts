// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type ProposalChoice = { proposal_id: string, 
/**
 * Indices into the proposal's `changes`; all of them when absent.
 */
changes?: Array<number>, };
