// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type CellLook = { fill?: string, color?: string, bold?: boolean, italic?: boolean, 
/**
 * A data bar: its share of the cell's width from 0 to 1, and its colour.
 */
bar?: [number, string], };
