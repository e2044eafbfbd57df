//! From a command to operations of the contract, for the format of the document it is meant for.
//!
//! Only the document decides what a command means: 行 is a line of a text and a row of a sheet. Nothing is filled in that the user
//! did not say; where a count is needed, the document is read first.

mod docx;
mod places;
mod pptx;
mod text;
mod values;
mod xlsx;

use documents::Format;
use serde_json::{Map, Value};

use super::facts::Facts;
use super::grammar::Command;
use super::rules::Verb;
use super::slots::{Captured, Place, Unit};

/// Why a command gives no operations.
#[derive(Debug, Clone, PartialEq)]
pub enum Unlowered {
    /// The document must be read first.
    NeedsOutline,
    /// The command does not fit this kind of document.
    OtherFormat,
    /// Something is missing or contradictory, in both languages.
    Unclear { english: String, chinese: String },
}

pub type Ops = Result<Vec<Value>, Unlowered>;

/// The document a command is for.
pub struct Target<'t> {
    pub format: Format,
    pub facts: Option<&'t Facts>,
}

/// The operations of a command on a document of this format.
pub fn lower(command: &Command, target: &Target<'_>) -> Ops {
    match target.format {
        Format::Text => text::ops(command, target),
        Format::Xlsx => xlsx::ops(command, target),
        Format::Pptx => pptx::ops(command, target),
        Format::Docx => docx::ops(command, target),
    }
}

/// Whether a command can be meant for a document of this format at all.
pub fn fits(command: &Command, format: Format) -> bool {
    let kinds = [
        ("kind_text", Format::Text),
        ("kind_xlsx", Format::Xlsx),
        ("kind_pptx", Format::Pptx),
        ("kind_docx", Format::Docx),
    ];
    if kinds.iter().any(|(flag, kind)| command.has(flag) && *kind != format) {
        return false;
    }
    // A pretended reading answers every question about counts, so only the format can refuse.
    let facts = Facts { complete: true, lines: 9, paragraphs: 9, slides: 9, ..Facts::default() };
    !matches!(lower(command, &Target { format, facts: Some(&facts) }), Err(Unlowered::OtherFormat))
}

fn unclear(english: impl Into<String>, chinese: impl Into<String>) -> Unlowered {
    Unlowered::Unclear { english: english.into(), chinese: chinese.into() }
}

/// One operation, with only the fields that were said.
struct Op(Map<String, Value>);

impl Op {
    fn new(name: &str) -> Op {
        Op(Map::from_iter([("op".to_string(), Value::from(name))]))
    }

    fn with(mut self, field: &str, value: impl Into<Value>) -> Op {
        self.0.insert(field.to_string(), value.into());
        self
    }

    fn maybe(self, field: &str, value: Option<impl Into<Value>>) -> Op {
        match value {
            Some(value) => self.with(field, value),
            None => self,
        }
    }

    fn one(self) -> Ops {
        Ok(vec![Value::Object(self.0)])
    }
}

impl Command {
    fn place(&self, slot: &str) -> Option<Place> {
        match self.captures.get(slot)? {
            Captured::Place(place) => Some(*place),
            Captured::Ranges(ranges) => ranges.first().map(|(first, _)| *first),
            Captured::Flag
            | Captured::Text { .. }
            | Captured::Unit(_)
            | Captured::Number(_)
            | Captured::Properties(_) => None,
        }
    }

    fn ranges(&self, slot: &str) -> Vec<(Place, Place)> {
        match self.captures.get(slot) {
            Some(Captured::Place(place)) if self.has("to_end") => vec![(*place, Place::FromEnd(1))],
            Some(Captured::Ranges(ranges)) => ranges.clone(),
            Some(Captured::Place(place)) => vec![(*place, *place)],
            _ => Vec::new(),
        }
    }

    fn unit(&self) -> Option<Unit> {
        match self.captures.get("unit")? {
            Captured::Unit(unit) => Some(*unit),
            Captured::Flag
            | Captured::Text { .. }
            | Captured::Place(_)
            | Captured::Ranges(_)
            | Captured::Number(_)
            | Captured::Properties(_) => None,
        }
    }

    fn number(&self, slot: &str) -> Option<f64> {
        match self.captures.get(slot)? {
            Captured::Number(number) => Some(*number),
            Captured::Flag
            | Captured::Text { .. }
            | Captured::Place(_)
            | Captured::Ranges(_)
            | Captured::Unit(_)
            | Captured::Properties(_) => None,
        }
    }

    /// `before` unless "after" or "below" was said.
    fn position(&self) -> Option<&'static str> {
        self.has("after").then_some("after")
    }

    /// The side of a place that was named.
    fn side(&self) -> Option<&'static str> {
        ["before", "after"].into_iter().find(|side| self.has(side))
    }

    /// A number that the command must name, `last` resolved.
    fn at(
        &self,
        slot: &str,
        last: impl FnOnce() -> Result<usize, Unlowered>,
    ) -> Result<Option<usize>, Unlowered> {
        self.place(slot).map(|place| resolve(place, last)).transpose()
    }

    /// All ranges of a slot, `last` resolved.
    fn resolved(
        &self,
        slot: &str,
        last: impl Fn() -> Result<usize, Unlowered>,
    ) -> Result<Vec<(usize, usize)>, Unlowered> {
        self.ranges(slot).into_iter().map(|(a, b)| Ok((resolve(a, &last)?, resolve(b, &last)?))).collect()
    }

    /// How many were asked for without content: `insert 3 rows`.
    fn count(&self) -> Option<usize> {
        match self.place("count") {
            Some(Place::At(count)) => Some(count),
            Some(Place::FromEnd(_)) | None => None,
        }
    }

    /// `all`, a number, or nothing.
    fn occurrence(&self) -> Option<Value> {
        if self.has("all") {
            return Some("all".into());
        }
        match self.place("nth") {
            Some(Place::At(number)) => Some(number.into()),
            Some(Place::FromEnd(_)) | None => None,
        }
    }

    /// The new text of a replacement, empty when the text is deleted.
    fn replacement(&self) -> &str {
        match self.verb {
            Verb::DeleteText => "",
            _ => self.text("with").unwrap_or_default(),
        }
    }

    fn says_any(&self, slots: &[&str]) -> bool {
        slots.iter().any(|slot| self.has(slot))
    }
}

fn resolve(place: Place, last: impl FnOnce() -> Result<usize, Unlowered>) -> Result<usize, Unlowered> {
    match place {
        Place::At(number) => Ok(number),
        Place::FromEnd(back) => {
            let last = last()?;
            (last + 1).checked_sub(back).filter(|number| *number > 0).ok_or_else(|| {
                unclear(format!("There are only {last} of them."), format!("一共只有{last}个。"))
            })
        }
    }
}

impl Target<'_> {
    /// A count from the outline, which must have been read completely.
    fn count(&self, of: impl FnOnce(&Facts) -> usize) -> Result<usize, Unlowered> {
        let facts = self.facts.filter(|facts| facts.complete).ok_or(Unlowered::NeedsOutline)?;
        Ok(of(facts))
    }
}

#[cfg(test)]
#[path = "lower/tests.rs"]
mod tests;
