// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { AppError } from "./AppError";
import type { DocumentInfo } from "./DocumentInfo";
import type { ProposalInfo } from "./ProposalInfo";
import type { Receipt } from "./Receipt";
import type { ToolCallState } from "./ToolCallState";
import type { JsonValue } from "./serde_json/JsonValue";

/**
 * One thing that happened; `seq` goes up by one with each.
 */
export type Event = { seq: number, } & ({ "event": "document_changed", document: DocumentInfo, } | { "event": "document_gone", file_id: string, } | { "event": "proposal_changed", proposal: ProposalInfo, } | { "event": "history_changed", file_id: string, } | { "event": "settings_changed" } | { "event": "turn_started", turn_id: string, } | { "event": "turn_restarted", turn_id: string, } | { "event": "turn_text", turn_id: string, delta: string, } | { "event": "turn_reasoning", turn_id: string, delta: string, } | { "event": "tool_call", turn_id: string, id: string, name: string, state: ToolCallState, arguments_so_far_bytes: number, } | { "event": "tool_result", turn_id: string, id: string, receipt: JsonValue, } | { "event": "turn_finished", turn_id: string, message: string, receipts: Array<Receipt>, usage: JsonValue, } | { "event": "turn_failed", turn_id: string, error: AppError, });
