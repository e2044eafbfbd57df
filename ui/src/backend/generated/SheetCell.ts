// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { CellShown } from "./CellShown";

export type SheetCell = { row: number, column: number, value: CellShown, 
/**
 * With `=`.
 */
formula?: string, style: number, };
