// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { JsonValue } from "./serde_json/JsonValue";

export type Create = { path: string, text?: string, 
/**
 * For workbooks: values as in `xlsx_append_rows`.
 */
rows?: Array<Array<JsonValue>>, 
/**
 * `text`, `docx`, `xlsx`, `pptx`; by the file's name when absent.
 */
format?: string, };
