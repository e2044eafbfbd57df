// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { Change } from "./Change";
import type { Origin } from "./Origin";
import type { PackageReport } from "./PackageReport";
import type { ProposalConflict } from "./ProposalConflict";
import type { ProposalState } from "./ProposalState";
import type { Warning } from "./Warning";
import type { JsonValue } from "./serde_json/JsonValue";

/**
 * A proposal as the user interface shows it.
 */
export type ProposalInfo = { proposal_id: string, file_id: string, 
/**
 * The revision that accepting it expects the file to have.
 */
base_rev: number, state: ProposalState, changes: Array<Change>, conflicts: Array<ProposalConflict>, warnings: Array<Warning>, package?: PackageReport, ops: Array<JsonValue>, summary: string, origin: Origin, created_at: string, };
