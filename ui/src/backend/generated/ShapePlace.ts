// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type ShapePlace = { id: number, name: string, 
/**
 * `text`, `picture`, `table`, `chart`, `diagram`, `group`, `line` or `other`.
 */
kind: string, placeholder?: string, 
/**
 * Left, top, width, height in EMU.
 */
place?: [number, number, number, number], paragraphs: Array<string>, };
