//! Resources: each document below the open folders, its history and its snapshots.
//!
//! `stet://documents/FILE_ID` is the text of a text document and the outline of any other; `…/history` lists the snapshots, and
//! `…/snapshots/SNAPSHOT` is the document as it was then.

use assistant::{
    AppError, Request, Response,
    api::{
        answers::{DocumentInfo, OutlineAnswer},
        error::ErrorCode,
        params::{OutlineOf, OutlineWindow, PreviewText},
    },
};
use documents::Format;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};

use super::{
    catalogue::Entry,
    tools::{Work, as_value},
};
use crate::commands::unexpected;

const DOCUMENTS: &str = "stet://documents/";
const JSON: &str = "application/json";

/// What a URI names.
enum Named<'u> {
    Document(&'u str),
    History(&'u str),
    Snapshot(&'u str, &'u str),
}

fn named(uri: &str) -> Option<Named<'_>> {
    let parts: Vec<&str> = uri.strip_prefix(DOCUMENTS)?.split('/').collect();
    match parts.as_slice() {
        [file] => Some(Named::Document(file)),
        [file, "history"] => Some(Named::History(file)),
        [file, "snapshots", snapshot] => Some(Named::Snapshot(file, snapshot)),
        _ => None,
    }
}

/// The file that a resource is about.
pub(super) fn file_id_of(uri: &str) -> Option<&str> {
    named(uri).map(|named| match named {
        Named::Document(file) | Named::History(file) | Named::Snapshot(file, _) => file,
    })
}

/// The document that a resource is about, if it is inside.
pub(super) fn document_of(work: &Work, uri: &str) -> Result<DocumentInfo, AppError> {
    work.file(file_id_of(uri).ok_or_else(|| unknown(uri))?)
}

fn unknown(uri: &str) -> AppError {
    AppError::invalid_arguments(format!("`{uri}` is no resource of Stet."))
        .hint("Take a URI from resources/list, or fill in a template.")
}

/// The documents that have an id; their histories and snapshots come by template.
pub(super) fn listed(work: &Work) -> Vec<Resource> {
    let known = work.entries().0.into_iter().filter_map(|entry| match entry {
        Entry::Known(document) => Some(document),
        Entry::Unread(_) | Entry::Unreadable(..) => None,
    });
    known.map(|document| resource(&document)).collect()
}

fn resource(document: &DocumentInfo) -> Resource {
    let about = format!("{}, revision {}", document.path, document.content_rev);
    Resource::new(format!("{DOCUMENTS}{}", document.file_id), document.name.clone())
        .with_description(about)
        .with_mime_type(mime(document))
        .with_size(document.size)
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |path: &str, name: &str, about: &str| {
        ResourceTemplate::new(format!("{DOCUMENTS}{path}"), name).with_description(about)
    };
    vec![
        template("{file_id}", "document", "The text of a text document; the outline of any other."),
        template("{file_id}/history", "history", "The snapshots of a document, newest first.")
            .with_mime_type(JSON),
        template("{file_id}/snapshots/{snapshot}", "snapshot", "A document as it was at a snapshot."),
    ]
}

/// Text documents are read as they are, others as outlines.
fn mime(document: &DocumentInfo) -> &'static str {
    if document.format != Format::Text {
        return JSON;
    }
    let extension = document.name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    match extension.as_deref().unwrap_or_default() {
        "md" | "markdown" => "text/markdown",
        "csv" => "text/csv",
        "tsv" => "text/tab-separated-values",
        "html" | "htm" => "text/html",
        "json" => JSON,
        _ => "text/plain",
    }
}

/// The content of a resource.
pub(super) fn read(work: &Work, uri: &str) -> Result<ReadResourceResult, AppError> {
    let named = named(uri).ok_or_else(|| unknown(uri))?;
    let document = document_of(work, uri)?;
    let (text, mime) = match named {
        Named::Document(_) => (content(work, &document, "current")?, mime(&document)),
        Named::Snapshot(_, snapshot) => {
            // `side` has words of its own beside the ids of snapshots.
            if !snapshot.starts_with("snap-") {
                return Err(AppError::new(ErrorCode::OutOfRange, format!("`{snapshot}` is no snapshot.")));
            }
            (content(work, &document, snapshot)?, mime(&document))
        }
        Named::History(_) => (as_value(&work.history_of(&document)?)?.to_string(), JSON),
    };
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(mime)]))
}

fn content(work: &Work, document: &DocumentInfo, side: &str) -> Result<String, AppError> {
    if work.kept_out(document)?.is_some() {
        let message = "The user keeps parts of this document out of agents, so it is not told whole.";
        return Err(AppError::new(ErrorCode::PathNotAllowed, message).hint("Read the rest with file_read."));
    }
    let file_id = document.file_id.clone();
    if document.format == Format::Text {
        let params = PreviewText { file_id, side: side.to_owned(), proposal_id: None };
        return match work.ask(Request::PreviewText(params))? {
            Response::PreviewText(preview) => Ok(preview.text),
            other => Err(unexpected(&other)),
        };
    }
    let outline: OutlineAnswer = if side == "current" {
        match work.ask(Request::DocumentsOutline(OutlineOf { file_id, ..OutlineOf::default() }))? {
            Response::DocumentsOutline(outline) => outline,
            other => return Err(unexpected(&other)),
        }
    } else {
        work.shared.app.documents_outline_at(&file_id, side, &OutlineWindow::default(), &work.stop)?
    };
    as_value(&outline).map(|outline| outline.to_string())
}
