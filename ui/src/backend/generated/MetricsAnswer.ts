// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { MetricsRow } from "./MetricsRow";

/**
 * The contract's counters (section 9).
 */
export type MetricsAnswer = { ok: boolean, rows: Array<MetricsRow>, };
