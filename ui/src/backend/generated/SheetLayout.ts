// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { PlacedObject } from "./PlacedObject";
import type { SheetSpan } from "./SheetSpan";

export type SheetLayout = { last_row: number, last_column: number, default_width: number, default_height: number, widths: Array<SheetSpan>, heights: Array<SheetSpan>, frozen_rows: number, frozen_columns: number, gridlines: boolean, right_to_left: boolean, 
/**
 * First row, first column, last row, last column.
 */
merges: Array<[number, number, number, number]>, objects: Array<PlacedObject>, tab_color?: string, };
