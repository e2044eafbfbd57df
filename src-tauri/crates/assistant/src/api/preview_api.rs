//! `preview.*`: what a user interface needs to draw a document, before and after.

use documents::formats::text::Endings;

use super::{App, AppError, answers::TextPreview, error::ErrorCode, params::PreviewText};
use crate::workspace::{Proposal, Stop};

impl App {
    /// A text document as it is, before or after a proposal, or at a snapshot.
    pub fn preview_text(&self, params: &PreviewText, stop: &Stop) -> Result<TextPreview, AppError> {
        let bytes = self.side_bytes(&params.file_id, &params.side, params.proposal_id.as_deref(), stop)?;
        let limits = &self.options.limits;
        let text = documents::formats::text::decode(&bytes, limits)?;
        let described = documents::formats::text::describe(&bytes, limits)?;
        let line_ending = line_ending(described.endings).to_owned();
        Ok(TextPreview { text, encoding: described.encoding.to_lowercase(), line_ending })
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

fn line_ending(endings: Endings) -> &'static str {
    match endings {
        Endings::None => "none",
        Endings::Lf => "lf",
        Endings::Crlf => "crlf",
        Endings::Cr => "cr",
        Endings::Mixed => "mixed",
    }
}
