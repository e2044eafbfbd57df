//! Parts of a document that the user keeps out of the assistant: nothing of them is read, quoted or changed by a model.
//!
//! A part is named by what stays the same through edits: `sheet:Data`, `range:Data!B2:D9` (a cell area keeps its address),
//! `slide:256` (the slide's identity), `notes` (of all slides), `section:Heading > Below` (a heading and all under it). A part that
//! is no longer found closes the whole document to the model, because nobody knows where its text is now.

use std::collections::HashSet;

use documents::{Format, Node, Outline, OutlineRequest, Place, Warning};

use crate::{
    api::{
        App, AppError,
        answers::{DocumentInfo, OutlineAnswer, Receipt, SearchMatch},
        error::ErrorCode,
        params,
    },
    workspace::{Batch, Stop},
};

/// An outline for hiding holds the whole document.
const WHOLE_DOCUMENT: usize = 64 << 20;
/// Shorter texts stand everywhere, so that meeting one says nothing.
const TELLING: usize = 6;
/// A message quotes the beginning of a long text.
const QUOTED: usize = 24;

/// One part, read.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Sheet(String),
    Range { sheet: String, rows: (u32, u32), columns: (u32, u32) },
    Slide(u32),
    Notes,
    Section(Vec<String>),
}

/// What of one document is hidden now.
pub struct KeptOut {
    parts: Vec<Part>,
    format: Format,
    hidden: Vec<Node>,
    places: HashSet<String>,
}

impl KeptOut {
    /// The hidden parts of a file; `None` when it has none.
    pub fn of(app: &App, file: &DocumentInfo, stop: &Stop) -> Result<Option<KeptOut>, AppError> {
        let settings = app.settings_get()?;
        let Some(named) = settings.kept_out.get(&file.file_id).filter(|named| !named.is_empty()) else {
            return Ok(None);
        };
        let parts = named.iter().map(|name| Part::read(name).ok_or_else(|| unknown(name)));
        let parts = parts.collect::<Result<Vec<Part>, AppError>>()?;
        let bytes = app.side_bytes(&file.file_id, "current", None, stop)?;
        let hidden = hidden(app, file.format, &bytes, &parts, stop)?;
        let places = hidden.iter().map(|node| node.at.clone()).collect();
        Ok(Some(KeptOut { parts, format: file.format, hidden, places }))
    }

    /// Takes the hidden places out of an outline, and says how many.
    pub fn filter(&self, outline: &mut OutlineAnswer) {
        let all = outline.nodes.len();
        outline.nodes.retain(|node| !self.hides(&node.at));
        let left = all - outline.nodes.len();
        if left > 0 {
            let message =
                format!("The user keeps {left} places of this part out. Do not ask for them or guess them.");
            outline.warnings.push(Warning::new("kept_out", message));
        }
    }

    /// Takes hidden places out of search results.
    pub fn filter_matches(&self, matches: &mut Vec<SearchMatch>) {
        matches.retain(|found| !self.hides(&found.at));
    }

    /// How many places are hidden.
    pub fn len(&self) -> usize {
        self.hidden.len()
    }

    /// Whether nothing is hidden now.
    pub fn is_empty(&self) -> bool {
        self.hidden.is_empty()
    }

    /// Refuses a batch after which a hidden part would read otherwise.
    pub fn check(&self, app: &App, edit: &params::Edit, stop: &Stop) -> Result<(), AppError> {
        let batch = Batch {
            ops: edit.ops.clone(),
            override_protection: edit.override_protection.unwrap_or(false),
            track_changes: edit.track_changes,
            ..Batch::default()
        };
        // A batch that does not apply is refused by the edit itself, with its own reason.
        let Ok(after) = app.workspace.dry_run_bytes(&edit.file_id, &batch, stop) else { return Ok(()) };
        let same = hidden(app, self.format, &after, &self.parts, stop)
            .is_ok_and(|after| after.iter().map(content).eq(self.hidden.iter().map(content)));
        if same {
            return Ok(());
        }
        let message = "The batch would change a part of the document that the user keeps out.";
        Err(AppError::new(ErrorCode::PathNotAllowed, message)
            .hint("Leave that part as it is, and tell the user which change was not made."))
    }

    /// Takes quotations of hidden text out of an error.
    pub fn clean(&self, mut error: AppError) -> AppError {
        error.matches.retain(|place| self.may_tell(place));
        let quotes_content = error.code == ErrorCode::PrefixMismatch;
        let least = if quotes_content { 1 } else { TELLING };
        if self.quotes(&error.message, least) {
            error.message = "The place is not as expected; its text is kept out by the user.".into();
        }
        if error.hint.as_deref().is_some_and(|hint| self.quotes(hint, least)) {
            error.hint = None;
        }
        error
    }

    /// Takes hidden places and texts out of the changes that a receipt tells, such as those of a restore.
    pub fn clean_receipt(&self, receipt: &mut Receipt) {
        let shown = |text: &Option<String>| text.as_deref().is_none_or(|text| !self.quotes(text, TELLING));
        receipt
            .changes
            .retain(|change| !self.hides(&change.location) && shown(&change.before) && shown(&change.after));
    }

    /// Whether a text quotes hidden content.
    pub fn quotes_hidden(&self, text: &str) -> bool {
        self.quotes(text, TELLING)
    }

    fn may_tell(&self, place: &Place) -> bool {
        !self.hides(&place.location) && !self.quotes(&place.text, TELLING)
    }

    fn hides(&self, place: &str) -> bool {
        let line = place.strip_prefix("line ").map(|number| format!("L{number}"));
        self.places.contains(line.as_deref().unwrap_or(place))
    }

    fn quotes(&self, text: &str, least: usize) -> bool {
        self.hidden.iter().map(|node| node.text.trim()).any(|hidden| {
            let beginning: String = hidden.chars().take(QUOTED).collect();
            beginning.chars().count() >= least && text.contains(&beginning)
        })
    }
}

/// What must stay the same of a hidden place; its address may move.
fn content(node: &Node) -> (&str, Option<&serde_json::Value>) {
    (node.text.as_str(), node.more.get("formula"))
}

/// The hidden nodes of a content, in its order.
fn hidden(
    app: &App,
    format: Format,
    bytes: &[u8],
    parts: &[Part],
    stop: &Stop,
) -> Result<Vec<Node>, AppError> {
    let limits = &app.options.limits;
    let request = OutlineRequest { range: None, budget: WHOLE_DOCUMENT };
    let is_stopped = || stop.is_set();
    let outline = documents::outline(format, bytes, &request, limits, &is_stopped)?;
    let slides = match format {
        Format::Pptx => documents::preview::slides::slide_list(bytes, limits, &is_stopped)?.slides,
        Format::Text | Format::Xlsx | Format::Docx => Vec::new(),
    };
    let order: Vec<u32> = slides.iter().map(|slide| slide.id).collect();
    let paths = section_paths(format, &outline);
    for part in parts {
        let found = match part {
            Part::Sheet(sheet) | Part::Range { sheet, .. } => {
                outline.nodes.iter().any(|node| sheet_of(&node.at).as_deref() == Some(sheet))
            }
            Part::Section(wanted) => paths.iter().any(|path| path.starts_with(wanted)),
            // A deleted slide took its text along.
            Part::Slide(_) | Part::Notes => true,
        };
        if !found {
            let message =
                "A part of this document that the user keeps out is no longer found under its name.";
            return Err(AppError::new(ErrorCode::PathNotAllowed, message)
                .hint("Ask the user to look at what the assistant may see of this document."));
        }
    }
    let keeps_sections = parts.iter().any(|part| matches!(part, Part::Section(_)));
    let nodes = outline.nodes.into_iter().zip(paths);
    let is_hidden = |node: &Node, path: &[String]| {
        // Nobody can tell to which section a text box, a note or a comment belongs.
        let floats =
            ["textbox", "footnote", "endnote", "comment"].iter().any(|word| node.at.starts_with(word));
        let beside = format == Format::Docx && keeps_sections && floats;
        beside || parts.iter().any(|part| part.holds(node, path, &order))
    };
    Ok(nodes.filter(|(node, path)| is_hidden(node, path)).map(|(node, _)| node).collect())
}

/// The headings above each node, outermost first.
fn section_paths(format: Format, outline: &Outline) -> Vec<Vec<String>> {
    match format {
        Format::Text => outline.nodes.iter().map(named_section).collect(),
        Format::Docx => {
            let mut above: Vec<(u64, String)> = Vec::new();
            let mut path = |node: &Node| {
                let in_body =
                    node.at.starts_with('p') || node.at.starts_with("t") && !node.at.starts_with("textbox");
                if !in_body {
                    return Vec::new();
                }
                if let Some(level) = node.more.get("level").and_then(serde_json::Value::as_u64)
                    && node.at.starts_with('p')
                {
                    above.retain(|(other, _)| *other < level);
                    above.push((level, node.text.trim().to_owned()));
                }
                above.iter().map(|(_, heading)| heading.clone()).collect()
            };
            outline.nodes.iter().map(&mut path).collect()
        }
        Format::Xlsx | Format::Pptx => vec![Vec::new(); outline.nodes.len()],
    }
}

fn named_section(node: &Node) -> Vec<String> {
    let path = node.more.get("section").and_then(serde_json::Value::as_str);
    path.map(|path| path.split(" > ").map(str::to_owned).collect()).unwrap_or_default()
}

impl Part {
    fn read(name: &str) -> Option<Part> {
        if name == "notes" {
            return Some(Part::Notes);
        }
        let (kind, value) = name.split_once(':')?;
        match kind {
            "sheet" => Some(Part::Sheet(value.to_owned())),
            "range" => {
                let sheet = sheet_of(value)?;
                let (rows, columns) = area_of(value)?;
                Some(Part::Range { sheet, rows, columns })
            }
            "slide" => value.parse().ok().map(Part::Slide),
            "section" => Some(Part::Section(value.split(" > ").map(str::to_owned).collect())),
            _ => None,
        }
    }

    fn holds(&self, node: &Node, path: &[String], order: &[u32]) -> bool {
        let slide = || {
            let number = node.more.get("slide").and_then(serde_json::Value::as_u64)?;
            order.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
        };
        match self {
            Part::Sheet(sheet) => node.kind != "name" && sheet_of(&node.at).as_ref() == Some(sheet),
            Part::Range { sheet, rows, columns } => {
                let area = area_of(&node.at);
                sheet_of(&node.at).as_ref() == Some(sheet)
                    && area.is_some_and(|(of_rows, of_columns)| {
                        meet(of_rows, *rows) && meet(of_columns, *columns)
                    })
            }
            Part::Slide(id) => slide() == Some(*id),
            Part::Notes => node.kind == "notes",
            Part::Section(wanted) => !wanted.is_empty() && path.starts_with(wanted),
        }
    }
}

fn meet(one: (u32, u32), other: (u32, u32)) -> bool {
    one.0 <= other.1 && other.0 <= one.1
}

/// The sheet of an address, without its quotes; an address without `!` is a sheet's own.
fn sheet_of(at: &str) -> Option<String> {
    let sheet = at.rsplit_once('!').map_or(at, |(sheet, _)| sheet);
    let plain = sheet.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    Some(plain.map_or_else(|| sheet.to_owned(), |quoted| quoted.replace("''", "'")))
}

/// Rows and columns of `Data!B2:D9`, `Data!B2` or the columns `Data!C:D`.
fn area_of(at: &str) -> Option<((u32, u32), (u32, u32))> {
    let (_, area) = at.rsplit_once('!')?;
    let (from, to) = area.split_once(':').unwrap_or((area, area));
    let (from, to) = (corner(from)?, corner(to)?);
    let rows = (from.0.unwrap_or(1), to.0.unwrap_or(u32::MAX));
    Some(((rows.0.min(rows.1), rows.0.max(rows.1)), (from.1.min(to.1), from.1.max(to.1))))
}

/// Row (when named) and column of `$B$2` or `C`.
fn corner(text: &str) -> Option<(Option<u32>, u32)> {
    let text = text.replace('$', "");
    let letters: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
    let digits = &text[letters.len()..];
    if letters.is_empty() || letters.len() > 3 {
        return None;
    }
    let value = |letter: u8| u32::from(letter.to_ascii_uppercase() - b'A') + 1;
    let column = letters.bytes().fold(0, |sum, letter| sum * 26 + value(letter));
    let row = if digits.is_empty() { None } else { Some(digits.parse().ok()?) };
    Some((row, column))
}

fn unknown(name: &str) -> AppError {
    AppError::invalid_arguments(format!("The settings keep out `{name}`, which names no part of a document."))
        .hint("Look at what the assistant may see of this document.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_and_addresses_compared() {
        assert_eq!(Part::read("slide:256"), Some(Part::Slide(256)));
        assert_eq!(Part::read("section:A > B"), Some(Part::Section(vec!["A".into(), "B".into()])));
        assert_eq!(
            Part::read("range:'My sheet'!B2:D9"),
            Some(Part::Range { sheet: "My sheet".into(), rows: (2, 9), columns: (2, 4) })
        );
        assert_eq!(Part::read("range:Data"), None);
        assert_eq!(Part::read("anything"), None);
        let cell = |at: &str| Node::new(at, "cell", "x");
        let column = Part::read("range:Data!C:D").unwrap();
        assert!(column.holds(&cell("Data!D900"), &[], &[]) && !column.holds(&cell("Data!E1"), &[], &[]));
        assert!(!column.holds(&cell("Other!D1"), &[], &[]));
        let sheet = Part::read("sheet:It's").unwrap();
        assert!(
            sheet.holds(&cell("'It''s'!A1"), &[], &[])
                && sheet.holds(&Node::new("'It''s'", "sheet", ""), &[], &[])
        );
    }
}
