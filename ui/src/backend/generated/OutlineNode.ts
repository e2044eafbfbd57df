// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { JsonValue } from "./serde_json/JsonValue";

/**
 * A node's further fields differ by format (contract, section 4).
 */
export type OutlineNode = { at: string, kind: string, text: string, } & ({ [key in string]: number | string | boolean | Array<JsonValue> | { [key in string]: JsonValue } | null });
