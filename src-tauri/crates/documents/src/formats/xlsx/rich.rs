//! Text replaced inside rich strings: every run keeps its format, and the item that other cells may share is never touched.
//!
//! The result is an inline string (`is`, ECMA-376-1, 18.3.1.53) with the runs of the old item. Phonetic runs count characters of the
//! old text (18.4.6), so they go.

use std::ops::Range;

use super::{
    grid::lex,
    strings::{escape_string, local_name, string_text, unescape_string},
};
use crate::EditError;

/// One `t` of an item that is text and no reading aid.
struct Piece {
    span: Range<usize>,
    text: String,
}

/// Whether an item has runs of its own formats.
pub(super) fn has_runs(element: &[u8]) -> bool {
    let mut position = 0;
    while let Some(at) = memchr::memchr(b'<', &element[position..]) {
        let start = position + at;
        let Some(end) = lex::tag_end(element, start) else { return false };
        if local_name(element, start) == b"r" {
            return true;
        }
        position = end;
    }
    false
}

/// The `is` element that holds the item with ranges of its text replaced; `None` where its markup is not understood.
pub(super) fn replaced(
    element: &[u8],
    prefix: &str,
    ranges: &[Range<usize>],
    with: &str,
) -> Result<Option<String>, EditError> {
    let Some(pieces) = pieces(element) else { return Ok(None) };
    let whole: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    if whole != string_text(element) {
        return Ok(None);
    }
    let texts = new_texts(&pieces, ranges, with);
    write(element, prefix, &pieces, &texts)
}

fn pieces(element: &[u8]) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut position = 0;
    while let Some(at) = memchr::memchr(b'<', &element[position..]) {
        let start = position + at;
        let tag_end = lex::tag_end(element, start)?;
        position = match local_name(element, start) {
            b"t" => {
                let end = lex::skip(element, start, tag_end)?;
                let raw = lex::text(&element[lex::inner(element, start, tag_end, end)]);
                pieces.push(Piece { span: start..end, text: unescape_string(&raw).into_owned() });
                end
            }
            b"rPh" | b"phoneticPr" => lex::skip(element, start, tag_end)?,
            _ => tag_end,
        };
    }
    Some(pieces)
}

/// The new text of each piece that changes. What replaces a range goes where the range begins.
fn new_texts(pieces: &[Piece], ranges: &[Range<usize>], with: &str) -> Vec<Option<String>> {
    let mut begin = 0;
    let new_text = |piece: &Piece| {
        let (first, end) = (begin, begin + piece.text.len());
        begin = end;
        let touching: Vec<&Range<usize>> = ranges.iter().filter(|r| r.start < end && first < r.end).collect();
        if touching.is_empty() {
            return None;
        }
        let mut text = String::new();
        let mut copied = first;
        for range in touching {
            text.push_str(piece.text.get(copied - first..range.start.max(first) - first).unwrap_or_default());
            if range.start >= first {
                text.push_str(with);
            }
            copied = range.end.min(end);
        }
        text.push_str(piece.text.get(copied - first..).unwrap_or_default());
        Some(text)
    };
    pieces.iter().map(new_text).collect()
}

fn write(
    element: &[u8],
    prefix: &str,
    pieces: &[Piece],
    texts: &[Option<String>],
) -> Result<Option<String>, EditError> {
    let text_of = |range: Range<usize>| std::str::from_utf8(&element[range]).unwrap_or_default();
    let Some(mut position) = lex::tag_end(element, 0) else { return Ok(None) };
    let own = own_prefix(element);
    let mut out = format!("<{prefix}is>");
    let mut next = 0;
    while let Some(at) = memchr::memchr(b'<', &element[position..]) {
        let start = position + at;
        let Some(tag_end) = lex::tag_end(element, start) else { return Ok(None) };
        match local_name(element, start) {
            b"t" => {
                let Some(piece) = pieces.get(next) else { return Ok(None) };
                let raw = match &texts[next] {
                    Some(text) => escape_string(text)?,
                    None => text_of(lex::inner(element, start, tag_end, piece.span.end)).to_owned(),
                };
                out.push_str(&format!("<{prefix}t xml:space=\"preserve\">{raw}</{prefix}t>"));
                next += 1;
                position = piece.span.end;
            }
            b"rPh" | b"phoneticPr" => {
                let Some(end) = lex::skip(element, start, tag_end) else { return Ok(None) };
                position = end;
            }
            _ => {
                let tag = text_of(start..tag_end);
                let (open, rest) =
                    if let Some(rest) = tag.strip_prefix("</") { ("</", rest) } else { ("<", &tag[1..]) };
                if tag_end == element.len() && open == "</" {
                    break;
                }
                // Elements of another namespace would need its declaration in the sheet.
                let Some(bare) = rest.strip_prefix(own) else { return Ok(None) };
                let name = bare.find([' ', '\t', '\r', '\n', '>', '/']).map_or(bare, |end| &bare[..end]);
                if name.contains(':') || tag.starts_with("<!") || tag.starts_with("<?") {
                    return Ok(None);
                }
                out.push_str(&format!("{open}{prefix}{bare}"));
                position = tag_end;
            }
        }
    }
    out.push_str(&format!("</{prefix}is>"));
    Ok(Some(out))
}

/// The prefix of the item's own name, with its colon.
fn own_prefix(element: &[u8]) -> &str {
    let name = &element[1..];
    let end = name.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/'));
    let name = std::str::from_utf8(&name[..end.unwrap_or(0)]).unwrap_or_default();
    name.find(':').map_or("", |colon| &name[..=colon])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITEM: &str = "<si><r><t>Net </t></r><r><rPr><b/></rPr><t xml:space=\"preserve\">price &amp; </t></r><r><t>tax</t></r><rPh sb=\"0\" eb=\"1\"><t>x</t></rPh></si>";

    #[test]
    fn runs_keep_their_formats() {
        let new = replaced(ITEM.as_bytes(), "", std::slice::from_ref(&(4..9)), "cost").unwrap().unwrap();
        assert_eq!(
            new,
            "<is><r><t xml:space=\"preserve\">Net </t></r><r><rPr><b/></rPr><t xml:space=\"preserve\">cost &amp; </t></r><r><t xml:space=\"preserve\">tax</t></r></is>"
        );
    }

    #[test]
    fn a_range_over_several_runs_goes_into_the_first() {
        let new = replaced(ITEM.as_bytes(), "x:", std::slice::from_ref(&(2..14)), "<1>").unwrap().unwrap();
        assert_eq!(string_text(new.as_bytes()), "Ne<1>x");
        assert!(
            new.starts_with(
                "<x:is><x:r><x:t xml:space=\"preserve\">Ne&lt;1&gt;</x:t></x:r><x:r><x:rPr><x:b/></x:rPr>"
            ),
            "{new}"
        );
    }

    #[test]
    fn what_is_not_understood_is_left() {
        assert!(has_runs(ITEM.as_bytes()) && !has_runs(b"<si><t>a</t><rPh><t>b</t></rPh></si>"));
        let foreign = b"<si><r><rPr><y:glow/></rPr><t>ab</t></r></si>";
        assert_eq!(replaced(foreign, "", std::slice::from_ref(&(0..1)), "x").unwrap(), None);
    }
}
