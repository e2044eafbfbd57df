//! What an operation is called on the wire, and whose it is.

use super::Edit;
use crate::Format;

impl Edit {
    /// The operation's name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Edit::ReplaceText { .. } => "replace_text",
            Edit::DeleteText { .. } => "delete_text",
            Edit::InsertLines { .. } => "insert_lines",
            Edit::ReplaceLines { .. } => "replace_lines",
            Edit::DeleteLines { .. } => "delete_lines",
            Edit::AppendLines { .. } => "append_lines",
            Edit::ReplaceLinesContaining { .. } => "replace_lines_containing",
            Edit::ReplaceSection { .. } => "replace_section",
            Edit::XlsxSetCell { .. } => "xlsx_set_cell",
            Edit::XlsxSetCells { .. } => "xlsx_set_cells",
            Edit::XlsxAppendRows { .. } => "xlsx_append_rows",
            Edit::XlsxInsertRows { .. } => "xlsx_insert_rows",
            Edit::XlsxInsertCols { .. } => "xlsx_insert_cols",
            Edit::XlsxDeleteRows { .. } => "xlsx_delete_rows",
            Edit::XlsxDeleteCols { .. } => "xlsx_delete_cols",
            Edit::XlsxReplaceText { .. } => "xlsx_replace_text",
            Edit::XlsxSetFormat { .. } => "xlsx_set_format",
            Edit::XlsxMergeCells { .. } => "xlsx_merge_cells",
            Edit::XlsxUnmergeCells { .. } => "xlsx_unmerge_cells",
            Edit::XlsxSetWidth { .. } => "xlsx_set_width",
            Edit::XlsxAddSheet { .. } => "xlsx_add_sheet",
            Edit::XlsxRenameSheet { .. } => "xlsx_rename_sheet",
            Edit::XlsxCopySheet { .. } => "xlsx_copy_sheet",
            Edit::XlsxMoveSheet { .. } => "xlsx_move_sheet",
            Edit::XlsxDeleteSheet { .. } => "xlsx_delete_sheet",
            Edit::XlsxSetName { .. } => "xlsx_set_name",
            Edit::PptxReplaceOnSlide { .. } => "pptx_replace_on_slide",
            Edit::PptxReplaceText { .. } => "pptx_replace_text",
            Edit::PptxSetText { .. } => "pptx_set_text",
            Edit::PptxSetTitle { .. } => "pptx_set_title",
            Edit::PptxSetNotes { .. } => "pptx_set_notes",
            Edit::PptxSetTableCell { .. } => "pptx_set_table_cell",
            Edit::PptxAppendSlide { .. } => "pptx_append_slide",
            Edit::PptxInsertSlide { .. } => "pptx_insert_slide",
            Edit::PptxDuplicateSlide { .. } => "pptx_duplicate_slide",
            Edit::PptxMoveSlide { .. } => "pptx_move_slide",
            Edit::PptxDeleteSlide { .. } => "pptx_delete_slide",
            Edit::PptxHideSlide { .. } => "pptx_hide_slide",
            Edit::DocxSetParagraph { .. } => "docx_set_paragraph",
            Edit::DocxInsertParagraph { .. } => "docx_insert_paragraph",
            Edit::DocxAppendParagraph { .. } => "docx_append_paragraph",
            Edit::DocxDeleteParagraph { .. } => "docx_delete_paragraph",
            Edit::DocxReplaceText { .. } => "docx_replace_text",
            Edit::DocxInsertMarkdown { .. } => "docx_insert_markdown",
            Edit::DocxSetStyle { .. } => "docx_set_style",
            Edit::DocxSetTableCell { .. } => "docx_set_table_cell",
            Edit::DocxInsertTableRow { .. } => "docx_insert_table_row",
            Edit::DocxDeleteTableRow { .. } => "docx_delete_table_row",
            Edit::DocxAddComment { .. } => "docx_add_comment",
            Edit::DocxAcceptChanges { .. } => "docx_accept_changes",
            Edit::DocxRejectChanges { .. } => "docx_reject_changes",
        }
    }

    /// The format this operation belongs to, by its prefix.
    pub fn format(&self) -> Format {
        Format::of_operation(self.name())
    }
}
