//! Why the agent refused a call before the workspace heard of it.
//!
//! Refusals of the workspace and the engines travel as `AppError`; this is only for what is judged here: fences, mixed modes,
//! routing by payload, Markdown Diff. `into_error` in `receipts` gives both the same shape.

/// A refusal with the contract's code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    pub code: RefusalCode,
    /// The 0-based operation, where it is known.
    pub op: Option<usize>,
    /// What was tried and what was found.
    pub message: String,
    /// What to do next.
    pub hint: String,
}

/// The codes that the agent itself gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalCode {
    InvalidArguments,
    /// Valid, but the text is too long to travel as JSON: `invalid_arguments` with `retry: smaller_or_fence`.
    TooLongForJson,
    FenceMissing,
    FenceUnclosed,
    FenceMismatch,
    UnsupportedOp,
    RevisionRequired,
}

impl Refusal {
    pub fn new(code: RefusalCode, message: impl Into<String>, hint: impl Into<String>) -> Refusal {
        Refusal { code, op: None, message: message.into(), hint: hint.into() }
    }

    /// The same, naming the operation.
    pub fn at_op(mut self, op: usize) -> Refusal {
        self.op = Some(op);
        self
    }
}

impl RefusalCode {
    /// The code of CONTRACT, section 3.
    pub fn as_str(self) -> &'static str {
        match self {
            RefusalCode::InvalidArguments | RefusalCode::TooLongForJson => "invalid_arguments",
            RefusalCode::FenceMissing => "fence_missing",
            RefusalCode::FenceUnclosed => "fence_unclosed",
            RefusalCode::FenceMismatch => "fence_mismatch",
            RefusalCode::UnsupportedOp => "unsupported_op",
            RefusalCode::RevisionRequired => "content_rev_required",
        }
    }

    /// The `retry` word, which differs from the code's own for text that is too long for JSON.
    pub fn retry(self) -> &'static str {
        match self {
            RefusalCode::InvalidArguments => "fix_and_retry",
            RefusalCode::TooLongForJson => "smaller_or_fence",
            RefusalCode::FenceMissing | RefusalCode::FenceUnclosed | RefusalCode::FenceMismatch => {
                "resend_fence"
            }
            RefusalCode::UnsupportedOp => "other_op",
            RefusalCode::RevisionRequired => "reread",
        }
    }
}
