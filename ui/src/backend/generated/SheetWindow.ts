// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { CellStyle } from "./CellStyle";
import type { SheetCell } from "./SheetCell";
import type { SheetInfo } from "./SheetInfo";
import type { SheetLayout } from "./SheetLayout";
import type { Warning } from "./Warning";

/**
 * Shapes of `documents::preview::sheet`.
 */
export type SheetWindow = { sheets: Array<SheetInfo>, sheet: number, rows: [number, number], columns: [number, number], cells: Array<SheetCell>, styles: { [key in number]: CellStyle }, date_1904: boolean, layout?: SheetLayout, 
/**
 * What of the workbook cannot be shown, and why.
 */
notices?: Array<Warning>, };
