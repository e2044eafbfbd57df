//! A preview-only copy of a Word document: every paragraph carries a bookmark that the page can find again, and what the page's
//! renderer would drop is written in a form that it draws. The copy is never saved.
//!
//! Bookmark `__pv_N` stands first in the N-th paragraph of the copy (0-based, document order); `paragraphs[N]` is its address in
//! the outline's words. Where a long document was cut, an empty paragraph holds the bookmark `__gap_N`, and `gaps[N]` says how
//! many paragraphs stood there.

mod addresses;
mod cut;
mod left_out;
mod normalise;

pub(super) use normalise::utf8;
use serde::{Deserialize, Serialize};

use crate::{
    Cancel, DocumentError, EditError, Limits, Warning,
    package::{Package, xml::Xml},
};

/// How a copy is made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopyRequest {
    /// At most about this many paragraphs; 0 takes all.
    pub most: usize,
    /// Addresses of body paragraphs and tables that must be in the copy, with their neighbours, when it has to be cut.
    pub keep: Vec<String>,
}

/// The copy and what its bookmarks mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreviewCopy {
    #[serde(skip)]
    pub bytes: Vec<u8>,
    /// The address of each bookmarked paragraph; `None` where it has none (text boxes).
    pub paragraphs: Vec<Option<String>>,
    /// How many paragraphs each gap stands for.
    pub gaps: Vec<usize>,
    /// What of the document is not in the copy, and why.
    pub notices: Vec<Warning>,
}

/// Makes the copy.
pub fn preview_copy(
    bytes: &[u8],
    request: &CopyRequest,
    limits: &Limits,
    cancel: Cancel<'_>,
) -> Result<PreviewCopy, DocumentError> {
    let mut package = Package::open(bytes, limits)?;
    let main = package.main_part()?;
    let part = normalise::utf8(&package.require(&main)?, limits).map_err(|error| error.in_part(&main))?;
    let cut = cut::cut(&part, request, limits.depth, cancel).map_err(|error| error.in_part(&main))?;
    if cancel() {
        return Err(DocumentError::Cancelled);
    }
    let document = Xml::parse(&cut.text, limits).map_err(|error| error.in_part(&main))?;
    let marked = addresses::mark(&document, &cut.gaps);
    let mut splices = marked.splices;
    normalise::body(&document, &mut splices);
    let copy = splices.apply(document.bytes()).map_err(ours)?;
    let notices = left_out::leave_out(&mut package, &main)?;
    package.replace(&main, copy).map_err(ours)?;
    normalise::numbering(&mut package, &main)?;
    let saved = package.finish().map_err(ours)?;
    Ok(PreviewCopy {
        bytes: saved.bytes,
        paragraphs: marked.paragraphs,
        gaps: cut.gaps.iter().map(|gap| gap.left_out).collect(),
        notices,
    })
}

/// A copy that cannot be made only costs the picture, so the reason is told as the document's.
fn ours(error: EditError) -> DocumentError {
    DocumentError::Unsupported(format!("No preview can be made: {error}"))
}

#[cfg(test)]
mod tests;
