//! What stands against writing into a cell: protection, array formulas, data tables, spilled results, merged areas.

use super::{
    address::{Area, CellRef, parse_areas},
    grid::{
        Grid,
        lex::{self, FormulaKind},
    },
    session::Session,
    sheet::Sheet,
    workbook::SheetKey,
};
use crate::{DocumentError, EditError, Warning, error::EditErrorKind, package::xml::Ns};

/// A formula that fills several cells.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) anchor: CellRef,
    pub(super) area: Area,
    pub(super) kind: FormulaKind,
    /// A dynamic array: its anchor has cell metadata, its other cells hold plain results.
    pub(super) dynamic: bool,
}

/// The obstacles on one sheet, read once per operation.
pub(super) struct Guards {
    protected: bool,
    /// Areas that the protection leaves open without a password.
    open: Vec<Area>,
    blocks: Vec<Block>,
    merges: Vec<Area>,
}

impl Guards {
    pub(super) fn read(session: &Session<'_, '_>, key: SheetKey) -> Result<Guards, EditError> {
        let sheet = session.book.sheet(key)?;
        Ok(Guards {
            protected: is_protected(sheet),
            open: open_areas(sheet),
            blocks: blocks(&sheet.grid)?,
            merges: sheet.merges(),
        })
    }

    /// Refuses a cell that must not be written, warns of one that will not be seen.
    pub(super) fn allow(
        &self,
        session: &mut Session<'_, '_>,
        key: SheetKey,
        at: CellRef,
    ) -> Result<(), EditError> {
        let name = session.cell_name(key, at);
        self.allow_protected(session, key, at, &name)?;
        self.allow_blocks(at, &name)?;
        if let Some(merge) = self.merges.iter().find(|merge| merge.contains(at) && merge.first != at) {
            let message =
                format!("{name} lies inside the merged cells {merge}; only {} is shown.", merge.first);
            session.warn(Warning::at("cell_is_merged", name, message));
        }
        Ok(())
    }

    fn allow_protected(
        &self,
        session: &mut Session<'_, '_>,
        key: SheetKey,
        at: CellRef,
        name: &str,
    ) -> Result<(), EditError> {
        if !self.protected || self.open.iter().any(|area| area.contains(at)) {
            return Ok(());
        }
        let style = session.book.sheet(key)?.cell(at)?.map_or(0, |cell| cell.span.style);
        if session.book.styles().is_some_and(|styles| !styles.is_locked(style)) {
            return Ok(());
        }
        if session.context.override_protection {
            let message =
                format!("The sheet is protected and {name} is locked; it was changed all the same.");
            session.warn(Warning::at("protection_overridden", name, message));
            return Ok(());
        }
        Err(EditError::new(EditErrorKind::ReadOnly, format!("The sheet is protected and {name} is locked."))
            .hint("Set `override_protection` to change it all the same."))
    }

    fn allow_blocks(&self, at: CellRef, name: &str) -> Result<(), EditError> {
        let Some(block) = self.blocks.iter().find(|block| block.area.contains(at)) else { return Ok(()) };
        let refuse = |what: &str| {
            Err(EditError::new(
                EditErrorKind::WouldDamage,
                format!("{name} belongs to {what} in {}.", block.area),
            ))
        };
        match block.kind {
            FormulaKind::DataTable => refuse("a what-if data table"),
            _ if block.area.first == block.area.last => Ok(()),
            _ if block.dynamic && at != block.anchor => refuse("the spilled result of the formula"),
            _ if block.dynamic => Ok(()),
            _ => refuse("an array formula, of which no part can be changed alone,"),
        }
    }
}

/// Whether the sheet's protection is on.
pub(super) fn is_protected(sheet: &Sheet) -> bool {
    let frame = &sheet.frame;
    let protection = frame.child(frame.root(), Ns::S, "sheetProtection");
    let flag = protection.and_then(|element| frame.value(element, Ns::None, "sheet"));
    matches!(flag.as_deref(), Some("1" | "true"))
}

pub(super) fn open_areas(sheet: &Sheet) -> Vec<Area> {
    let frame = &sheet.frame;
    let Some(list) = frame.child(frame.root(), Ns::S, "protectedRanges") else { return Vec::new() };
    let value = |element, name| frame.value(element, Ns::None, name);
    frame
        .children_named(list, Ns::S, "protectedRange")
        .filter(|range| {
            ["password", "hashValue", "securityDescriptor"].iter().all(|name| value(*range, name).is_none())
        })
        .flat_map(|range| parse_areas(&value(range, "sqref").unwrap_or_default()))
        .collect()
}

/// All array formulas and data tables of a sheet.
pub(super) fn blocks(grid: &Grid) -> Result<Vec<Block>, DocumentError> {
    let bytes = grid.bytes();
    let mut found = Vec::new();
    let marks = [b"array".as_slice(), b"dataTable"];
    if marks.iter().all(|mark| memchr::memmem::find(bytes, mark).is_none()) {
        return Ok(found);
    }
    for row in grid.rows() {
        let content = &bytes[row.content()];
        if marks.iter().all(|mark| memchr::memmem::find(content, mark).is_none()) {
            continue;
        }
        for cell in grid.cells(row) {
            let cell = cell?;
            let Some(formula) = &cell.formula else { continue };
            if !matches!(formula.kind, FormulaKind::Array | FormulaKind::DataTable) {
                continue;
            }
            let written = formula.reference.as_ref().map(|r| &bytes[r.start as usize..r.end as usize]);
            let area = written.and_then(|raw| Area::parse(&lex::text(raw))).unwrap_or(Area::cell(cell.at));
            found.push(Block { anchor: cell.at, area, kind: formula.kind, dynamic: cell.metadata });
        }
    }
    Ok(found)
}
