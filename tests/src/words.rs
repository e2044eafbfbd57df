//! Word documents in tests: applying operations written as JSON, outlines, and documents made here.

use documents::{
    Applied, ApplyContext, Edit, EditError, Format, Limits, Outline, OutlineRequest, error::EditErrorKind,
};

/// The date that every tracked change of a test bears.
pub const NOW: &str = "2026-11-30T14:00:00Z";

/// How a batch is applied.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    pub override_protection: bool,
    pub track_changes: Option<bool>,
}

/// Applies operations as the document itself asks for (tracked when it says so).
pub fn apply(document: &[u8], ops: &serde_json::Value) -> Result<Applied, EditError> {
    apply_with(document, ops, Options::default())
}

/// Applies operations without or with tracking.
pub fn apply_tracked(document: &[u8], ops: &serde_json::Value, tracked: bool) -> Result<Applied, EditError> {
    apply_with(document, ops, Options { track_changes: Some(tracked), ..Options::default() })
}

/// Applies operations with batch options.
pub fn apply_with(document: &[u8], ops: &serde_json::Value, options: Options) -> Result<Applied, EditError> {
    let ops: Vec<Edit> = serde_json::from_value(ops.clone())
        .map_err(|error| EditError::new(EditErrorKind::InvalidArguments, error.to_string()))?;
    let context = ApplyContext {
        author: "Stet Tester",
        now: NOW,
        override_protection: options.override_protection,
        track_changes: options.track_changes,
        limits: Limits::default(),
        cancel: &|| false,
    };
    documents::apply(Format::Docx, document, &ops, &context)
}

/// The whole outline.
pub fn outline(document: &[u8]) -> Result<Outline, documents::DocumentError> {
    let request = OutlineRequest { range: None, budget: usize::MAX };
    documents::outline(Format::Docx, document, &request, &Limits::default(), &|| false)
}

/// The addresses and texts of all paragraphs.
pub fn texts(document: &[u8]) -> Vec<(String, String)> {
    let nodes = outline(document).map(|outline| outline.nodes).unwrap_or_default();
    nodes.into_iter().filter(|node| node.kind == "paragraph").map(|node| (node.at, node.text)).collect()
}

/// The text at an address.
pub fn text_at(document: &[u8], at: &str) -> Option<String> {
    texts(document).into_iter().find(|(place, _)| place == at).map(|(_, text)| text)
}
