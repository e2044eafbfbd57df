//! What a user interface needs to draw a document, before and after an edit. Reading only; nothing here is ever saved.
//!
//! A workbook is given in windows of cells (`sheet`), a Word document as a preview-only copy with one bookmark per paragraph
//! (`docx`), a presentation as shapes with their places and text (`slides`). Drawing itself happens above.

pub mod docx;
pub mod sheet;
pub mod slides;
