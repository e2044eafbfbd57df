// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { Times } from "./Times";

/**
 * Counters of one key.
 */
export type MetricsRow = { model: string, endpoint: string, 
/**
 * `function_call`, `fence`, `markdown_diff`; empty for what belongs to a turn as a whole.
 */
protocol: string, format: string, 
/**
 * `short`, `medium`, `long`.
 */
size: string, calls: number, ok: number, 
/**
 * How often each code was the answer: `arguments_truncated`, `zero_matches`, `content_rev_conflict`, …
 */
failures: { [key in string]: number }, continuations_tried: number, continuations_saved: number, retries_tried: number, retries_saved: number, accepted: number, rejected: number, read: Times, commit: Times, turn: Times, };
