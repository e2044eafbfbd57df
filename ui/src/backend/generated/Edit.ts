// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { EditMode } from "./EditMode";
import type { JsonValue } from "./serde_json/JsonValue";

export type Edit = { file_id: string, expected_content_rev?: number, 
/**
 * Operations of the contract, as JSON.
 */
ops: Array<JsonValue>, override_protection?: boolean, track_changes?: boolean, mode?: EditMode, 
/**
 * One line for the history; made from the operations when absent.
 */
summary?: string, model?: string, 
/**
 * `true` when a person made the batch, not the assistant.
 */
by_user?: boolean, };
