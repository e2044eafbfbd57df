//! Markdown (CommonMark with tables, strike-through and task lists) as a flat row of blocks.

use pulldown_cmark::{Alignment, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use crate::{EditError, error::EditErrorKind};

/// How a piece of text is set off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Emphasis {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) strike: bool,
    pub(super) code: bool,
}

/// Where a piece of text leads, and what is shown while the pointer rests on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) target: String,
    pub(super) title: String,
}

/// A piece of text; line breaks are line feeds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Inline {
    pub(super) text: String,
    pub(super) emphasis: Emphasis,
    pub(super) link: Option<Link>,
}

/// What a paragraph is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Body,
    /// From 1.
    Heading(usize),
    Quote,
    Code,
    /// An item of the list with this number in `ListItem::list`, or a further paragraph of one.
    Item(Item),
    Rule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// Which list of the text, from 0: each counts for itself.
    pub(super) list: usize,
    pub(super) level: usize,
    /// The number that an ordered list begins with.
    pub(super) ordered: Option<u64>,
    /// A further paragraph of the same item bears no mark.
    pub(super) continues: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Align {
    None,
    Left,
    Center,
    Right,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    Paragraph {
        kind: Kind,
        inlines: Vec<Inline>,
    },
    /// The first row is the heading.
    Table {
        aligns: Vec<Align>,
        rows: Vec<Vec<Vec<Inline>>>,
    },
}

impl Block {
    /// The text for receipts.
    pub(super) fn text(&self) -> String {
        let joined =
            |inlines: &[Inline]| inlines.iter().map(|inline| inline.text.as_str()).collect::<String>();
        match self {
            Block::Paragraph { inlines, .. } => joined(inlines),
            Block::Table { rows, .. } => {
                let row = |cells: &Vec<Vec<Inline>>| {
                    cells.iter().map(|cell| joined(cell)).collect::<Vec<_>>().join(" | ")
                };
                rows.iter().map(row).collect::<Vec<_>>().join("\n")
            }
        }
    }
}

/// A table row by row while it is read.
#[derive(Default)]
struct OpenTable {
    aligns: Vec<Align>,
    rows: Vec<Vec<Vec<Inline>>>,
}

/// What a text holds.
#[derive(Debug)]
pub(super) struct Markdown {
    pub(super) blocks: Vec<Block>,
    /// HTML comments, which show nothing and are left out.
    pub(super) comments: usize,
}

/// Reads the text, or says what it holds that is not inserted.
pub(super) fn read(text: &str) -> Result<Markdown, EditError> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let mut reader = Reader::default();
    for event in Parser::new_ext(text, options) {
        reader.event(event)?;
    }
    reader.end_paragraph();
    Ok(Markdown { blocks: reader.blocks, comments: reader.comments })
}

#[derive(Default)]
struct Reader {
    blocks: Vec<Block>,
    inlines: Vec<Inline>,
    /// What the open paragraph is, when one is open.
    open: Option<Kind>,
    bold: usize,
    italic: usize,
    strike: usize,
    links: Vec<Option<Link>>,
    quotes: usize,
    /// Lists around, with their number and first count.
    lists: Vec<(usize, Option<u64>)>,
    list_count: usize,
    /// Whether the item at each depth has shown its mark.
    marked: Vec<bool>,
    code: bool,
    table: Option<OpenTable>,
    /// HTML comments that were met.
    comments: usize,
    /// The lines of an open HTML block.
    html_block: Option<String>,
}

fn refused(what: &str) -> EditError {
    EditError::new(
        EditErrorKind::WouldDamage,
        format!("The Markdown text holds {what}, which is not inserted."),
    )
    .hint("Leave it out, or put its content into the text.")
}

impl Reader {
    fn event(&mut self, event: Event<'_>) -> Result<(), EditError> {
        match event {
            Event::Start(tag) => self.start(tag)?,
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text, self.code),
            Event::Code(text) => self.text(&text, true),
            Event::SoftBreak => self.text(" ", false),
            Event::HardBreak => self.text("\n", false),
            Event::Rule => {
                self.end_paragraph();
                self.blocks.push(Block::Paragraph { kind: Kind::Rule, inlines: Vec::new() });
            }
            Event::TaskListMarker(done) => self.text(if done { "☒ " } else { "☐ " }, false),
            Event::InlineHtml(html) | Event::Html(html) => match &mut self.html_block {
                Some(block) => block.push_str(&html),
                None => self.html(&html),
            },
            Event::FootnoteReference(_) => return Err(refused("a footnote")),
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text, true),
        }
        Ok(())
    }

    fn start(&mut self, tag: Tag<'_>) -> Result<(), EditError> {
        match tag {
            Tag::Heading { .. } if self.is_unmarked() => {
                // A heading that begins an item is its text: a paragraph has one style only.
                self.bold += 1;
                self.open_default();
            }
            Tag::Heading { level, .. } => self.begin(Kind::Heading(number(level))),
            Tag::BlockQuote(_) => {
                self.end_paragraph();
                self.quotes += 1;
            }
            Tag::HtmlBlock => self.html_block = Some(String::new()),
            // The language is no text of the document.
            Tag::CodeBlock(_) => {
                self.code = true;
                match self.is_unmarked() {
                    true => self.open_default(),
                    false => self.begin(Kind::Code),
                }
            }
            Tag::List(first) => {
                self.end_paragraph();
                self.lists.push((self.list_count, first));
                self.list_count += 1;
            }
            Tag::Item => {
                self.end_paragraph();
                self.marked.push(false);
            }
            Tag::Table(aligns) => {
                self.end_paragraph();
                let align = |align: &Alignment| match align {
                    Alignment::None => Align::None,
                    Alignment::Left => Align::Left,
                    Alignment::Center => Align::Center,
                    Alignment::Right => Align::Right,
                };
                self.table = Some(OpenTable { aligns: aligns.iter().map(align).collect(), rows: Vec::new() });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::Emphasis => self.italic += 1,
            Tag::Strong => self.bold += 1,
            Tag::Strikethrough => self.strike += 1,
            Tag::Link { link_type, dest_url, title, .. } => {
                let target = match link_type {
                    LinkType::Email => format!("mailto:{dest_url}"),
                    _ => safe_link(&dest_url)?,
                };
                // A link that leads nowhere is only its text.
                let link = Link { target, title: title.to_string() };
                self.links.push(Some(link).filter(|link| !link.target.is_empty()));
            }
            Tag::Image { .. } => return Err(refused("an image")),
            Tag::FootnoteDefinition(_) => return Err(refused("a footnote")),
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                if matches!(self.open, Some(Kind::Item(_))) {
                    self.bold -= 1;
                }
                self.end_paragraph();
            }
            TagEnd::Paragraph => self.end_paragraph(),
            TagEnd::HtmlBlock => {
                let block = self.html_block.take().unwrap_or_default();
                self.html(block.trim_end_matches('\n'));
                self.end_paragraph();
            }
            TagEnd::BlockQuote(_) => {
                self.end_paragraph();
                self.quotes -= 1;
            }
            TagEnd::CodeBlock => {
                self.code = false;
                self.drop_last_line_end();
                self.end_paragraph();
            }
            TagEnd::List(_) => {
                self.end_paragraph();
                self.lists.pop();
            }
            TagEnd::Item => {
                // An empty item still shows its mark.
                if self.marked.last() == Some(&false) {
                    self.open_default();
                }
                self.end_paragraph();
                self.marked.pop();
            }
            TagEnd::TableCell => {
                let inlines = std::mem::take(&mut self.inlines);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(inlines);
                }
            }
            TagEnd::Table => {
                if let Some(OpenTable { aligns, rows }) = self.table.take() {
                    self.blocks.push(Block::Table { aligns, rows });
                }
            }
            TagEnd::Emphasis => self.italic -= 1,
            TagEnd::Strong => self.bold -= 1,
            TagEnd::Strikethrough => self.strike -= 1,
            TagEnd::Link => drop(self.links.pop()),
            _ => {}
        }
    }

    /// Whether an item has begun and shown nothing yet.
    fn is_unmarked(&self) -> bool {
        self.open.is_none() && self.marked.last() == Some(&false)
    }

    /// The last line of a block of lines ends with it.
    fn drop_last_line_end(&mut self) {
        if let Some(last) = self.inlines.last_mut() {
            last.text.truncate(last.text.trim_end_matches('\n').len());
        }
    }

    fn begin(&mut self, kind: Kind) {
        self.end_paragraph();
        self.open = Some(kind);
    }

    /// Opens what a paragraph is where it stands: an item, a quotation, or body text.
    fn open_default(&mut self) {
        if self.open.is_some() {
            return;
        }
        let kind = match (self.lists.last(), self.marked.last_mut()) {
            (Some((list, ordered)), Some(marked)) => {
                let continues = std::mem::replace(marked, true);
                let level = self.lists.len() - 1;
                Kind::Item(Item { list: *list, level, ordered: *ordered, continues })
            }
            _ if self.quotes > 0 => Kind::Quote,
            _ => Kind::Body,
        };
        self.open = Some(kind);
    }

    fn text(&mut self, text: &str, code: bool) {
        if self.table.is_none() {
            self.open_default();
        }
        let emphasis =
            Emphasis { bold: self.bold > 0, italic: self.italic > 0, strike: self.strike > 0, code };
        let link = self.links.last().cloned().flatten();
        match self.inlines.last_mut() {
            Some(last) if last.emphasis == emphasis && last.link == link => last.text.push_str(text),
            _ => self.inlines.push(Inline { text: text.to_owned(), emphasis, link }),
        }
    }

    /// `<br>` is a line break and comments are not shown, which is told; other HTML stays as it is written.
    fn html(&mut self, html: &str) {
        let bare: String = html.chars().filter(|character| !character.is_whitespace()).collect();
        match bare.to_ascii_lowercase().as_str() {
            "<br>" | "<br/>" => self.text("\n", false),
            comment if comment.starts_with("<!--") && comment.ends_with("-->") => self.comments += 1,
            _ => self.text(html, false),
        }
    }

    fn end_paragraph(&mut self) {
        if let Some(kind) = self.open.take() {
            let inlines = std::mem::take(&mut self.inlines);
            self.blocks.push(Block::Paragraph { kind, inlines });
        }
    }
}

fn number(level: HeadingLevel) -> usize {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// Links that could run something are not written into a document.
fn safe_link(target: &str) -> Result<String, EditError> {
    let scheme = target.split_once(':').map(|(scheme, _)| scheme.trim().to_ascii_lowercase());
    match scheme.as_deref() {
        Some("javascript" | "vbscript" | "data") => Err(refused("a link that runs a script")),
        _ => Ok(as_reference(target)),
    }
}

/// A target as a relationship may hold it: what no URI can hold is percent-encoded (RFC 3986, 2.1; RFC 3987 keeps other scripts).
fn as_reference(target: &str) -> String {
    let is_allowed = |character: char| {
        !(character.is_whitespace() || character.is_control() || "<>\"{}|\\^`".contains(character))
    };
    let mut reference = String::new();
    for character in target.chars() {
        match is_allowed(character) {
            true => reference.push(character),
            false => {
                let mut bytes = [0; 4];
                for byte in character.encode_utf8(&mut bytes).bytes() {
                    reference.push_str(&format!("%{byte:02X}"));
                }
            }
        }
    }
    reference
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<Kind> {
        let kind = |block: Block| match block {
            Block::Paragraph { kind, .. } => kind,
            Block::Table { .. } => Kind::Rule,
        };
        read(text).map(|text| text.blocks.into_iter().map(kind).collect()).unwrap_or_default()
    }

    #[test]
    fn lists_know_their_level_and_their_own_count() {
        let item = |list, level, ordered, continues| Kind::Item(Item { list, level, ordered, continues });
        assert_eq!(
            kinds("- a\n  1. b\n  2. c\n\n  more\n- d\n\ntext\n\n5. e"),
            [
                item(0, 0, None, false),
                item(1, 1, Some(1), false),
                item(1, 1, Some(1), false),
                item(0, 0, None, true),
                item(0, 0, None, false),
                Kind::Body,
                item(2, 0, Some(5), false),
            ]
        );
    }

    #[test]
    fn what_is_not_inserted_is_refused() {
        for text in ["![x](y.png)", "a[^1]\n\n[^1]: note", "[x](javascript:alert(1))"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(
            kinds("# A\n\n> q\n\n```rs\nx\n```\n---\n\nb"),
            [Kind::Heading(1), Kind::Quote, Kind::Code, Kind::Rule, Kind::Body]
        );
    }
}
