//! Headings of Markdown by lines (CommonMark 0.31): ATX and setext, outside fences, HTML blocks, lists, quotes and front matter.
//!
//! A document of ordinary size is read by pulldown-cmark. A large one is scanned line by line, with as much of block structure as
//! telling headings needs: in memory that does not grow with it, and without the rarest corners (an HTML block of an unknown name, a
//! paragraph that goes on inside a list).

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::{
    buffer::{Buffer, Line},
    search::with_plain_ends,
};

/// A heading with its place in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heading {
    /// Number of its first line.
    pub line: usize,
    /// Number of the line after it.
    pub body: usize,
    pub level: usize,
    pub text: String,
    /// Offsets of its first line and of its body.
    pub start: usize,
    pub body_start: usize,
}

/// Documents up to here are read whole.
const READ_WHOLE: usize = 4 << 20;
/// What one line is read for; longer ones are no headings worth finding.
const LINE_BYTES: usize = 4096;

/// A setext heading is known by a line further down.
const LOOK_AHEAD: usize = 8;
/// Nobody's front matter is longer: a thematic break opened such a document.
const FRONT_MATTER_LINES: usize = 2_000;

/// HTML that ends at a blank line (CommonMark, 4.6, kind 6).
const HTML_BLOCKS: [&str; 62] = [
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];

/// The headings of a document, at least those up to a line.
pub(super) fn headings(buffer: &Buffer<'_>, up_to_line: usize) -> Vec<Heading> {
    match buffer.content().len() <= READ_WHOLE {
        true => read(buffer),
        false => scanned(buffer, up_to_line),
    }
}

/// The headings as CommonMark has them, which takes the whole text in memory more than once.
fn read(buffer: &Buffer<'_>) -> Vec<Heading> {
    let lines: Vec<Line> = buffer.lines_from(buffer.content().start).collect();
    let text = with_plain_ends(&buffer.text(buffer.content()));
    let body = &text[front_matter(&text)..];
    let (mut counted, mut number) = (0, text[..text.len() - body.len()].matches('\n').count() + 1);
    let (mut depth, mut found) = (0_usize, Vec::new());
    for (event, range) in Parser::new(body).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => depth = depth.saturating_sub(1),
            Event::Start(Tag::Heading { level, .. }) if depth == 0 && range.start >= counted => {
                number += body[counted..range.start].matches('\n').count();
                counted = range.start;
                let source = body[range].trim_end_matches('\n');
                let last = number + source.matches('\n').count();
                let (Some(first), Some(end)) = (lines.get(number - 1), lines.get(last - 1)) else { continue };
                found.push(Heading {
                    line: number,
                    body: last + 1,
                    level: level as usize,
                    text: heading_text(source),
                    start: first.start,
                    body_start: end.next,
                });
            }
            _ => {}
        }
    }
    found
}

/// What a heading says, as it is written.
fn heading_text(source: &str) -> String {
    match source.rsplit_once('\n') {
        None => atx(source.trim_start()).map_or(source.trim(), |(_, text)| text).to_owned(),
        Some((above, _)) => above.lines().map(str::trim).collect::<Vec<_>>().join(" "),
    }
}

/// The length of the front matter, its closing line included.
fn front_matter(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let opening = lines.next().unwrap_or_default();
    let Some(closing) = closing_of(opening) else { return 0 };
    let mut length = opening.len();
    for line in lines.take(FRONT_MATTER_LINES) {
        length += line.len();
        if closing.contains(&line.trim_end()) {
            return length;
        }
    }
    0
}

/// What closes the front matter that a line opens.
fn closing_of(opening: &str) -> Option<[&'static str; 2]> {
    match opening.trim_end() {
        "---" => Some(["---", "..."]),
        "+++" => Some(["+++", "+++"]),
        _ => None,
    }
}

fn scanned(buffer: &Buffer<'_>, up_to_line: usize) -> Vec<Heading> {
    let mut scan = Scan::default();
    let lines = buffer.lines_from(buffer.content().start);
    for (index, line) in lines.enumerate() {
        if index >= up_to_line.saturating_add(LOOK_AHEAD) && !matches!(scan.state, State::FrontMatter { .. })
        {
            break;
        }
        let shown = line.start..line.end.min(line.start + LINE_BYTES);
        scan.line(index + 1, line, &buffer.text(shown));
    }
    scan.reopen_front_matter();
    scan.found
}

/// The texts of the headings above one, and its own.
pub(super) fn path(all: &[Heading], index: usize) -> Vec<&str> {
    let mut level = all[index].level;
    let mut path = vec![all[index].text.as_str()];
    for heading in all[..index].iter().rev() {
        if heading.level < level {
            level = heading.level;
            path.push(&heading.text);
        }
    }
    path.reverse();
    path
}

/// Whether a heading is meant by its text, by its text with `#` in front, or by the end of a path `A > B`.
pub(super) fn answers_to(all: &[Heading], index: usize, wanted: &str) -> bool {
    let wanted = wanted.trim();
    let heading = &all[index];
    if heading.text == wanted
        || atx(wanted).is_some_and(|(level, text)| level == heading.level && text == heading.text)
    {
        return true;
    }
    let parts: Vec<&str> =
        wanted.split(" > ").map(|part| atx(part.trim()).map_or(part.trim(), |(_, text)| text)).collect();
    parts.len() > 1 && is_path(&path(all, index), &parts)
}

/// A path may leave out headings from the top and in between, but not the last one.
fn is_path(path: &[&str], parts: &[&str]) -> bool {
    if path.last() != parts.last() {
        return false;
    }
    let mut above = path[..path.len() - 1].iter();
    parts[..parts.len() - 1].iter().all(|part| above.any(|text| text == part))
}

/// The headings most like a text, best first.
pub(super) fn nearest(all: &[Heading], wanted: &str) -> Vec<usize> {
    let wanted = wanted.rsplit(" > ").next().unwrap_or(wanted).trim().trim_start_matches('#').trim();
    let mut ranked: Vec<(usize, usize)> = all
        .iter()
        .enumerate()
        .map(|(index, heading)| (super::nearest::text_likeness(wanted, &heading.text), index))
        .collect();
    ranked.retain(|(score, _)| *score >= 200);
    ranked.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    ranked.into_iter().take(3).map(|(_, index)| index).collect()
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Start,
    FrontMatter {
        closing: [&'static str; 2],
        undo: Vec<(usize, Line, String)>,
    },
    Blocks,
    Fence {
        mark: char,
        length: usize,
    },
    Html {
        until: &'static str,
    },
}

#[derive(Debug, Default)]
struct Scan {
    state: State,
    found: Vec<Heading>,
    /// First line of the paragraph under way, with its text so far.
    paragraph: Option<(usize, Line, String)>,
    /// Column of the content of the list item under way.
    list: Option<usize>,
}

impl Scan {
    fn line(&mut self, number: usize, line: Line, text: &str) {
        match &mut self.state {
            State::Start => match closing_of(text) {
                Some(closing) => {
                    self.state = State::FrontMatter { closing, undo: vec![(number, line, text.into())] }
                }
                None => {
                    self.state = State::Blocks;
                    self.block(number, line, text);
                }
            },
            State::FrontMatter { closing, undo } => {
                if closing.contains(&text.trim_end()) {
                    self.state = State::Blocks;
                } else {
                    undo.push((number, line, text.into()));
                    if undo.len() > FRONT_MATTER_LINES {
                        self.reopen_front_matter();
                    }
                }
            }
            State::Fence { mark, length } => {
                let inner = text.trim_start_matches(' ');
                let run = inner.chars().take_while(|character| character == mark).count();
                if run >= *length
                    && inner[run..].trim().is_empty()
                    && text.len() - inner.len() < 4 + self.list.unwrap_or(0)
                {
                    self.state = State::Blocks;
                }
            }
            State::Html { until } => {
                let is_over = if until.is_empty() {
                    text.trim().is_empty()
                } else {
                    text.to_ascii_lowercase().contains(*until)
                };
                if is_over {
                    self.state = State::Blocks;
                }
            }
            State::Blocks => self.block(number, line, text),
        }
    }

    /// Reads the lines of a front matter that nothing closes as what they are.
    fn reopen_front_matter(&mut self) {
        if let State::FrontMatter { undo, .. } = &mut self.state {
            let lines = std::mem::take(undo);
            self.state = State::Blocks;
            for (number, line, text) in lines {
                self.line(number, line, &text);
            }
        }
    }

    fn block(&mut self, number: usize, line: Line, text: &str) {
        let inner = text.trim_start_matches([' ', '\t']);
        let indent = text.len() - inner.len() + 3 * text[..text.len() - inner.len()].matches('\t').count();
        if inner.trim().is_empty() {
            self.paragraph = None;
            return;
        }
        let is_continued = self.paragraph.is_some();
        if self.list.is_some_and(|column| indent < column && !is_continued) {
            self.list = None;
        }
        if let Some((mark, length)) = fence(inner).filter(|_| indent < 4 || self.list.is_some()) {
            self.paragraph = None;
            self.state = State::Fence { mark, length };
            return;
        }
        if indent >= 4 && !is_continued {
            return;
        }
        if let Some(column) = list_item(inner) {
            self.list = Some(indent + column);
            self.paragraph = None;
            return;
        }
        if self.list.is_some_and(|column| indent >= column) || inner.starts_with('>') {
            self.paragraph = None;
            return;
        }
        if indent >= 4 {
            return self.continue_paragraph(inner);
        }
        self.top_level(number, line, inner);
    }

    fn top_level(&mut self, number: usize, line: Line, inner: &str) {
        if let Some((level, text)) = atx(inner) {
            self.paragraph = None;
            self.list = None;
            self.push(number, number + 1, level, text, line.start, line.next);
        } else if let Some(level) = underline(inner)
            && let Some((first, opening, text)) = self.paragraph.take()
        {
            self.push(first, number + 1, level, text.trim(), opening.start, line.next);
        } else if is_thematic_break(inner) {
            self.paragraph = None;
            self.list = None;
        } else if let Some(until) = html(inner).filter(|_| self.paragraph.is_none()) {
            let is_closed = !until.is_empty() && inner.to_ascii_lowercase().contains(until);
            if !is_closed {
                self.state = State::Html { until };
            }
        } else if self.paragraph.is_some() {
            self.continue_paragraph(inner);
        } else if self.list.is_none() {
            self.paragraph = Some((number, line, inner.trim_end().into()));
        }
    }

    fn continue_paragraph(&mut self, inner: &str) {
        if let Some((_, _, text)) = &mut self.paragraph
            && text.len() < LINE_BYTES
        {
            text.push(' ');
            text.push_str(inner.trim_end());
        }
    }

    fn push(&mut self, line: usize, body: usize, level: usize, text: &str, start: usize, body_start: usize) {
        self.found.push(Heading { line, body, level, text: text.into(), start, body_start });
    }
}

/// `# Heading #` (CommonMark, 4.2).
fn atx(inner: &str) -> Option<(usize, &str)> {
    let level = inner.bytes().take_while(|byte| *byte == b'#').count();
    let rest = &inner[level..];
    if !(1..=6).contains(&level) || !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
        return None;
    }
    let text = rest.trim();
    let closed = text.trim_end_matches('#');
    let is_closing_run = closed.is_empty() || closed.ends_with([' ', '\t']);
    Some((level, if is_closing_run { closed.trim_end() } else { text }))
}

/// The line below a setext heading (CommonMark, 4.3).
fn underline(inner: &str) -> Option<usize> {
    let text = inner.trim_end();
    let all = |mark: u8| !text.is_empty() && text.bytes().all(|byte| byte == mark);
    if all(b'=') { Some(1) } else { all(b'-').then_some(2) }
}

fn is_thematic_break(inner: &str) -> bool {
    let marks: Vec<char> = inner.chars().filter(|character| !character.is_whitespace()).collect();
    marks.len() >= 3 && "*-_".contains(marks[0]) && marks.iter().all(|mark| *mark == marks[0])
}

/// The mark and length of an opening fence (CommonMark, 4.5).
fn fence(inner: &str) -> Option<(char, usize)> {
    let mark = inner.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = inner.chars().take_while(|character| *character == mark).count();
    let is_inline_code = mark == '`' && inner[length..].contains('`');
    (length >= 3 && !is_inline_code).then_some((mark, length))
}

/// The column of a list item's content after its marker.
fn list_item(inner: &str) -> Option<usize> {
    if is_thematic_break(inner) {
        return None;
    }
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    let marker = match inner.as_bytes().get(digits)? {
        b'-' | b'+' | b'*' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = &inner[marker..];
    let blanks = rest.len() - rest.trim_start_matches(' ').len();
    let is_item = rest.trim().is_empty() || rest.starts_with([' ', '\t']);
    is_item.then_some(marker + if (1..=4).contains(&blanks) && !rest.trim().is_empty() { blanks } else { 1 })
}

/// What ends the HTML block that opens here; an empty string is a blank line.
fn html(inner: &str) -> Option<&'static str> {
    let lower = inner.to_ascii_lowercase();
    let openings = [
        ("<!--", "-->"),
        ("<?", "?>"),
        ("<![cdata[", "]]>"),
        ("<pre", "</pre>"),
        ("<script", "</script>"),
        ("<style", "</style>"),
        ("<textarea", "</textarea>"),
    ];
    if let Some((_, until)) = openings.iter().find(|(opening, _)| lower.starts_with(opening)) {
        return Some(until);
    }
    let name = lower.strip_prefix('<')?.trim_start_matches('/');
    let name = &name[..name.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(name.len())];
    HTML_BLOCKS.contains(&name).then_some("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::text::detect::detect;

    fn found(text: &str) -> Vec<(usize, usize, String)> {
        let buffer = Buffer::new(text.as_bytes(), detect(text.as_bytes()).unwrap());
        let told = |headings: Vec<Heading>| -> Vec<(usize, usize, String)> {
            headings.into_iter().map(|heading| (heading.line, heading.level, heading.text)).collect()
        };
        let (read, scanned) = (read(&buffer), scanned(&buffer, usize::MAX));
        assert_eq!(read, scanned, "{text}");
        told(read)
    }

    fn one(line: usize, level: usize, text: &str) -> Vec<(usize, usize, String)> {
        vec![(line, level, text.into())]
    }

    #[test]
    fn atx_and_setext() {
        assert_eq!(found("# A #\n"), one(1, 1, "A"));
        assert_eq!(found("###### C# \n"), one(1, 6, "C#"));
        assert_eq!(found("#hash\n####### seven\n"), []);
        assert_eq!(found("Two\nlines\n---\n"), one(1, 2, "Two lines"));
        assert_eq!(found("text\n\n---\n"), []);
        assert_eq!(found("    # code\n"), []);
    }

    #[test]
    fn not_inside_other_blocks() {
        assert_eq!(found("```\n# a\n```\n# b\n"), one(4, 1, "b"));
        assert_eq!(found("````\n```\n# a\n````\n# b\n"), one(5, 1, "b"));
        assert_eq!(found("~~~\n```\n# a\n~~~\n# b"), one(5, 1, "b"));
        assert_eq!(found("```\n# rest of file\n"), []);
        assert_eq!(found("---\n# t: 1\n---\n# b\n"), one(4, 1, "b"));
        assert_eq!(found("---\n# t: 1\n...\n# b\n"), one(4, 1, "b"));
        assert_eq!(found("<!--\n# a\n-->\n# b\n"), one(4, 1, "b"));
        assert_eq!(found("<div>\n# a\n\n# b\n"), one(4, 1, "b"));
        assert_eq!(found("- item\n---\n> quote\n---\n"), []);
        assert_eq!(found("- item\n\n  ```\n  # a\n  ```\n\n# b\n"), one(7, 1, "b"));
        assert_eq!(found("1. x\n\n   # in the list\n\n# b\n"), one(5, 1, "b"));
    }

    #[test]
    fn an_unclosed_front_matter_is_a_break() {
        assert_eq!(found("---\n\n# b\n"), one(3, 1, "b"));
    }
}
