//! The xlsx engine: a batch of operations on a workbook's original bytes, and the outline a model reads. See NOTES.md.
//!
//! Parts are changed by splices only. Sheets are read as a small tree and a grid of cell bytes (`sheet`, `grid`), never as a model of
//! a workbook; so what no operation asked for stays as it was.

mod address;
mod calc;
mod calculation;
mod cell_ops;
mod cells;
mod chart_caches;
mod format_ops;
mod formula;
mod grid;
mod guards;
mod name_ops;
mod number_format;
mod outline;
mod parts;
mod patch;
mod pivots;
mod places;
mod rich;
mod row_ops;
mod session;
mod sheet;
mod sheet_copy;
mod sheet_ops;
mod strings;
mod structure;
mod style_ops;
mod styles;
mod tables;
mod text_ops;
mod workbook;

pub(crate) use calc::judge;
pub use outline::outline;

use crate::{Applied, ApplyContext, Edit, EditError, error::EditErrorKind};
use format_ops::FormatWords;
use session::Session;
use workbook::Workbook;

/// Applies a batch to the bytes of a workbook.
pub fn apply(bytes: &[u8], ops: &[Edit], ctx: &ApplyContext<'_>) -> Result<Applied, EditError> {
    let book = Workbook::open(bytes, &ctx.limits)?;
    let mut session = Session::new(book, ctx);
    for (index, edit) in ops.iter().enumerate() {
        if (ctx.cancel)() {
            return Err(EditError::new(EditErrorKind::Cancelled, "The edit was cancelled."));
        }
        session.op = index;
        run(&mut session, edit).map_err(|error| error.at_op(index))?;
    }
    finish(session)
}

fn run(session: &mut Session<'_, '_>, edit: &Edit) -> Result<(), EditError> {
    match edit {
        Edit::XlsxSetCell { sheet, cell, value } => session.set_cell(sheet.as_deref(), cell, value),
        Edit::XlsxSetCells { sheet, cells, range, values } => {
            session.set_cells(sheet.as_deref(), cells.as_deref(), range.as_deref(), values.as_deref())
        }
        Edit::XlsxAppendRows { sheet, rows, extend_table } => {
            session.append_rows(sheet.as_deref(), rows, extend_table.unwrap_or(false))
        }
        Edit::XlsxInsertRows { sheet, row, count, rows } => {
            session.insert_rows(sheet.as_deref(), *row, *count, rows.as_deref())
        }
        Edit::XlsxInsertCols { sheet, col, count, rows } => {
            session.insert_cols(sheet.as_deref(), col, *count, rows.as_deref())
        }
        Edit::XlsxDeleteRows { sheet, start, end, expect } => {
            session.delete_rows(sheet.as_deref(), *start, *end, expect.as_deref())
        }
        Edit::XlsxDeleteCols { sheet, start, end, expect } => {
            session.delete_cols(sheet.as_deref(), start, end.as_ref(), expect.as_deref())
        }
        Edit::XlsxReplaceText { sheet, range, find, replace, occurrence, within } => session.replace_text(
            sheet.as_deref(),
            range.as_deref(),
            find,
            replace,
            *occurrence,
            within.unwrap_or_default(),
        ),
        Edit::XlsxSetFormat {
            sheet,
            range,
            bold,
            italic,
            underline,
            font_color,
            fill,
            number_format,
            align,
            wrap,
            border,
        } => {
            let words = FormatWords {
                bold: *bold,
                italic: *italic,
                underline: *underline,
                font_color: font_color.as_deref(),
                fill: fill.as_deref(),
                number_format: number_format.as_deref(),
                align: align.as_deref(),
                wrap: *wrap,
                border: border.as_deref(),
            };
            session.set_format(sheet.as_deref(), range, &words)
        }
        Edit::XlsxMergeCells { sheet, range } => session.merge_cells(sheet.as_deref(), range),
        Edit::XlsxUnmergeCells { sheet, range } => session.unmerge_cells(sheet.as_deref(), range),
        Edit::XlsxSetWidth { sheet, cols, rows, size } => {
            session.set_width(sheet.as_deref(), cols.as_deref(), rows.as_deref(), *size)
        }
        Edit::XlsxAddSheet { sheet, position } => session.add_sheet(sheet, *position),
        Edit::XlsxRenameSheet { sheet, to } => session.rename_sheet(sheet, to),
        Edit::XlsxCopySheet { sheet, to, position } => session.copy_sheet(sheet, to, *position),
        Edit::XlsxMoveSheet { sheet, position } => session.move_sheet(sheet, *position),
        Edit::XlsxDeleteSheet { sheet } => session.delete_sheet(sheet),
        Edit::XlsxSetName { name, refers_to } => session.set_name(name, refers_to.as_deref()),
        other => {
            let message = format!("`{}` does not fit a workbook.", other.name());
            Err(EditError::new(EditErrorKind::UnsupportedOp, message))
        }
    }
}

fn finish(mut session: Session<'_, '_>) -> Result<Applied, EditError> {
    session.recalculate()?;
    session.refresh_chart_caches()?;
    session.finish_calculation()?;
    let changes = session.told_changes();
    session.book.write_sheets()?;
    let mut warnings = std::mem::take(&mut session.warnings);
    if session.book.package.is_changed() {
        warnings.extend(session.book.package.notices()?);
    }
    let saved = session.book.package.finish()?;
    Ok(Applied { bytes: saved.bytes, changes, package: Some(saved.report), warnings })
}
