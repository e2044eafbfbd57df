//! The compact, read-only view of a document that a model is given (CONTRACT, section 4).

use serde::{Deserialize, Serialize};

use crate::{Cancel, DocumentError, Format, Limits, Warning, formats};

/// One addressable place with its text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Node {
    /// The address: `L12`, `Data!B4`, `s2.shape5`, `p12`.
    pub at: String,
    /// `line`, `sheet`, `cell`, `table`, `chart`, `name`, `slide`, `shape`, `notes`, `table_cell`, `paragraph`, `row`, `section`.
    pub kind: String,
    pub text: String,
    /// The fields that only some formats have (`line`, `sheet`, `formula`, `slide`, `placeholder`, `style`, `level`, …).
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

impl Node {
    /// A node without further fields.
    pub fn new(at: impl Into<String>, kind: &str, text: impl Into<String>) -> Self {
        Node { at: at.into(), kind: kind.into(), text: text.into(), more: serde_json::Map::new() }
    }

    /// The same with one more field.
    pub fn with(mut self, key: &str, value: impl Into<serde_json::Value>) -> Self {
        self.more.insert(key.into(), value.into());
        self
    }
}

/// What part of a document is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineRequest {
    /// A window in the format's own words: `10-40` (lines, paragraphs, slides), `Data!A1:F40`; `None` from the start.
    pub range: Option<String>,
    /// At most this many bytes of text and fields; what is left out is said by `truncated` and `next`.
    pub budget: usize,
}

impl Default for OutlineRequest {
    fn default() -> Self {
        OutlineRequest { range: None, budget: 256 << 10 }
    }
}

/// The answer; `next` is the range to ask for when `truncated`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Outline {
    pub nodes: Vec<Node>,
    pub truncated: bool,
    pub next: Option<String>,
    pub warnings: Vec<Warning>,
}

/// Describes a document; reads only.
pub fn outline(
    format: Format,
    bytes: &[u8],
    request: &OutlineRequest,
    limits: &Limits,
    cancel: Cancel<'_>,
) -> Result<Outline, DocumentError> {
    match format {
        Format::Text => formats::text::outline(bytes, request, limits, cancel),
        Format::Xlsx => formats::xlsx::outline(bytes, request, limits, cancel),
        Format::Pptx => formats::pptx::outline(bytes, request, limits, cancel),
        Format::Docx => formats::docx::outline(bytes, request, limits, cancel),
    }
}
