// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * Bounds of one assistant turn.
 */
export type TurnLimits = { 
/**
 * Requests to the model in one turn.
 */
steps: number, 
/**
 * Tokens in one turn, all requests together; 0 means no limit.
 */
tokens: number, 
/**
 * Seconds for one turn.
 */
seconds: number, 
/**
 * Text longer than this many characters goes through a fence or a Markdown Diff.
 */
inline_characters: number, };
