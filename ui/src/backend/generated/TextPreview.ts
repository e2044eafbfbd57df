// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type TextPreview = { text: string, encoding: string, 
/**
 * `lf`, `crlf`, `cr`, `mixed` or `none`.
 */
line_ending: string, };
