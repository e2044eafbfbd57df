//! What the built-in model learns of a document by reading it: how long it is, which sheets and tables it has.

use std::collections::BTreeMap;

use serde_json::Value;

/// Counts and names gathered from outline nodes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// Lines of a text.
    pub lines: usize,
    /// Top-level paragraphs of a Word document.
    pub paragraphs: usize,
    pub slides: usize,
    /// Rows of each table of a Word document, by the table's number.
    pub table_rows: BTreeMap<usize, usize>,
    /// Sheets in order, with the last row that holds a cell.
    pub sheets: Vec<(String, usize)>,
    /// What lines, paragraphs or slides say, by their number.
    pub texts: BTreeMap<usize, String>,
    pub titles: BTreeMap<usize, String>,
    pub notes: BTreeMap<usize, String>,
    /// Column letters and texts of each row, by sheet and row.
    pub rows: BTreeMap<(String, usize), Vec<(String, String)>>,
    /// Whether the whole document was read.
    pub complete: bool,
}

impl Facts {
    /// Adds the nodes of one answer of `file_read`.
    pub fn learn(&mut self, outline: &Value) {
        for node in outline.get("nodes").and_then(Value::as_array).into_iter().flatten() {
            self.learn_node(node);
        }
        self.complete = outline.get("truncated").and_then(Value::as_bool) == Some(false);
    }

    fn learn_node(&mut self, node: &Value) {
        let at = node.get("at").and_then(Value::as_str).unwrap_or_default();
        let kind = node.get("kind").and_then(Value::as_str).unwrap_or_default();
        let text = node.get("text").and_then(Value::as_str).unwrap_or_default();
        match kind {
            "line" => {
                raise(&mut self.lines, numbered(at, 'L'));
                self.says(numbered(at, 'L'), text);
            }
            "slide" => {
                raise(&mut self.slides, numbered(at, 's'));
                if let Some(slide) = numbered(at, 's') {
                    self.titles.insert(slide, text.to_string());
                }
            }
            "sheet" => {
                let name = node.get("sheet").and_then(Value::as_str).unwrap_or(text);
                self.sheet(if name.is_empty() { at } else { name });
            }
            "cell" => self.learn_cell(node, at, text),
            _ if at.starts_with('s') => self.learn_on_slide(at, kind, text),
            _ => {
                raise(&mut self.paragraphs, numbered(at, 'p'));
                self.says(numbered(at, 'p'), text);
                if let Some((table, row)) = table_row(at) {
                    raise(self.table_rows.entry(table).or_default(), row);
                }
            }
        }
    }

    fn learn_cell(&mut self, node: &Value, at: &str, text: &str) {
        let sheet = node.get("sheet").and_then(Value::as_str).unwrap_or_default().to_string();
        let cell = at.rsplit('!').next().unwrap_or_default().replace('$', "");
        let row = row_of_cell(&cell);
        raise(self.sheet(&sheet), row);
        if let Some(row) = row {
            let column = cell.trim_end_matches(|c: char| c.is_ascii_digit()).to_string();
            self.rows.entry((sheet, row)).or_default().push((column, text.to_string()));
        }
    }

    /// A shape, cell or the notes of a slide: `s2.shape5`, `s2.notes`.
    fn learn_on_slide(&mut self, at: &str, kind: &str, text: &str) {
        let Some(slide) = at.split('.').next().and_then(|slide| numbered(slide, 's')) else { return };
        if kind == "notes" {
            self.notes.insert(slide, text.to_string());
        } else {
            self.says(Some(slide), text);
        }
    }

    fn says(&mut self, number: Option<usize>, text: &str) {
        let Some(number) = number else { return };
        let known = self.texts.entry(number).or_default();
        if !known.is_empty() {
            known.push('\n');
        }
        known.push_str(text);
    }

    fn sheet(&mut self, name: &str) -> &mut usize {
        let index = self.sheets.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
            self.sheets.push((name.to_string(), 0));
            self.sheets.len() - 1
        });
        &mut self.sheets[index].1
    }
}

fn raise(count: &mut usize, seen: Option<usize>) {
    *count = (*count).max(seen.unwrap_or(0));
}

/// `12` of `L12`; nothing for `p12.x` or another letter.
fn numbered(at: &str, letter: char) -> Option<usize> {
    at.strip_prefix(letter)?.parse().ok()
}

fn row_of_cell(cell: &str) -> Option<usize> {
    cell.trim_start_matches(|c: char| c.is_ascii_alphabetic() || c == '$').parse().ok()
}

/// Table and row of `t1.r2.c3.p1`; the row is missing in `t1`.
fn table_row(at: &str) -> Option<(usize, Option<usize>)> {
    let mut steps = at.split('.');
    let table = numbered(steps.next()?, 't')?;
    Some((table, steps.next().and_then(|step| numbered(step, 'r'))))
}
