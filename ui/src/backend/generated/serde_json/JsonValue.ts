// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type JsonValue = number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null;
