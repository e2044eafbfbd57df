//! Formulas of this batch whose result needs an array: they become dynamic arrays, with the metadata that Excel asks for.
//!
//! A formula that stands in a file without it is met at its own row or column (Excel shows an `@`), so `=A1:A3*2` written plainly would
//! not be what was asked for ([MS-XLSX] 2.6.219, `XLDAPR`). The anchor cell gets `cm`, `t="array"` and the area of its result; a result
//! that would fall on other cells is refused before anything is written.

use super::{
    Address, Results,
    source::{Computed, Spill},
};
use crate::{
    EditError,
    error::EditErrorKind,
    formats::xlsx::{
        address::{Area, CellRef, LAST_COL, LAST_ROW},
        cells::{self, Content, Value},
        formula,
        grid::lex,
        guards::Guards,
        session::Session,
        workbook::SheetKey,
    },
    package::{
        PartName,
        xml::{NodeId, Ns, Xml},
    },
};

const METADATA_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheetMetadata+xml";
/// One type, one set of properties, one record that cells point to.
const METADATA: &str = "<metadataTypes count=\"1\"><metadataType name=\"XLDAPR\" minSupportedVersion=\"120000\" copy=\"1\" pasteAll=\"1\" pasteValues=\"1\" merge=\"1\" splitFirst=\"1\" rowColShift=\"1\" clearFormats=\"1\" clearComments=\"1\" assign=\"1\" coerce=\"1\" cellMeta=\"1\"/></metadataTypes><futureMetadata name=\"XLDAPR\" count=\"1\"><bk><extLst><ext uri=\"{bdbb8cdc-fa1e-496e-a857-3c3f30c029c3}\"><xda:dynamicArrayProperties fDynamic=\"1\" fCollapsed=\"0\"/></ext></extLst></bk></futureMetadata><cellMetadata count=\"1\"><bk><rc t=\"1\" v=\"0\"/></bk></cellMetadata>";

fn refuse(message: String) -> EditError {
    EditError::new(EditErrorKind::WouldDamage, message)
}

impl Session<'_, '_> {
    /// Refuses new formulas that spill and whose size is not known, because they cannot be computed here.
    pub(super) fn check_sizes(&self, results: &Results) -> Result<(), EditError> {
        for (sheet, at) in &self.fresh {
            let Some(Computed::Unknown(why)) = results.get(&(*sheet, *at)) else { continue };
            let cell = self.book.sheet(*sheet)?.cell(*at)?;
            let text = cell.as_ref().and_then(|cell| cell.formula_text()).unwrap_or_default();
            if formula::spills(&text) {
                let name = self.cell_name(*sheet, *at);
                let message = format!(
                    "The formula of {name} fills several cells, and how many is not known here ({why})."
                );
                return Err(EditError::new(EditErrorKind::UnsupportedOp, message)
                    .hint("Use a formula that gives one value per cell."));
            }
        }
        Ok(())
    }

    /// Makes dynamic arrays of formulas; their cells are there afterwards, still without results.
    pub(super) fn place_spills(&mut self, spills: &[Spill]) -> Result<(), EditError> {
        for spill in spills {
            let (sheet, at) = spill.address;
            let last = (u64::from(at.row) + spill.rows as u64 - 1, u64::from(at.col) + spill.cols as u64 - 1);
            let name = self.cell_name(sheet, at);
            if last.0 > u64::from(LAST_ROW) || last.1 > u64::from(LAST_COL) {
                return Err(refuse(format!("The result of {name} would reach beyond the sheet.")));
            }
            let area = Area { first: at, last: CellRef::new(last.0 as u32, last.1 as u32) };
            self.check_room(spill.address, area)?;
            let metadata = self.dynamic_metadata()?;
            self.write_anchor(sheet, at, area, metadata)?;
            self.recompute.push(spill.address);
        }
        for entry in self.book.sheets.iter().map(|entry| entry.key).collect::<Vec<_>>() {
            if self.book.is_loaded(entry) {
                self.book.sheet_mut(entry)?.grid.flush()?;
            }
        }
        Ok(())
    }

    /// Everything but the anchor must be empty and free to be written.
    fn check_room(&mut self, (sheet, at): Address, area: Area) -> Result<(), EditError> {
        let name = self.cell_name(sheet, at);
        if area.size() == 1 {
            return Ok(());
        }
        if self.tables_of(sheet)?.iter().any(|table| table.area.meets(&area)) {
            return Err(refuse(format!("The result of {name} would fill {area}, which meets a table.")));
        }
        if self.book.sheet(sheet)?.merges().iter().any(|merge| merge.meets(&area)) {
            return Err(refuse(format!("The result of {name} would fill {area}, which meets merged cells.")));
        }
        let guards = Guards::read(self, sheet)?;
        for row in area.first.row..=area.last.row {
            for col in area.first.col..=area.last.col {
                let cell = CellRef::new(row, col);
                if cell == at {
                    continue;
                }
                let taken = self.book.sheet(sheet)?.cell(cell)?.is_some_and(|cell| {
                    cell.span.value.is_some() || cell.span.inline.is_some() || cell.span.formula.is_some()
                });
                if taken {
                    let taken = self.cell_name(sheet, cell);
                    return Err(refuse(format!(
                        "The result of {name} would fill {area}, but {taken} is not empty."
                    )));
                }
                guards.allow(self, sheet, cell)?;
            }
        }
        Ok(())
    }

    fn write_anchor(
        &mut self,
        sheet: SheetKey,
        at: CellRef,
        area: Area,
        metadata: u32,
    ) -> Result<(), EditError> {
        let found = self.book.sheet(sheet)?;
        let prefix = found.grid.prefix.clone();
        let Some(cell) = found.cell(at)? else { return Ok(()) };
        let Some(formula) = &cell.span.formula else { return Ok(()) };
        let bytes =
            |range: std::ops::Range<usize>| std::str::from_utf8(&cell.bytes[range]).unwrap_or_default();
        let (tag, span) = (cell.span.tag.clone(), cell.span.span.clone());
        let name_end = tag.start + 2 + prefix.len();
        let old = lex::attribute(cell.bytes, tag.clone(), b"cm").map(|attribute| attribute.whole);
        let attributes = match old {
            Some(old) => format!("{}{}", bytes(name_end..old.start), bytes(old.end..tag.end)),
            None => bytes(name_end..tag.end).to_owned(),
        };
        let (text, end) = (formula.text.start as usize..formula.text.end as usize, formula.span.end as usize);
        let element = format!(
            "<{prefix}c cm=\"{metadata}\"{attributes}<{prefix}f t=\"array\" ref=\"{}\">{}</{prefix}f>{}",
            area.corners(),
            bytes(text),
            bytes(end..span.end)
        );
        let found = self.book.sheet_mut(sheet)?;
        found.grid.put(at, element.into_bytes());
        let empty = Content::Value(Value::Empty);
        for row in area.first.row..=area.last.row {
            for col in area.first.col..=area.last.col {
                let cell = CellRef::new(row, col);
                if cell != at && found.cell(cell)?.is_none() {
                    let element = cells::element(&prefix, cell, None, None, &empty)?;
                    found.grid.put(cell, element);
                }
            }
        }
        found.grow_dimension(area)
    }

    /// The number of the record that says "dynamic array", made when the workbook has none.
    fn dynamic_metadata(&mut self) -> Result<u32, EditError> {
        let workbook = self.book.part.clone();
        let relationships = self.book.package.relationships(&workbook)?;
        let part = relationships.part_of_kind("sheetMetadata").filter(|part| self.book.package.has(part));
        if let Some(part) = part {
            let xml = self.book.package.xml(&part)?;
            return record(&xml).ok_or_else(|| {
                refuse(
                    "The workbook keeps metadata of other kinds, to which dynamic arrays are not added."
                        .into(),
                )
            });
        }
        let part = PartName::new(&format!("{}metadata.xml", workbook.folder()));
        let namespace = Ns::S.uri(self.book.package.is_strict()?);
        let markup = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<metadata xmlns=\"{namespace}\" xmlns:xda=\"http://schemas.microsoft.com/office/spreadsheetml/2017/dynamicarray\">{METADATA}</metadata>"
        );
        self.book.package.add(&part, markup.into_bytes(), METADATA_TYPE)?;
        self.book.package.add_relationship(&workbook, "sheetMetadata", &part)?;
        Ok(1)
    }
}

/// The 1-based record of cell metadata whose only entry is of the type `XLDAPR`.
fn record(xml: &Xml) -> Option<u32> {
    let list = |name| xml.child(xml.root(), Ns::S, name);
    let types: Vec<NodeId> = xml.children_named(list("metadataTypes")?, Ns::S, "metadataType").collect();
    let kind =
        types.iter().position(|node| xml.value(*node, Ns::None, "name").as_deref() == Some("XLDAPR"))? + 1;
    let records: Vec<NodeId> = xml.children_named(list("cellMetadata")?, Ns::S, "bk").collect();
    let position = records.iter().position(|record| {
        let entries: Vec<NodeId> = xml.children_named(*record, Ns::S, "rc").collect();
        let of_kind = |entry: &NodeId| {
            xml.value(*entry, Ns::None, "t").and_then(|t| t.parse::<usize>().ok()) == Some(kind)
        };
        matches!(entries.as_slice(), [entry] if of_kind(entry))
    })?;
    Some(position as u32 + 1)
}
