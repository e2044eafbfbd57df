// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * Durations in milliseconds.
 */
export type Times = { count: number, p50_ms: number, p95_ms: number, };
