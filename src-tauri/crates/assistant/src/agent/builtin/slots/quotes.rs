//! Quoted text in any of the quotes that people type: straight, curly, Chinese, guillemets, back-ticks.

use super::Captured;

/// Opening quotes with the characters that close them, the right one first.
const PAIRS: &[(char, &[char])] = &[
    ('"', &['"', '”', '“']),
    ('“', &['”', '"', '“']),
    ('”', &['”', '“', '"']),
    ('„', &['“', '”', '"']),
    ('＂', &['＂']),
    ('\'', &['\'']),
    ('‘', &['’', '\'']),
    ('’', &['’']),
    ('「', &['」']),
    ('『', &['』']),
    ('«', &['»']),
    ('»', &['«']),
    ('‹', &['›']),
    ('`', &['`']),
];

pub(super) fn is_quote(c: char) -> bool {
    PAIRS.iter().any(|(open, _)| *open == c)
}

pub(super) fn captured(text: String) -> Captured {
    Captured::Text { text, quoted: true }
}

/// The quoted text that begins at a position and where it ends; `None` when no quote opens here or none closes it.
pub fn quoted_at(text: &[char], at: usize) -> Option<(String, usize)> {
    let open = *text.get(at)?;
    let (_, closers) = PAIRS.iter().find(|(opener, _)| *opener == open)?;
    let is_letter = |c: char| c.is_alphanumeric() && !('\u{3400}'..='\u{9fff}').contains(&c);
    let is_apostrophe = matches!(open, '\'' | '’') && at > 0 && is_letter(text[at - 1]);
    if is_apostrophe {
        return None;
    }
    closers.iter().find_map(|close| until(text, at, open, *close))
}

fn until(text: &[char], at: usize, open: char, close: char) -> Option<(String, usize)> {
    let mut inside = String::new();
    let mut depth = 1;
    let mut next = at + 1;
    while next < text.len() {
        let c = text[next];
        let escaped =
            c == '\\' && matches!(text.get(next + 1), Some(after) if *after == close && open == close);
        if escaped {
            inside.push(close);
            next += 2;
            continue;
        }
        if c == close && closes(text, next, close) {
            depth -= 1;
            if depth == 0 {
                return Some((inside, next + 1));
            }
        } else if c == open {
            depth += 1;
        }
        inside.push(c);
        next += 1;
    }
    None
}

/// A single quote between two letters is an apostrophe.
fn closes(text: &[char], at: usize, close: char) -> bool {
    let is_single = matches!(close, '\'' | '’');
    !(is_single && text.get(at + 1).is_some_and(|next| next.is_ascii_alphanumeric()))
}
