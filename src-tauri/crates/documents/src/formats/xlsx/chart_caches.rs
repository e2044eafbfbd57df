//! What charts remember of the cells they show: refreshed where this batch changed the cells, left to the byte elsewhere.
//!
//! A cache is `numCache`, `strCache` (ECMA-376-1, 21.2.2.123 and 21.2.2.201) or their twins in extensions and newer charts. One that is
//! not understood (several levels, hidden cells, references that are no plain areas) is left and named in a warning: Excel reads the
//! cells anew when it opens the workbook.

use std::collections::{BTreeMap, HashSet};

use super::{
    address::Area,
    cells::Value,
    formula::{TokenKind, tokens},
    parts::{self, PartKind},
    patch::Patch,
    places::chart_formula_nodes,
    session::Session,
    workbook::{SheetKey, SheetKind},
};
use crate::{
    EditError, Warning,
    package::{
        PartName,
        xml::{NodeId, Ns, Xml, escape_text},
    },
};

/// The cells behind one reference of a chart.
type Source = Vec<(SheetKey, Area)>;

/// A point: its value as text.
type Points = BTreeMap<usize, String>;

impl Session<'_, '_> {
    /// Brings the caches of charts up to the cells as they are now.
    pub(super) fn refresh_chart_caches(&mut self) -> Result<(), EditError> {
        if self.dirty.is_empty() && self.recalculated.is_empty() && !self.structural {
            return Ok(());
        }
        let charts: Vec<PartName> = parts::of_all_sheets(&self.book)?
            .into_iter()
            .filter(|part| part.kind == PartKind::Chart)
            .map(|part| part.part)
            .collect();
        if charts.is_empty() {
            return Ok(());
        }
        for key in self.book.sheets.iter().map(|entry| entry.key).collect::<Vec<_>>() {
            let is_chart = self.book.entry(key)?.kind == SheetKind::Chartsheet;
            if !is_chart {
                self.book.load(key)?;
            }
        }
        self.book.load_tables()?;
        let touched: HashSet<(SheetKey, super::address::CellRef)> =
            self.dirty.iter().chain(&self.recalculated).copied().collect();
        for part in charts {
            let Ok(xml) = self.book.package.xml(&part) else { continue };
            let mut patch = Patch::new(&xml);
            let mut left = false;
            for formula in chart_formula_nodes(&xml) {
                let Some(cache) = cache_of(&xml, formula) else { continue };
                let Some(source) = self.source(&xml.text(formula)) else { continue };
                let meets = |(sheet, area): &(SheetKey, Area)| {
                    touched.iter().any(|(other, cell)| other == sheet && area.contains(*cell))
                };
                if !self.structural && !source.iter().any(meets) {
                    continue;
                }
                left |= !self.refresh(&mut patch, cache, &source)?;
            }
            if !patch.is_empty() {
                let bytes = xml.write(patch.finish()?)?;
                self.book.package.replace(&part, bytes)?;
            }
            if left && !self.structural {
                let message = "The chart remembers figures of cells that changed; it is drawn anew when the workbook is opened.";
                self.warn(Warning::at("chart_cache_left", part.file_name(), message));
            }
        }
        Ok(())
    }

    /// The areas a chart's reference names; `None` when it is more than a list of plain areas.
    fn source(&self, text: &str) -> Option<Source> {
        let mut source = Vec::new();
        for token in tokens(text) {
            match &token.kind {
                TokenKind::Reference(reference) => {
                    let prefix = reference.prefix.as_ref().filter(|prefix| prefix.is_plain())?;
                    let key = self.book.find(Some(&prefix.sheet)).ok()?;
                    source.push((key, reference.form.area()?));
                }
                TokenKind::Operator if matches!(&text[token.range.clone()], "(" | ")" | ",") => {}
                TokenKind::Space => {}
                _ => return None,
            }
        }
        (!source.is_empty()).then_some(source)
    }

    /// Plans new points for a cache; `false` when it is not understood.
    fn refresh(&self, patch: &mut Patch<'_>, cache: NodeId, source: &Source) -> Result<bool, EditError> {
        const MOST: u64 = 100_000;
        let xml = patch.xml;
        let size: u64 = source.iter().map(|(_, area)| area.size()).sum();
        let count_node = xml.children(cache).find(|node| xml.local_name(*node) == "ptCount");
        let newer = xml.local_name(cache) == "lvl";
        let count = match count_node {
            Some(node) => patch.value(node, "val"),
            None => patch.value(cache, "ptCount"),
        };
        let count = count.and_then(|count| count.parse::<u64>().ok());
        let hidden = source.iter().any(|(sheet, area)| self.hides(*sheet, *area));
        if count == Some(0) {
            // It never remembered anything.
            return Ok(true);
        }
        if size > MOST || hidden || count.is_none() || (count != Some(size) && !self.structural) {
            return Ok(false);
        }
        let numbers = match xml.local_name(cache) {
            "numCache" => true,
            "lvl" => xml.parent(cache).is_some_and(|parent| xml.local_name(parent) == "numDim"),
            _ => false,
        };
        let new = self.points(source, numbers)?;
        let old = points_of(xml, cache);
        if count == Some(size) && same_points(&old, &new, numbers) {
            return Ok(true);
        }
        let prefix = xml.prefix(cache);
        let mut markup = String::new();
        for (at, value) in &new {
            let kept = old_point(xml, cache, *at).map_or(String::new(), |node| format_of(xml, node));
            let value = escape_text(value)?;
            markup.push_str(&match newer {
                true => format!("<{prefix}pt idx=\"{at}\">{value}</{prefix}pt>"),
                false => {
                    format!("<{prefix}pt idx=\"{at}\"{kept}><{prefix}v>{value}</{prefix}v></{prefix}pt>")
                }
            });
        }
        match count_node {
            Some(node) => patch.set(node, "val", &size.to_string())?,
            None => patch.set(cache, "ptCount", &size.to_string())?,
        }
        let points: Vec<NodeId> = points_in(xml, cache).collect();
        let place = match (points.first(), count_node) {
            (Some(first), _) => xml.span(*first).start,
            (None, Some(count)) => xml.span(count).end,
            (None, None) => xml.content(cache).end,
        };
        match (points.first(), points.last()) {
            (Some(first), Some(last)) => patch.replace(xml.span(*first).start..xml.span(*last).end, markup),
            _ if xml.is_empty_tag(cache) => return Ok(new.is_empty()),
            _ => patch.insert(place, markup),
        }
        Ok(true)
    }

    /// The points of an area in reading order; empty cells have none.
    fn points(&self, source: &Source, numbers: bool) -> Result<Points, EditError> {
        let tables = self.tables()?;
        let mut points = Points::new();
        let mut offset = 0;
        for (key, area) in source {
            let sheet = self.book.sheet(*key)?;
            for row in sheet.grid.row_numbers_within(area.first.row, area.last.row) {
                for cell in sheet.grid.row_cells(row)? {
                    let at = cell.span.at;
                    if !area.contains(at) {
                        continue;
                    }
                    let index = (at.row - area.first.row) as usize * area.cols() as usize
                        + (at.col - area.first.col) as usize;
                    let value = tables.value(&cell);
                    let text = match (&value, numbers) {
                        (Value::Empty, _) => continue,
                        (Value::Number(number), true) => super::number_format::shortest(*number),
                        (Value::Boolean(value), true) => i32::from(*value).to_string(),
                        (Value::Error(error), true) => error.clone(),
                        // Text is drawn as nought; there is no number to remember.
                        (Value::Text(_), true) => continue,
                        (value, false) => tables.show(value, cell.span.style),
                    };
                    points.insert(offset + index, text);
                }
            }
            offset += area.size() as usize;
        }
        Ok(points)
    }

    /// Whether a sheet hides rows or columns of an area: such cells are in no cache.
    fn hides(&self, key: SheetKey, area: Area) -> bool {
        let Ok(sheet) = self.book.sheet(key) else { return true };
        let (bytes, frame) = (sheet.grid.bytes(), &sheet.frame);
        let is_set = |value: &[u8]| matches!(value, b"1" | b"true");
        let rows =
            sheet.grid.rows().iter().filter(|row| (area.first.row..=area.last.row).contains(&row.number));
        let hidden_row = rows.into_iter().any(|row| {
            let flag = super::grid::lex::attribute(bytes, row.tag(), b"hidden");
            flag.is_some_and(|flag| is_set(&bytes[flag.value]))
        });
        hidden_row
            || frame.descendants_named(frame.root(), Ns::S, "col").any(|col| {
                let number =
                    |name| frame.value(col, Ns::None, name).and_then(|text| text.parse::<u32>().ok());
                let hidden = frame.value(col, Ns::None, "hidden").is_some_and(|flag| is_set(flag.as_bytes()));
                let meets = number("min").is_some_and(|min| min <= area.last.col)
                    && number("max").is_some_and(|max| area.first.col <= max);
                hidden && meets
            })
    }
}

/// The one-level cache that belongs to a formula.
fn cache_of(xml: &Xml, formula: NodeId) -> Option<NodeId> {
    let parent = xml.parent(formula)?;
    let local = |node: &NodeId| xml.local_name(*node).to_owned();
    let found: Vec<NodeId> = xml
        .children(parent)
        .filter(|node| matches!(local(node).as_str(), "numCache" | "strCache" | "dlblRangeCache" | "lvl"))
        .collect();
    match found.as_slice() {
        [one] => Some(*one),
        _ => None,
    }
}

fn points_in(xml: &Xml, cache: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    xml.children(cache).filter(|node| xml.local_name(*node) == "pt")
}

fn old_point(xml: &Xml, cache: NodeId, index: usize) -> Option<NodeId> {
    points_in(xml, cache)
        .find(|node| xml.value(*node, Ns::None, "idx").is_some_and(|idx| idx.parse() == Ok(index)))
}

fn format_of(xml: &Xml, point: NodeId) -> String {
    let attribute = xml.attribute(point, Ns::None, "formatCode");
    attribute.map_or(String::new(), |attribute| xml.slice(attribute.whole).to_owned())
}

fn points_of(xml: &Xml, cache: NodeId) -> Points {
    points_in(xml, cache)
        .filter_map(|node| {
            let index = xml.value(node, Ns::None, "idx")?.parse().ok()?;
            let inner = xml.children(node).find(|child| xml.local_name(*child) == "v").unwrap_or(node);
            Some((index, xml.text(inner).into_owned()))
        })
        .collect()
}

/// Whether two caches say the same; numbers may be written in several ways.
fn same_points(old: &Points, new: &Points, numbers: bool) -> bool {
    let same = |(a, b): (&String, &String)| {
        a == b
            || numbers
                && matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if (a - b).abs() <= 1e-12 * a.abs())
    };
    old.len() == new.len() && old.iter().zip(new).all(|((i, a), (j, b))| i == j && same((a, b)))
}
