//! Reads the visible text of one assistant message into its blocks: fences that may carry text for an operation, and Markdown
//! Diff blocks.
//!
//! It only finds and delimits; whether a fence fits an operation is said by `fences`, what a diff block does by `markdown_diff`.
//! Where a reader could see two different ends of a block, the block is marked and nobody uses it: guessing would cut a text short.

/// One block of a message, in the order of appearance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    Fence(Fence),
    Edit(EditBlock),
}

/// A fenced block of text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fence {
    /// The fence character, a backtick or a tilde, and how often the opening line repeats it.
    pub marker: (char, usize),
    /// The language word of the opening line, when there is one.
    pub language: Option<String>,
    /// `key=value` attributes of the opening line.
    pub attributes: Vec<(String, String)>,
    /// The lines between the fences, joined by LF, without the last line's ending.
    pub text: String,
    pub state: FenceState,
    /// Position among the lines of the message, 1-based.
    pub line: usize,
}

/// Whether the end of a fence is certain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FenceState {
    Closed,
    /// The message ended first.
    #[default]
    Unclosed,
    /// Another fence of the same marker without a language follows, so the first end may have been an inner fence.
    Ambiguous,
}

/// A Markdown Diff block (CONTRACT, section 7), parsed but not judged against any file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EditBlock {
    /// The file id (or path) after `edit:`.
    pub file: String,
    pub rev: Option<u64>,
    pub pairs: Vec<Pair>,
    pub closed: bool,
    /// Why the block cannot be used although it is closed.
    pub fault: Option<String>,
    /// The block as written, for showing.
    pub raw: String,
    pub line: usize,
}

/// One SEARCH/REPLACE pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub search: String,
    pub replace: String,
}

/// Finds all blocks of a message. Line endings may be LF, CRLF or CR.
pub fn blocks(message: &str) -> Vec<Block> {
    let lines = split_lines(message);
    let mut found = Vec::new();
    let mut next = 0;
    while next < lines.len() {
        let Some(opening) = Opening::read(lines[next]) else {
            next += 1;
            continue;
        };
        let (block, after) = match opening.info.strip_prefix("edit:") {
            Some(target) => edit_block(&lines, next, &opening, target),
            None => fence(&lines, next, &opening),
        };
        found.push(block);
        next = after;
    }
    mark_ambiguous(&mut found);
    found
}

fn split_lines(message: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = message;
    while let Some(end) = rest.find(['\n', '\r']) {
        lines.push(&rest[..end]);
        let width = if rest[end..].starts_with("\r\n") { 2 } else { 1 };
        rest = &rest[end + width..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// A line that opens a fence: up to three blanks, then three or more backticks or tildes (CommonMark 0.31, section 4.5).
struct Opening<'a> {
    indent: usize,
    marker: char,
    count: usize,
    info: &'a str,
}

impl<'a> Opening<'a> {
    fn read(line: &'a str) -> Option<Opening<'a>> {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let body = &line[indent..];
        let marker = body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let count = body.chars().take_while(|c| *c == marker).count();
        let info = body[count..].trim();
        // A backtick in the info string makes the line an inline code span.
        let is_span = marker == '`' && info.contains('`');
        (indent <= 3 && count >= 3 && !is_span).then_some(Opening { indent, marker, count, info })
    }

    /// What a line inside this fence means for its end.
    fn judge(&self, line: &str) -> Inner {
        match Opening::read(line) {
            Some(inner) if inner.marker == self.marker && inner.count == self.count => {
                if inner.info.is_empty() { Inner::Closes } else { Inner::Opens }
            }
            _ => Inner::Text,
        }
    }
}

enum Inner {
    Text,
    Opens,
    Closes,
}

fn fence(lines: &[&str], start: usize, opening: &Opening<'_>) -> (Block, usize) {
    let mut depth = 1;
    let mut end = start + 1;
    while end < lines.len() {
        match opening.judge(lines[end]) {
            Inner::Text => {}
            Inner::Opens => depth += 1,
            Inner::Closes => depth -= 1,
        }
        if depth == 0 {
            break;
        }
        end += 1;
    }
    let text: Vec<&str> = lines[start + 1..end].iter().map(|line| unindent(line, opening.indent)).collect();
    let (language, attributes) = info_words(opening.info);
    let fence = Fence {
        marker: (opening.marker, opening.count),
        language,
        attributes,
        text: text.join("\n"),
        state: if depth == 0 { FenceState::Closed } else { FenceState::Unclosed },
        line: start + 1,
    };
    (Block::Fence(fence), (end + 1).min(lines.len()))
}

fn unindent(line: &str, indent: usize) -> &str {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    &line[blanks.min(indent)..]
}

/// Splits `md file=file-02ea40ee title="a b"` into the language and the attributes.
fn info_words(info: &str) -> (Option<String>, Vec<(String, String)>) {
    let mut language = None;
    let mut attributes = Vec::new();
    let mut rest = info.trim_start();
    while !rest.is_empty() {
        let key_end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
        let (key, tail) = rest.split_at(key_end);
        let Some(value_part) = tail.strip_prefix('=') else {
            if language.is_none() && attributes.is_empty() {
                language = Some(key.to_string());
            }
            rest = tail.trim_start();
            continue;
        };
        let (value, after) = match value_part.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
            Some(parts) => parts,
            None => value_part.split_at(value_part.find(char::is_whitespace).unwrap_or(value_part.len())),
        };
        attributes.push((key.to_ascii_lowercase(), value.to_string()));
        rest = after.trim_start();
    }
    (language, attributes)
}

/// A bare fence line that opens a block after a closed one of the same marker: either may be the end of the other.
fn mark_ambiguous(blocks: &mut [Block]) {
    for later in (1..blocks.len()).rev() {
        let (before, from_here) = blocks.split_at_mut(later);
        let Some(Block::Fence(bare)) = from_here.first() else { continue };
        if bare.language.is_some() || !bare.attributes.is_empty() {
            continue;
        }
        let mut earlier = before.iter_mut().filter_map(|block| match block {
            Block::Fence(fence) if fence.marker == bare.marker && fence.state == FenceState::Closed => {
                Some(fence)
            }
            Block::Fence(_) | Block::Edit(_) => None,
        });
        if let Some(nearest) = earlier.next_back() {
            nearest.state = FenceState::Ambiguous;
            if let Some(Block::Fence(bare)) = from_here.first_mut()
                && bare.state == FenceState::Closed
            {
                bare.state = FenceState::Ambiguous;
            }
        }
    }
}

fn edit_block(lines: &[&str], start: usize, opening: &Opening<'_>, target: &str) -> (Block, usize) {
    let (file, rev, mut fault) = edit_target(target);
    let mut block = EditBlock { file, rev, line: start + 1, ..EditBlock::default() };
    let mut next = start + 1;
    while next < lines.len() {
        let line = lines[next];
        if matches!(opening.judge(line), Inner::Closes) {
            block.closed = true;
            next += 1;
            break;
        }
        match pair_marker(line, '<', "SEARCH") {
            Some(width) => match pair(lines, next + 1, width) {
                PairEnd::Whole { pair, after } => {
                    block.pairs.push(pair);
                    next = after;
                }
                PairEnd::Fault { message, after } => {
                    fault.get_or_insert(message);
                    next = after;
                }
                PairEnd::Missing => next = lines.len(),
            },
            None => {
                if !line.trim().is_empty() {
                    fault.get_or_insert_with(|| {
                        format!("line {} stands outside SEARCH and REPLACE", next + 1)
                    });
                }
                next += 1;
            }
        }
    }
    if block.closed && block.pairs.is_empty() {
        fault.get_or_insert_with(|| "the block holds no SEARCH/REPLACE pair".into());
    }
    block.fault = fault;
    block.raw = lines[start..next].join("\n");
    (Block::Edit(block), next)
}

/// Reads `file-02ea40ee rev:12`; a path may hold blanks.
fn edit_target(target: &str) -> (String, Option<u64>, Option<String>) {
    let Some((file, number)) = target.rsplit_once(" rev:") else {
        return (target.trim().to_string(), None, None);
    };
    match number.trim().parse() {
        Ok(rev) => (file.trim().to_string(), Some(rev), None),
        Err(_) => (file.trim().to_string(), None, Some(format!("`rev:{}` is not a number", number.trim()))),
    }
}

/// The width of a marker line such as `<<<<<<< SEARCH` (seven or more), else `None`.
fn pair_marker(line: &str, marker: char, word: &str) -> Option<usize> {
    let width = line.chars().take_while(|c| *c == marker).count();
    (width >= 7 && line[width..].trim() == word).then_some(width)
}

enum PairEnd {
    Whole { pair: Pair, after: usize },
    Fault { message: String, after: usize },
    Missing,
}

/// Reads one pair; a marker of the same width inside the content makes its ends uncertain, a wider outer marker avoids that.
fn pair(lines: &[&str], start: usize, width: usize) -> PairEnd {
    let is = |line: &str, marker, word| pair_marker(line, marker, word) == Some(width);
    let Some(end) = (start..lines.len()).find(|at| is(lines[*at], '>', "REPLACE")) else {
        return PairEnd::Missing;
    };
    let dividers: Vec<usize> = (start..end).filter(|at| is(lines[*at], '=', "")).collect();
    let nested = (start..end).find(|at| is(lines[*at], '<', "SEARCH"));
    let after = end + 1;
    match (dividers.as_slice(), nested) {
        (_, Some(nested)) => PairEnd::Fault {
            message: format!("line {} opens a SEARCH inside a SEARCH/REPLACE pair", nested + 1),
            after,
        },
        ([divider], None) => PairEnd::Whole {
            pair: Pair {
                search: lines[start..*divider].join("\n"),
                replace: lines[divider + 1..end].join("\n"),
            },
            after,
        },
        ([], None) => {
            PairEnd::Fault { message: format!("the pair that ends in line {after} has no `=======`"), after }
        }
        ([_, second, ..], None) => PairEnd::Fault {
            message: format!(
                "line {} is a second `=======` of the same width; use longer markers around such content",
                second + 1
            ),
            after,
        },
    }
}

#[cfg(test)]
#[path = "message/tests.rs"]
mod tests;
