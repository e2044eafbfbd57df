// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { JsonValue } from "./serde_json/JsonValue";

export type SettingsChange = { 
/**
 * The fields to change; `null` takes one back to its default.
 */
changes: JsonValue, };
