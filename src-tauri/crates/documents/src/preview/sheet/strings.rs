//! The shared strings of a workbook: where each begins, its text when it is asked for.

use std::{borrow::Cow, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{colors::Palette, rows::attribute, truth};
use crate::{
    DocumentError,
    package::{
        Package, Relationships,
        xml::{Scanner, TokenKind, Xml, unescape},
    },
};

/// A piece of a text with a look of its own; what is not said is as in the cell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TextRun {
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub font: Option<String>,
    /// Points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// A run with properties says each of these itself (18.4.7); one without takes the cell's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bold: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub italic: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub underline: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strike: Option<bool>,
    /// `superscript` or `subscript`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vertical: Option<String>,
}

/// A text nests four elements deep; whatever is deeper than this is no text.
const DEEPEST: usize = 32;

/// The strings by index; a missing part has none.
#[derive(Default)]
pub(super) struct Strings {
    bytes: Arc<Vec<u8>>,
    prefix: String,
    starts: Vec<usize>,
    depth: usize,
    /// The part cannot be read; every string of it shows as the sign for that.
    is_unreadable: bool,
    palette: Option<Palette>,
}

impl Strings {
    /// Stands for a part that cannot be read.
    pub(super) fn unreadable() -> Strings {
        Strings { is_unreadable: true, ..Strings::default() }
    }

    pub(super) fn read(
        package: &Package<'_>,
        workbook: &Relationships,
        palette: Option<&Palette>,
    ) -> Result<Strings, DocumentError> {
        let Some(part) = workbook.part_of_kind("sharedStrings").filter(|part| package.has(part)) else {
            return Ok(Strings::default());
        };
        let mut bytes = package.require(&part)?;
        let limits = package.limits();
        if std::str::from_utf8(&bytes).is_err() || memchr::memchr(0, &bytes[..bytes.len().min(64)]).is_some()
        {
            bytes = Xml::parse(&bytes, limits).map_err(|error| error.in_part(&part))?.bytes().to_vec().into();
        }
        let mut scanner = Scanner::new(&bytes, limits.depth);
        let (mut prefix, mut starts, mut open) = (String::new(), Vec::new(), 0_usize);
        while let Some(token) = scanner.next_token().map_err(|error| error.in_part(&part))? {
            match token.kind {
                TokenKind::Start { empty } => {
                    if open == 0 {
                        let name = std::str::from_utf8(&bytes[token.name.clone()]).unwrap_or_default();
                        prefix = name.rfind(':').map_or(String::new(), |colon| name[..=colon].to_owned());
                    } else if open == 1 {
                        starts.push(token.span.start);
                    }
                    open += usize::from(!empty);
                }
                TokenKind::End => open -= 1,
                _ => {}
            }
        }
        Ok(Strings {
            bytes,
            prefix,
            starts,
            depth: limits.depth,
            is_unreadable: false,
            palette: palette.cloned(),
        })
    }

    /// The pieces of a shared string with several looks; `None` for one that is all of one look.
    pub(super) fn runs(&self, index: usize) -> Option<Vec<TextRun>> {
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied().unwrap_or(self.bytes.len());
        self.runs_in(&self.bytes[start..end], &self.prefix)
    }

    /// The same of a text's element (`si` or `is`) wherever it stands.
    pub(super) fn runs_in(&self, text: &[u8], prefix: &str) -> Option<Vec<TextRun>> {
        let opening = format!("<{prefix}r");
        let ends_name =
            |at: usize| matches!(text.get(at + opening.len()), Some(b'>' | b' ' | b'\t' | b'\r' | b'\n'));
        memchr::memmem::find_iter(text, opening.as_bytes()).find(|at| ends_name(*at))?;
        let (mut scanner, mut runs, mut open) = (Scanner::new(text, DEEPEST), Vec::new(), 0_usize);
        let (mut run, mut in_text, mut in_properties) = (None::<TextRun>, false, false);
        while let Ok(Some(token)) = scanner.next_token() {
            let name = &text[token.name.clone()];
            let local = name.strip_prefix(prefix.as_bytes()).unwrap_or(name);
            match token.kind {
                TokenKind::Start { empty } => {
                    match local {
                        b"r" if !empty => run = Some(TextRun::default()),
                        b"rPr" => {
                            in_properties = !empty;
                            if let Some(run) = &mut run {
                                run.says_all();
                            }
                        }
                        b"t" if !empty => in_text = run.is_some(),
                        _ if in_properties => {
                            if let Some(run) = &mut run {
                                run.take(local, &text[token.span.clone()], self.palette.as_ref());
                            }
                        }
                        _ => {}
                    }
                    open += usize::from(!empty);
                }
                TokenKind::End => {
                    open = open.saturating_sub(1);
                    match local {
                        b"r" => runs.extend(run.take()),
                        b"rPr" => in_properties = false,
                        b"t" => in_text = false,
                        _ => {}
                    }
                }
                TokenKind::Text | TokenKind::CData if in_text => {
                    if let Some(run) = &mut run {
                        run.text.push_str(&characters(&text[token.span], &token.kind));
                    }
                }
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        (runs.len() > 1 || runs.iter().any(|run| run.bold.is_some())).then_some(runs)
    }

    /// The text of a string without its phonetic reading; nothing for an index that does not exist.
    pub(super) fn text(&self, index: usize) -> String {
        if self.is_unreadable {
            return char::REPLACEMENT_CHARACTER.to_string();
        }
        let Some(start) = self.starts.get(index) else { return String::new() };
        let end = self.starts.get(index + 1).copied().unwrap_or(self.bytes.len());
        let text = &self.bytes[*start..end];
        let (mut scanner, mut shown, mut open) = (Scanner::new(text, self.depth), String::new(), 0_usize);
        let (mut in_text, mut phonetic) = (false, false);
        while let Ok(Some(token)) = scanner.next_token() {
            let name = &text[token.name.clone()];
            let local = name.strip_prefix(self.prefix.as_bytes()).unwrap_or(name);
            match token.kind {
                TokenKind::Start { empty } => {
                    in_text = local == b"t" && !empty && !phonetic;
                    phonetic |= local == b"rPh" && !empty;
                    open += usize::from(!empty);
                }
                TokenKind::End => {
                    open -= 1;
                    in_text = false;
                    phonetic &= local != b"rPh";
                }
                TokenKind::Text | TokenKind::CData if in_text => {
                    shown.push_str(&characters(&text[token.span], &token.kind));
                }
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        shown
    }
}

/// The characters of a text or CDATA token.
pub(super) fn characters<'t>(raw: &'t [u8], kind: &TokenKind) -> Cow<'t, str> {
    let raw = std::str::from_utf8(raw).unwrap_or_default();
    match kind {
        TokenKind::CData => Cow::Borrowed(&raw["<![CDATA[".len()..raw.len() - "]]>".len()]),
        _ => unescape(raw),
    }
}

impl TextRun {
    /// Properties that a run does not name are off, not the cell's.
    fn says_all(&mut self) {
        (self.bold, self.italic, self.underline, self.strike) =
            (Some(false), Some(false), Some(false), Some(false));
    }

    fn take(&mut self, property: &[u8], tag: &[u8], palette: Option<&Palette>) {
        let value = attribute(tag, "val");
        let on = || Some(value.as_deref().is_none_or(truth));
        match property {
            b"b" => self.bold = on(),
            b"i" => self.italic = on(),
            b"strike" => self.strike = on(),
            b"u" => self.underline = Some(value.as_deref() != Some("none")),
            b"rFont" => self.font = value,
            b"sz" => self.size = value.and_then(|size| size.parse().ok()),
            b"vertAlign" => self.vertical = value.filter(|word| word != "baseline"),
            b"color" => self.color = palette.and_then(|palette| palette.named(|name| attribute(tag, name))),
            _ => {}
        }
    }
}
