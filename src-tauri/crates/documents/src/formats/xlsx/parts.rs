//! The parts that hang on sheets and the workbook, by relationship, with the sheet they belong to.

use super::workbook::{SheetKey, Workbook};
use crate::{
    DocumentError,
    package::{PartName, Relationships},
};

/// What a part is, as far as cells are named in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PartKind {
    Table,
    SingleCells,
    QueryTable,
    Comments,
    ThreadedComments,
    Drawing,
    Vml,
    Control,
    Chart,
    PivotTable,
}

/// One part of a sheet.
#[derive(Debug, Clone)]
pub(super) struct SheetPart {
    pub(super) part: PartName,
    pub(super) kind: PartKind,
    pub(super) sheet: SheetKey,
}

fn kind_of(relationship: &str) -> Option<PartKind> {
    Some(match relationship {
        "table" => PartKind::Table,
        "tableSingleCells" => PartKind::SingleCells,
        "queryTable" => PartKind::QueryTable,
        "comments" => PartKind::Comments,
        "threadedComment" => PartKind::ThreadedComments,
        "drawing" => PartKind::Drawing,
        "vmlDrawing" => PartKind::Vml,
        "ctrlProp" => PartKind::Control,
        "chart" | "chartEx" => PartKind::Chart,
        "pivotTable" => PartKind::PivotTable,
        _ => return None,
    })
}

/// All parts of all sheets, each once.
pub(super) fn of_all_sheets(book: &Workbook<'_>) -> Result<Vec<SheetPart>, DocumentError> {
    let mut parts = Vec::new();
    for entry in &book.sheets {
        collect(book, entry.key, &entry.part, &mut parts)?;
    }
    Ok(parts)
}

/// The parts of one sheet.
pub(super) fn of_sheet(book: &Workbook<'_>, key: SheetKey) -> Result<Vec<SheetPart>, DocumentError> {
    let mut parts = Vec::new();
    if let Some(entry) = book.sheets.iter().find(|entry| entry.key == key) {
        collect(book, key, &entry.part, &mut parts)?;
    }
    Ok(parts)
}

fn collect(
    book: &Workbook<'_>,
    sheet: SheetKey,
    source: &PartName,
    parts: &mut Vec<SheetPart>,
) -> Result<(), DocumentError> {
    let relationships: Relationships = book.package.relationships(source)?;
    for relationship in &relationships.items {
        let (Some(kind), Some(part)) = (kind_of(&relationship.kind), relationship.part()) else { continue };
        let known = parts.iter().any(|known: &SheetPart| known.part.same(&part));
        if known || !book.package.has(&part) {
            continue;
        }
        parts.push(SheetPart { part: part.clone(), kind, sheet });
        // Charts hang on drawings, query tables on tables.
        if matches!(kind, PartKind::Drawing | PartKind::Table) {
            collect(book, sheet, &part, parts)?;
        }
    }
    Ok(())
}

/// The definitions of all pivot caches.
pub(super) fn pivot_caches(book: &Workbook<'_>) -> Result<Vec<PartName>, DocumentError> {
    let relationships = book.package.relationships(&book.part)?;
    let caches = relationships.of_kind("pivotCacheDefinition").filter_map(|relationship| relationship.part());
    Ok(caches.filter(|part| book.package.has(part)).collect())
}
