// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * A turn that has begun.
 */
export type TurnStarted = { turn_id: string, };
