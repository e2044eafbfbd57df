// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type OutlineOf = { file_id: string, 
/**
 * A window in the format's own words: `10-40`, `Data!A1:F40`.
 */
range?: string, 
/**
 * At most this many bytes of text and fields.
 */
budget?: number, };
