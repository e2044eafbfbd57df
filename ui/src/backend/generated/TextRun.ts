// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type TextRun = { text: string, font?: string, size?: number, color?: string, bold?: boolean, italic?: boolean, underline?: boolean, strike?: boolean, 
/**
 * `superscript` or `subscript`.
 */
vertical?: string, };
