// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { Origin } from "./Origin";
import type { JsonValue } from "./serde_json/JsonValue";

export type SnapshotInfo = { id: string, at: string, content_rev: number, origin: Origin, summary: string, size: number, pinned: boolean, model?: string, 
/**
 * The batch that made it.
 */
ops?: Array<JsonValue>, };
