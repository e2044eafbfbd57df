// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type PlacedObject = { 
/**
 * `chart`, `picture` or `shape`.
 */
kind: string, title: string, from_row: number, from_column: number, to_row: number, to_column: number, };
