// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * Differing stretches as `[from_a, to_a, from_b, to_b]` in UTF-16 units.
 */
export type TextDiff = { hunks: Array<[number, number, number, number]>, };
