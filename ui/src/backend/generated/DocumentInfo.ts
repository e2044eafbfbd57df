// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { DocumentState } from "./DocumentState";
import type { Format } from "./Format";
import type { Warning } from "./Warning";

export type DocumentInfo = { file_id: string, path: string, name: string, format: Format, content_rev: number, size: number, state: DocumentState, 
/**
 * Why, when the state is not `ok`.
 */
state_detail?: string, 
/**
 * Where a missing file seems to be now: a file in the same folder has its content.
 */
moved_to?: string, pending_proposal?: string, warnings: Array<Warning>, };
