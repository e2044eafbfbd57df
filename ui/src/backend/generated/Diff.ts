// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { JsonValue } from "./serde_json/JsonValue";

/**
 * What a file is compared with: exactly one of `ops`, `snapshot`, `proposal_id`.
 */
export type Diff = { file_id: string, ops?: Array<JsonValue>, override_protection?: boolean, track_changes?: boolean, 
/**
 * From this snapshot to the current content, or to `to_snapshot`.
 */
snapshot?: string, to_snapshot?: string, proposal_id?: string, };
