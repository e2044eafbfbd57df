//! `preview.sheet`, `preview.docx`, `preview.slides`.

use documents::preview::{
    docx::{CopyRequest, preview_copy},
    sheet::{Book, WindowRequest},
    slides::slide_list,
};

use super::{
    BookKey,
    wire::{DocxPreview, PreviewDocx, PreviewSheet, PreviewSlides, SheetPreview, SlidesPreview},
};
use crate::{api::App, api::AppError, workspace::Stop};

impl App {
    /// A window of cells.
    pub fn preview_sheet(&self, params: &PreviewSheet, stop: &Stop) -> Result<SheetPreview, AppError> {
        let key = self.book_key(params)?;
        let book = self.previews.book(key, || {
            let bytes =
                self.side_bytes(&params.file_id, &params.side, params.proposal_id.as_deref(), stop)?;
            Ok::<Book, AppError>(Book::open(&bytes, &self.options.limits, &|| stop.is_set())?)
        })?;
        let with_layout = params.with_layout.unwrap_or(false);
        let request =
            WindowRequest { sheet: params.sheet, rows: params.rows, columns: params.columns, with_layout };
        Ok(SheetPreview(book.window(&request)?))
    }

    /// The preview-only copy of a Word document.
    pub fn preview_docx(&self, params: &PreviewDocx, stop: &Stop) -> Result<DocxPreview, AppError> {
        let bytes = self.side_bytes(&params.file_id, &params.side, params.proposal_id.as_deref(), stop)?;
        let request =
            CopyRequest { most: params.most.unwrap_or(0), keep: params.keep.clone().unwrap_or_default() };
        let copy = preview_copy(&bytes, &request, &self.options.limits, &|| stop.is_set())?;
        Ok(DocxPreview::of(copy))
    }

    /// The slides as places and text.
    pub fn preview_slides(&self, params: &PreviewSlides, stop: &Stop) -> Result<SlidesPreview, AppError> {
        let bytes = self.side_bytes(&params.file_id, &params.side, params.proposal_id.as_deref(), stop)?;
        Ok(SlidesPreview(slide_list(&bytes, &self.options.limits, &|| stop.is_set())?))
    }

    /// The bytes of one side, for hosts that draw slides as pictures.
    pub fn preview_bytes(&self, params: &PreviewSlides, stop: &Stop) -> Result<Vec<u8>, AppError> {
        self.side_bytes(&params.file_id, &params.side, params.proposal_id.as_deref(), stop)
    }

    fn book_key(&self, params: &PreviewSheet) -> Result<BookKey, AppError> {
        let PreviewSheet { file_id, side, proposal_id, .. } = params;
        let revision = match side.as_str() {
            "current" => self.workspace.known(file_id)?.content_rev.to_string(),
            _ => proposal_id.clone().unwrap_or_default(),
        };
        Ok(BookKey(format!("{file_id} {side} {revision}")))
    }
}
