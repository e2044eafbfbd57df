//! Reads a whole message into commands, and says which parts were not understood.
//!
//! Commands may stand one after another, separated by punctuation, line ends or words such as "then" and 然后. It knows nothing of
//! documents but the names of the open files.

mod words;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

use super::pattern::{self, Captures, Node, Surroundings};
use super::rules::{PHRASES, Rule, Verb, rules};
use super::slots::{Captured, fold, skip_blanks};
use words::{CONNECTIVES, FILLERS, TRAILERS};

/// One understood command.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    pub verb: Verb,
    pub captures: Captures,
    /// The words it was read from.
    pub words: String,
}

/// A message, read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    pub commands: Vec<Command>,
    /// What was not understood, in the user's words.
    pub misses: Vec<String>,
}

/// Messages longer than this are not commands; pasted text would only be read at length.
const LONGEST_MESSAGE: usize = 20_000;

struct Compiled {
    rules: Vec<(&'static Rule, Vec<Vec<Node>>)>,
    phrases: Vec<Vec<Node>>,
}

static COMPILED: LazyLock<Compiled> = LazyLock::new(|| Compiled {
    rules: rules()
        .map(|rule| (rule, rule.patterns.iter().map(|source| pattern::compile(source)).collect()))
        .collect(),
    phrases: PHRASES.iter().map(|source| pattern::compile(source)).collect(),
});

/// Reads a message; `files` are the names of the open files.
pub fn read(message: &str, files: &[String]) -> Reading {
    let text: Vec<char> = message.chars().collect();
    if text.len() > LONGEST_MESSAGE {
        let start: String = text[..80].iter().collect();
        return Reading { commands: Vec::new(), misses: vec![start + "…"] };
    }
    let reader = Reader { text, files, begins: RefCell::default(), standing: RefCell::default() };
    reader.learn_beginnings();
    reader.read()
}

/// Each phrase that stands at a place: its rule, and what it caught.
type Standing = Rc<[(usize, Captures)]>;

struct Reader<'f> {
    text: Vec<char>,
    files: &'f [String],
    begins: RefCell<HashMap<usize, bool>>,
    /// Which phrases stand where: the same for every rule, and asked for by each.
    standing: RefCell<HashMap<usize, Standing>>,
}

impl Reader<'_> {
    /// Fills `begins` from the end, so that no look ahead nests deeply.
    fn learn_beginnings(&self) {
        for at in (1..self.text.len()).rev().filter(|at| is_separator(&self.text, at - 1)) {
            self.command_begins(at);
        }
    }

    fn read(&self) -> Reading {
        let mut reading = Reading::default();
        let mut at = self.skip_to_command(0);
        while at < self.text.len() {
            let end = match self.command_at(at) {
                Some((command, end)) => {
                    reading.commands.push(command);
                    end
                }
                None => {
                    let end = self.end_of_miss(at);
                    let words: String = self.text[at..end].iter().collect();
                    reading.misses.push(words.trim().to_string());
                    end
                }
            };
            at = self.skip_to_command(end.max(at + 1));
        }
        reading.misses.retain(|miss| miss.chars().any(char::is_alphanumeric));
        reading
    }

    fn command_at(&self, at: usize) -> Option<(Command, usize)> {
        COMPILED.rules.iter().find_map(|(rule, patterns)| {
            patterns.iter().find_map(|nodes| {
                let (end, captures) = pattern::matches(nodes, at, &Within { reader: self, rule })?;
                let words: String = self.text[at..end].iter().collect();
                let filled =
                    rule.required.iter().all(|slots| slots.split('|').any(|slot| captures.has(slot)));
                filled.then(|| (Command { verb: rule.verb, captures, words: words.trim().to_string() }, end))
            })
        })
    }

    /// Skips separators, blanks and words that carry nothing.
    fn skip_to_command(&self, mut at: usize) -> usize {
        loop {
            let start = at;
            while at < self.text.len() && (self.text[at].is_whitespace() || is_separator(&self.text, at)) {
                at += 1;
            }
            at = self.list_mark(at).unwrap_or(at);
            at = self.lastly(at).unwrap_or(at);
            at = FILLERS.iter().chain(TRAILERS).find_map(|word| self.word(at, word)).unwrap_or(at);
            if at == start {
                return at;
            }
        }
    }

    /// 最后 before the last of several commands; elsewhere it counts places: 最后一行.
    fn lastly(&self, at: usize) -> Option<usize> {
        let end = self.word(at, "最后")?;
        let next = self.text.get(skip_blanks(&self.text, end))?;
        matches!(next, '把' | '将' | '在' | '给' | '再' | '请' | '删' | '追').then_some(end)
    }

    /// Behind `1.`, `2)`, `-` or `•` at the start of a line: people number what they want done.
    fn list_mark(&self, at: usize) -> Option<usize> {
        let before = self.text[..at].iter().rev().find(|c| !matches!(c, ' ' | '\t'));
        if before.is_some_and(|c| *c != '\n') {
            return None;
        }
        let digits = self.text[at..].iter().take_while(|c| fold(**c).is_ascii_digit()).count();
        let sign = fold(*self.text.get(at + digits)?);
        let blank_after = self.text.get(at + digits + 1).is_some_and(|c| c.is_whitespace());
        let is_number =
            (1..=3).contains(&digits) && (matches!(sign, ')' | '、') || (sign == '.' && blank_after));
        let is_bullet = digits == 0 && matches!(sign, '-' | '*' | '•' | '·') && blank_after;
        (is_number || is_bullet).then_some(at + digits + 1)
    }

    fn word(&self, at: usize, word: &str) -> Option<usize> {
        let end = at + word.chars().count();
        let same =
            self.text.len() >= end && self.text[at..end].iter().zip(word.chars()).all(|(a, b)| fold(*a) == b);
        let is_latin = word.chars().next_back().is_some_and(|c| c.is_ascii_alphabetic());
        let cut = is_latin && self.text.get(end).is_some_and(char::is_ascii_alphanumeric);
        (same && !cut).then_some(end)
    }

    /// Up to the next separator behind which a command begins, else to the end of the line.
    fn end_of_miss(&self, at: usize) -> usize {
        let mut end = at;
        while end < self.text.len() && self.text[end] != '\n' {
            if is_separator(&self.text, end) && self.begins_at(end + 1) {
                return end;
            }
            end += 1;
        }
        end
    }

    fn begins_at(&self, at: usize) -> bool {
        if let Some(known) = self.begins.borrow().get(&at) {
            return *known;
        }
        // Guards against reading the same place again from inside itself.
        self.begins.borrow_mut().insert(at, false);
        let start = self.skip_to_command(at);
        let found = start < self.text.len() && self.command_at(start).is_some();
        self.begins.borrow_mut().insert(at, found);
        found
    }
}

fn is_separator(text: &[char], at: usize) -> bool {
    match fold(text[at]) {
        ',' | ';' | '\n' | '。' | '!' | '?' | '、' => true,
        '.' => text.get(at + 1).is_none_or(|next| next.is_whitespace()),
        _ => false,
    }
}

impl Surroundings for Reader<'_> {
    fn text(&self) -> &[char] {
        &self.text
    }

    fn files(&self) -> &[String] {
        self.files
    }

    fn command_begins(&self, at: usize) -> bool {
        self.begins_at(at)
    }

    fn phrases_at(&self, at: usize) -> Rc<[(usize, Captures)]> {
        if let Some(known) = self.standing.borrow().get(&at) {
            return Rc::clone(known);
        }
        let found = pattern::standing(&COMPILED.phrases, at, self);
        self.standing.borrow_mut().insert(at, Rc::clone(&found));
        found
    }

    fn allows(&self, _caught: &Captures) -> bool {
        true
    }

    fn closes(&self, at: usize) -> bool {
        if !self.may_end(at) {
            return false;
        }
        let at = skip_blanks(&self.text, at);
        let is_comma = self.text.get(at).is_some_and(|c| matches!(fold(*c), ',' | '、' | ';'));
        !is_comma || self.skip_to_command(at) >= self.text.len() || self.begins_at(at + 1)
    }

    fn may_end(&self, at: usize) -> bool {
        let mut at = skip_blanks(&self.text, at);
        while let Some(end) = TRAILERS.iter().find_map(|word| self.word(at, word)) {
            at = skip_blanks(&self.text, end);
        }
        let connected =
            || CONNECTIVES.iter().any(|word| self.word(at, word).is_some_and(|end| self.begins_at(end)));
        at >= self.text.len() || is_separator(&self.text, at) || connected()
    }
}

/// The reader while one rule is tried: only the phrases that the rule understands are offered.
struct Within<'r, 'f> {
    reader: &'r Reader<'f>,
    rule: &'static Rule,
}

impl Surroundings for Within<'_, '_> {
    fn text(&self) -> &[char] {
        self.reader.text()
    }

    fn files(&self) -> &[String] {
        self.reader.files()
    }

    fn command_begins(&self, at: usize) -> bool {
        self.reader.command_begins(at)
    }

    fn phrases_at(&self, at: usize) -> Rc<[(usize, Captures)]> {
        self.reader.phrases_at(at)
    }

    fn allows(&self, caught: &Captures) -> bool {
        caught
            .names()
            .all(|name| name == "file" || name.starts_with("kind_") || self.rule.allowed.contains(&name))
    }

    fn closes(&self, at: usize) -> bool {
        self.reader.closes(at)
    }

    fn may_end(&self, at: usize) -> bool {
        self.reader.may_end(at)
    }
}

impl Command {
    /// The text of a slot.
    pub fn text(&self, slot: &str) -> Option<&str> {
        match self.captures.get(slot)? {
            Captured::Text { text, .. } => Some(text),
            Captured::Flag
            | Captured::Place(_)
            | Captured::Ranges(_)
            | Captured::Unit(_)
            | Captured::Number(_)
            | Captured::Properties(_) => None,
        }
    }

    /// Whether a flag was said or a slot filled.
    pub fn has(&self, slot: &str) -> bool {
        self.captures.has(slot)
    }
}

#[cfg(test)]
#[path = "grammar/tests.rs"]
mod tests;
