//! `preview.*`: what a user interface needs to draw a document, before and after.

use super::{App, AppError, answers::TextPreview, error::ErrorCode, params::PreviewText};
use crate::workspace::{Proposal, Stop};

impl App {
    /// A text document as it is, before or after a proposal, or at a snapshot.
    pub fn preview_text(&self, params: &PreviewText, stop: &Stop) -> Result<TextPreview, AppError> {
        let bytes = self.side_bytes(&params.file_id, &params.side, params.proposal_id.as_deref(), stop)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| AppError::new(ErrorCode::UnsupportedDocument, "This text is not UTF-8."))?;
        let line_ending = line_ending(&text).to_owned();
        Ok(TextPreview { text, encoding: "utf-8".into(), line_ending })
    }

    /// The bytes of one side of a comparison: `current`, `before`, `after`, or a snapshot id.
    pub(crate) fn side_bytes(
        &self,
        file_id: &str,
        side: &str,
        proposal_id: Option<&str>,
        stop: &Stop,
    ) -> Result<Vec<u8>, AppError> {
        let workspace = &self.workspace;
        let bytes = match side {
            "current" => workspace
                .known(file_id)
                .and_then(|file| workspace.current(&file, stop))
                .map(|(_, content)| content.bytes),
            "before" => self
                .side_proposal(file_id, proposal_id)
                .and_then(|proposal| Ok(workspace.proposal_base(&proposal)?))
                .map(Ok)?,
            "after" => self
                .side_proposal(file_id, proposal_id)
                .and_then(|proposal| Ok(workspace.proposal_bytes(&proposal)?))
                .map(Ok)?,
            snapshot => workspace.snapshot_bytes(file_id, snapshot).map(|(_, bytes)| bytes),
        };
        bytes.map_err(|error| self.about(file_id, error))
    }

    fn side_proposal(&self, file_id: &str, proposal_id: Option<&str>) -> Result<Proposal, AppError> {
        match proposal_id {
            Some(id) => Ok(self.workspace.proposal(id)?),
            None => self
                .workspace
                .proposals(Some(file_id))?
                .pop()
                .ok_or_else(|| AppError::new(ErrorCode::OutOfRange, "No proposal waits on this file.")),
        }
    }
}

fn line_ending(text: &str) -> &'static str {
    let crlf = text.matches("\r\n").count();
    let lf = text.matches('\n').count() - crlf;
    let cr = text.matches('\r').count() - crlf;
    match (lf, crlf, cr) {
        (0, 0, 0) => "none",
        (_, 0, 0) => "lf",
        (0, _, 0) => "crlf",
        (0, 0, _) => "cr",
        _ => "mixed",
    }
}
