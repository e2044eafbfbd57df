//! What hosts are told without asking, in one order.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::{
    AppError,
    answers::{DocumentInfo, ProposalInfo, Receipt},
};

/// One thing that happened; `seq` goes up by one with each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Event {
    pub seq: u64,
    #[serde(flatten)]
    pub body: EventBody,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventBody {
    DocumentChanged {
        document: DocumentInfo,
    },
    DocumentGone {
        file_id: String,
    },
    ProposalChanged {
        proposal: ProposalInfo,
    },
    HistoryChanged {
        file_id: String,
    },
    SettingsChanged,
    TurnStarted {
        turn_id: String,
    },
    // An answer could not be used and is asked for again: text and reasoning since the last tool result, or the beginning, are void.
    TurnRestarted {
        turn_id: String,
    },
    TurnText {
        turn_id: String,
        delta: String,
    },
    TurnReasoning {
        turn_id: String,
        delta: String,
    },
    ToolCall {
        turn_id: String,
        id: String,
        name: String,
        state: ToolCallState,
        arguments_so_far_bytes: usize,
    },
    ToolResult {
        turn_id: String,
        id: String,
        receipt: Value,
    },
    TurnFinished {
        turn_id: String,
        message: String,
        receipts: Vec<Receipt>,
        usage: Value,
    },
    TurnFailed {
        turn_id: String,
        error: AppError,
    },
}

/// How far a tool call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ToolCallState {
    Streaming,
    Running,
    Done,
    Failed,
}
