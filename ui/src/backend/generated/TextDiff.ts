// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * Differing stretches as `[from_a, to_a, from_b, to_b]` in UTF-16 units.
 */
export type TextDiff = { 
/**
 * Whole lines.
 */
hunks: Array<[number, number, number, number]>, 
/**
 * Inside each hunk, the words that differ; empty when lines only came or only went.
 */
words: Array<Array<[number, number, number, number]>>, };
