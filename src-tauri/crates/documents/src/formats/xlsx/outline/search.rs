//! A search through all sheets: `find:WORDS` as the range of an outline gives the cells whose text or formula holds the words.
//!
//! Names, tables and charts that hold them come first. Case does not matter. No column is called `find`, so no range means this.

use super::{CellNodes, Writer, has_cells, load, size};
use crate::{
    DocumentError, Warning,
    formats::xlsx::workbook::{SheetKey, Workbook},
};

/// What is looked for, when a range asks for a search.
pub(super) fn query(range: &str) -> Option<&str> {
    range.strip_prefix("find:").map(str::trim).filter(|words| !words.is_empty())
}

pub(super) fn search(
    writer: &mut Writer<'_>,
    book: &mut Workbook<'_>,
    range: &str,
) -> Result<(), DocumentError> {
    let words = query(range).unwrap_or_default().to_lowercase();
    let keys: Vec<SheetKey> = book.sheets.iter().map(|entry| entry.key).collect();
    writer.name_nodes(book);
    for key in &keys {
        writer.part_nodes(book, *key)?;
    }
    writer
        .outline
        .nodes
        .retain(|node| node.at.to_lowercase().contains(&words) || node.text.to_lowercase().contains(&words));
    let told: usize = writer.outline.nodes.iter().map(size).sum();
    writer.left = writer.whole.saturating_sub(told);
    let mut left_out = 0_usize;
    for key in keys {
        if !has_cells(book, key) {
            continue;
        }
        writer.stop_if_cancelled()?;
        load(book, key)?;
        let Some(cells) = CellNodes::new(book, key)? else { continue };
        for number in cells.sheet.grid.row_numbers() {
            for cell in cells.sheet.grid.row_cells(number)? {
                let (shown, formula) = cells.texts(&cell);
                let holds = |text: &str| text.to_lowercase().contains(&words);
                if !(holds(&shown) || formula.as_deref().is_some_and(holds)) {
                    continue;
                }
                match cells.node(&cell).filter(|node| size(node) <= writer.left) {
                    Some(node) => writer.push(node),
                    None => left_out += 1,
                }
            }
        }
    }
    if left_out > 0 {
        let message = format!("{left_out} more cells hold these words; search for more of them.");
        writer.outline.warnings.push(Warning::new("outline_shortened", message));
        writer.outline.truncated = true;
    }
    Ok(())
}
