//! Where a place of one content is in another content of the same document, as far as that is certain.
//!
//! Used when a file changed under a proposal: an operation that names a line, a paragraph, a slide or a cell may only go on if the
//! thing it names is still there unchanged, and then it gets the new number. What is not certain is a conflict, never a guess.

mod cells;

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use documents::{DocumentError, Format, Limits, Node, OutlineRequest, diff::DiffHunk, formats::text::decode};
use serde_json::{Map, Value};
use similar::{Algorithm, DiffOp};

use super::Stop;
use cells::Shifts;

const WHOLE_DOCUMENT: usize = 64 << 20;
const DIFF_TIME: Duration = Duration::from_secs(5);

/// Two contents of one document, seen as places.
pub(super) enum Places {
    Lines { hunks: Vec<DiffHunk>, old_count: usize, new_count: usize },
    Nodes { format: Format, old: Vec<Node>, new: Vec<Node>, moved: HashMap<String, String>, shifts: Shifts },
}

/// Why an operation cannot go on.
type Conflict = String;

impl Places {
    /// Compares the content that operations were made for with the present one.
    pub(super) fn between(
        format: Format,
        old: &[u8],
        new: &[u8],
        limits: &Limits,
        stop: &Stop,
    ) -> Result<Places, DocumentError> {
        if format == Format::Text {
            let (old, new) = (decode(old, limits)?, decode(new, limits)?);
            let hunks = documents::diff::diff(&old, &new).hunks;
            return Ok(Places::Lines { hunks, old_count: line_count(&old), new_count: line_count(&new) });
        }
        let nodes = |bytes: &[u8]| {
            let request = OutlineRequest { range: None, budget: WHOLE_DOCUMENT };
            documents::outline(format, bytes, &request, limits, &|| stop.is_set())
                .map(|outline| outline.nodes)
        };
        let (old, new) = (nodes(old)?, nodes(new)?);
        let (moved, shifts) = match format {
            Format::Xlsx => (HashMap::new(), Shifts::between(&old, &new)),
            _ => (moved_nodes(&old, &new), Shifts::default()),
        };
        Ok(Places::Nodes { format, old, new, moved, shifts })
    }

    /// The operation as it must be said for the new content.
    pub(super) fn place(&self, op: &Value) -> Result<Value, Conflict> {
        let Value::Object(fields) = op else { return Ok(op.clone()) };
        let mut placed = fields.clone();
        match self {
            Places::Lines { .. } => self.place_lines(&mut placed)?,
            Places::Nodes { format: Format::Docx, .. } => self.place_paragraphs(&mut placed)?,
            Places::Nodes { format: Format::Pptx, .. } => self.place_slides(&mut placed)?,
            Places::Nodes { old, new, shifts, .. } => cells::check(fields, old, new, shifts)?,
        }
        Ok(Value::Object(placed))
    }

    fn place_lines(&self, fields: &mut Map<String, Value>) -> Result<(), Conflict> {
        for key in ["line", "start_line", "end_line"] {
            if let Some(line) = number(fields, key) {
                let now = self.line(line).ok_or_else(|| format!("Line {line} is not the same any more."))?;
                fields.insert(key.into(), now.into());
            }
        }
        match (number(fields, "start_line"), number(fields, "end_line")) {
            (Some(first), Some(last)) if self.is_disturbed(first, last) => {
                Err(format!("Something was changed between the lines that are now {first} and {last}."))
            }
            _ => Ok(()),
        }
    }

    /// Whether lines came or went between two lines that are still there; the numbers are new ones.
    fn is_disturbed(&self, first: usize, last: usize) -> bool {
        let Places::Lines { hunks, .. } = self else { return false };
        hunks.iter().any(|hunk| first < hunk.after.first && hunk.after.first <= last)
    }

    fn line(&self, line: usize) -> Option<usize> {
        let Places::Lines { hunks, old_count, new_count } = self else { return Some(line) };
        if line > *old_count {
            // Behind the last line: the engine decides what that means, if the end is still the end.
            return (line - old_count).checked_add(*new_count);
        }
        let mut now = line;
        for hunk in hunks {
            let (first, gone) = (hunk.before.first, hunk.before.count);
            if line < first {
                break;
            }
            if line < first + gone {
                return None;
            }
            now = now + hunk.after.count - gone;
        }
        Some(now)
    }

    fn place_paragraphs(&self, fields: &mut Map<String, Value>) -> Result<(), Conflict> {
        for key in ["index", "at", "end"] {
            let Some(value) = fields.get(key) else { continue };
            let (address, is_number) = match value {
                Value::Number(number) => (format!("p{number}"), true),
                Value::String(address) => (address.clone(), false),
                _ => continue,
            };
            let Some(now) = self.node(&address)? else { continue };
            let value = match (is_number, now.strip_prefix('p').and_then(|digits| digits.parse::<u64>().ok()))
            {
                (true, Some(index)) => index.into(),
                (true, None) => return Err(format!("{address} is not a paragraph of the body any more.")),
                (false, _) => Value::from(now),
            };
            fields.insert(key.into(), value);
        }
        if let (Some(table), Some(row)) = (number(fields, "table"), number(fields, "row")) {
            self.unmoved(&format!("t{table}.r{row}."))?;
        }
        Ok(())
    }

    fn place_slides(&self, fields: &mut Map<String, Value>) -> Result<(), Conflict> {
        let Places::Nodes { old, new, .. } = self else { return Ok(()) };
        let slides = |nodes: &[Node]| nodes.iter().filter(|node| node.kind == "slide").count();
        if fields.contains_key("to") && slides(old) != slides(new) {
            return Err("Slides came or went, so the target position means another place now.".into());
        }
        let Some(slide) = number(fields, "slide") else { return Ok(()) };
        let Some(now) = self.node(&format!("s{slide}"))? else { return Ok(()) };
        let moved = now.strip_prefix('s').and_then(|digits| digits.parse::<u64>().ok());
        let moved = moved.ok_or_else(|| format!("Slide {slide} is not there any more."))?;
        let is_structural = fields
            .get("op")
            .and_then(Value::as_str)
            .is_some_and(|op| op.ends_with("_slide") && op != "pptx_replace_on_slide");
        if is_structural {
            self.same_below(&format!("s{slide}."), &format!("s{moved}."))?;
        }
        fields.insert("slide".into(), moved.into());
        Ok(())
    }

    /// Where a node is now; `None` when the old outline did not show it, so that only the engine can tell.
    fn node(&self, address: &str) -> Result<Option<String>, Conflict> {
        let Places::Nodes { old, moved, .. } = self else { return Ok(None) };
        match moved.get(address) {
            Some(now) => Ok(Some(now.clone())),
            None if old.iter().any(|node| node.at == address) => {
                Err(format!("{address} is not the same any more."))
            }
            None => Ok(None),
        }
    }

    fn unmoved(&self, prefix: &str) -> Result<(), Conflict> {
        self.same_below(prefix, prefix)
    }

    fn same_below(&self, old_prefix: &str, new_prefix: &str) -> Result<(), Conflict> {
        let Places::Nodes { old, new, .. } = self else { return Ok(()) };
        let below = |nodes: &[Node], prefix: &str| -> Vec<(String, String)> {
            let tail = |node: &Node| node.at.strip_prefix(prefix).map(|tail| (tail.to_owned(), key(node)));
            nodes.iter().filter_map(tail).collect()
        };
        match below(old, old_prefix) == below(new, new_prefix) {
            true => Ok(()),
            false => Err(format!("{} is not the same any more.", old_prefix.trim_end_matches('.'))),
        }
    }
}

fn number(fields: &Map<String, Value>, key: &str) -> Option<usize> {
    fields.get(key)?.as_u64().and_then(|number| usize::try_from(number).ok())
}

fn line_count(text: &str) -> usize {
    let endings = text.matches('\n').count() + text.matches('\r').count() - text.matches("\r\n").count();
    endings + usize::from(!text.is_empty() && !text.ends_with(['\n', '\r']))
}

/// What makes a place the same: its kind, its text and its formula.
fn key(node: &Node) -> String {
    let formula = node.more.get("formula").and_then(Value::as_str).unwrap_or_default();
    format!("{}\u{0}{}\u{0}{formula}", node.kind, node.text)
}

fn moved_nodes(old: &[Node], new: &[Node]) -> HashMap<String, String> {
    let keys = |nodes: &[Node]| nodes.iter().map(key).collect::<Vec<_>>();
    let deadline = Instant::now() + DIFF_TIME;
    let mut moved = HashMap::new();
    for op in similar::capture_diff_slices_deadline(Algorithm::Myers, &keys(old), &keys(new), Some(deadline))
    {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            let pairs = old.iter().skip(old_index).zip(new.iter().skip(new_index)).take(len);
            moved.extend(pairs.map(|(old, new)| (old.at.clone(), new.at.clone())));
        }
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lines(old: &str, new: &str) -> Places {
        Places::between(Format::Text, old.as_bytes(), new.as_bytes(), &Limits::default(), &Stop::default())
            .unwrap()
    }

    #[test]
    fn lines_move_with_what_came_and_went_above() {
        let places = lines("a\nb\nc\nd\n", "x\ny\na\nb\nd\n");
        let placed = |op| places.place(&op);
        assert_eq!(placed(json!({"op": "insert_lines", "line": 2, "text": "t"})).unwrap()["line"], 4);
        assert!(placed(json!({"op": "insert_lines", "line": 3, "text": "t"})).is_err(), "line 3 is gone");
        assert_eq!(placed(json!({"op": "insert_lines", "line": 4, "text": "t"})).unwrap()["line"], 5);
        assert_eq!(
            placed(json!({"op": "append_lines", "text": "t"})).unwrap(),
            json!({"op": "append_lines", "text": "t"})
        );
    }

    #[test]
    fn a_range_must_be_whole() {
        let replace = |first: usize, last: usize| json!({"op": "replace_lines", "start_line": first, "end_line": last, "text": "t"});
        let grown = lines("a\nb\nc\n", "a\nnew\nb\nc\n");
        assert!(grown.place(&replace(1, 2)).is_err());
        assert_eq!(grown.place(&replace(2, 3)).unwrap()["start_line"], 3);
        assert!(grown.place(&replace(1, 1)).is_ok());
        let shrunk = lines("a\nb\nc\nd\n", "a\nc\nd\n");
        assert!(shrunk.place(&replace(1, 3)).is_err());
        assert_eq!(shrunk.place(&replace(3, 4)).unwrap()["end_line"], 3);
    }

    #[test]
    fn line_counts() {
        assert_eq!(["", "a", "a\n", "a\r\nb", "a\rb\r", "\n\n"].map(line_count), [0, 1, 1, 2, 2, 2]);
    }
}
