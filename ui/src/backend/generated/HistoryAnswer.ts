// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { SnapshotInfo } from "./SnapshotInfo";

/**
 * The contract's history (section 5).
 */
export type HistoryAnswer = { ok: boolean, file_id: string, content_rev: number, 
/**
 * Newest first.
 */
snapshots: Array<SnapshotInfo>, can_undo: boolean, can_redo: boolean, };
