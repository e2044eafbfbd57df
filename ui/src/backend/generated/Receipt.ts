// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { Change } from "./Change";
import type { PackageReport } from "./PackageReport";
import type { Status } from "./Status";
import type { Warning } from "./Warning";

/**
 * The contract's receipt (section 3).
 */
export type Receipt = { ok: boolean, status: Status, file_id: string, path: string, previous_rev: number, content_rev: number, 
/**
 * The snapshot that brings the content before this write back.
 */
snapshot?: string, proposal_id?: string, changes: Array<Change>, package?: PackageReport, warnings: Array<Warning>, };
