// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { BorderLine } from "./BorderLine";

export type CellStyle = { font?: string, size?: number, bold?: boolean, italic?: boolean, underline?: boolean, strike?: boolean, color?: string, fill?: string, horizontal?: string, vertical?: string, wrap?: boolean, indent?: number, number_format?: string, 
/**
 * Top, right, bottom, left.
 */
border?: Array<BorderLine | null>, };
