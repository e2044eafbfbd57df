// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { CellLook } from "./CellLook";
import type { CellShown } from "./CellShown";
import type { TextRun } from "./TextRun";

export type SheetCell = { row: number, column: number, value: CellShown, 
/**
 * With `=`.
 */
formula?: string, style: number, 
/**
 * The pieces of a text that is not all of one look.
 */
runs?: Array<TextRun>, 
/**
 * What conditional formats make of it.
 */
look?: CellLook, };
