// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type SheetInfo = { name: string, 
/**
 * `visible`, `hidden` or `veryHidden`.
 */
state: string, 
/**
 * `worksheet`, `chartsheet` or `dialogsheet`.
 */
kind: string, tab_color?: string, };
