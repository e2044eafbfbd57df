// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { BorderLine } from "./BorderLine";

export type CellLook = { fill?: string, color?: string, bold?: boolean, italic?: boolean, underline?: boolean, strike?: boolean, number_format?: string, 
/**
 * Top, right, bottom, left.
 */
border?: Array<BorderLine | null>, 
/**
 * A data bar: where it begins and ends as shares of the cell's width from 0 to 1, and its colour.
 */
bar?: [number, number, string], 
/**
 * The name of an icon set and which of its icons, counted from 0 for the least.
 */
icon?: [string, number], 
/**
 * Only the bar or the icon is shown, not the value.
 */
value_hidden?: boolean, };
