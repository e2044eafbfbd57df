//! A small pattern language for plain commands, and its matcher.
//!
//! `(a|b)` alternatives, `[x]` optional, `{name:kind}` a slot, `{=flag}` a mark without text; everything else is literal. Blanks
//! are insignificant, letters compare without case, full-width characters as their plain forms. Not a general grammar tool.

use std::rc::Rc;

use super::slots::{self, Captured};

/// One element of a compiled pattern.
#[derive(Debug, Clone)]
pub enum Node {
    Literal(Vec<char>),
    Slot { name: &'static str, kind: &'static str },
    Flag(&'static str),
    Optional(Vec<Node>),
    Either(Vec<Vec<Node>>),
}

/// Compiles a pattern; patterns are constants of this crate, and a test compiles them all.
pub fn compile(source: &'static str) -> Vec<Node> {
    let mut rest = source;
    sequence(&mut rest)
}

fn sequence(rest: &mut &'static str) -> Vec<Node> {
    let mut nodes = Vec::new();
    loop {
        *rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return nodes };
        match first {
            ']' | ')' | '|' => return nodes,
            '[' => {
                *rest = &rest[1..];
                nodes.push(Node::Optional(alternatives(rest)));
            }
            '(' => {
                *rest = &rest[1..];
                nodes.extend(alternatives(rest));
            }
            '{' => {
                let (slot, after) = rest[1..].split_once('}').unwrap_or((&rest[1..], ""));
                *rest = after;
                nodes.push(slot_node(slot));
            }
            _ => {
                let end = rest
                    .find(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | '(' | ')' | '|' | '{'))
                    .unwrap_or(rest.len());
                nodes.push(Node::Literal(rest[..end].chars().map(slots::fold).collect()));
                *rest = &rest[end..];
            }
        }
    }
}

/// Reads `a|b|c` up to the closing bracket.
fn alternatives(rest: &mut &'static str) -> Vec<Node> {
    let mut branches = vec![sequence(rest)];
    while let Some(after) = rest.strip_prefix('|') {
        *rest = after;
        branches.push(sequence(rest));
    }
    *rest = rest.strip_prefix([']', ')']).unwrap_or(rest);
    if branches.len() == 1 { branches.remove(0) } else { vec![Node::Either(branches)] }
}

fn slot_node(slot: &'static str) -> Node {
    match (slot.strip_prefix('='), slot.split_once(':')) {
        (Some(flag), _) => Node::Flag(flag),
        (None, Some((name, kind))) => Node::Slot { name, kind },
        (None, None) => Node::Slot { name: slot, kind: slot },
    }
}

/// What a match has caught, by slot name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Captures {
    pairs: Vec<(&'static str, Captured)>,
}

impl Captures {
    pub fn get(&self, name: &str) -> Option<&Captured> {
        self.pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub fn set(&mut self, name: &'static str, value: Captured) {
        self.pairs.push((name, value));
    }

    /// The names of all slots and flags that were caught.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.pairs.iter().map(|(name, _)| *name)
    }

    /// Adds what another match has caught, unless a name is taken already.
    fn merged(&self, other: &Captures) -> Option<Captures> {
        if other.pairs.iter().any(|(name, _)| self.has(name)) {
            return None;
        }
        let mut all = self.clone();
        all.pairs.extend(other.pairs.iter().cloned());
        Some(all)
    }
}

/// What the matcher needs to know of its surroundings.
pub trait Surroundings {
    /// The message, one character each.
    fn text(&self) -> &[char];
    /// Names that a `file` slot may be.
    fn files(&self) -> &[String];
    /// Whether another command begins at a position: unquoted text ends there.
    fn command_begins(&self, at: usize) -> bool;
    /// The phrases that stand at a position and may do so between any two elements: which file, sheet, slide, with what style.
    fn phrases_at(&self, at: usize) -> Rc<[(usize, Captures)]>;
    /// Whether a phrase that caught this may be used here.
    fn allows(&self, caught: &Captures) -> bool;
    /// Whether nothing of a text's own follows a closing quote here, not even after a comma.
    fn closes(&self, at: usize) -> bool;
    /// Whether a command may end at a position.
    fn may_end(&self, at: usize) -> bool;
}

/// A list of node slices yet to be matched.
#[derive(Clone, Copy)]
struct Todo<'a> {
    nodes: &'a [Node],
    next: Option<&'a Todo<'a>>,
}

impl Todo<'_> {
    fn is_done(&self) -> bool {
        self.nodes.is_empty() && self.next.is_none_or(Todo::is_done)
    }
}

/// Whether one of the phrases that are understood here stands at a position.
pub fn phrase_at(at: usize, around: &dyn Surroundings) -> bool {
    around.phrases_at(at).iter().any(|(_, caught)| around.allows(caught))
}

/// The phrases of a list that stand at a position, with where each ends.
pub fn standing(phrases: &[Vec<Node>], at: usize, around: &dyn Surroundings) -> Rc<[(usize, Captures)]> {
    let inner = Matcher { around, floating: false };
    let found = phrases
        .iter()
        .filter_map(|phrase| inner.straight(Todo { nodes: phrase, next: None }, at, &Captures::default()));
    found.filter(|(end, _)| *end > at).collect()
}

/// Matches a pattern at a position so that a command may end after it; floating phrases are allowed between its elements.
pub fn matches(pattern: &[Node], at: usize, around: &dyn Surroundings) -> Option<(usize, Captures)> {
    let todo = Todo { nodes: pattern, next: None };
    Matcher { around, floating: true }.walk(todo, at, &Captures::default())
}

struct Matcher<'s> {
    around: &'s dyn Surroundings,
    /// Whether floating phrases are tried; off inside such a phrase.
    floating: bool,
}

impl Matcher<'_> {
    fn walk(&self, todo: Todo<'_>, at: usize, caught: &Captures) -> Option<(usize, Captures)> {
        // At the end of a pattern a phrase that still follows belongs to the command.
        if todo.is_done() {
            return self.after_phrase(todo, at, caught).or_else(|| self.straight(todo, at, caught));
        }
        self.straight(todo, at, caught).or_else(|| self.after_phrase(todo, at, caught))
    }

    fn straight(&self, todo: Todo<'_>, at: usize, caught: &Captures) -> Option<(usize, Captures)> {
        let Some((node, nodes)) = todo.nodes.split_first() else {
            return match todo.next {
                Some(next) => self.straight(*next, at, caught),
                None => (!self.floating || self.around.may_end(at)).then(|| (at, caught.clone())),
            };
        };
        let rest = Todo { nodes, next: todo.next };
        match node {
            Node::Literal(literal) => self.walk(rest, self.literal(literal, at)?, caught),
            Node::Flag(flag) => {
                let mut caught = caught.clone();
                caught.set(flag, Captured::Flag);
                match rest.is_done() {
                    true => self.walk(rest, at, &caught),
                    false => self.straight(rest, at, &caught),
                }
            }
            Node::Optional(inner) => {
                let with = Todo { nodes: inner, next: Some(&rest) };
                self.straight(with, at, caught).or_else(|| match rest.is_done() {
                    true => self.walk(rest, at, caught),
                    false => self.straight(rest, at, caught),
                })
            }
            Node::Either(branches) => branches.iter().find_map(|branch| {
                let with = Todo { nodes: branch, next: Some(&rest) };
                self.straight(with, at, caught)
            }),
            Node::Slot { name, kind } => {
                let start = if *kind == "blank" { at } else { slots::skip_blanks(self.around.text(), at) };
                slots::candidates(kind, self.around, start).into_iter().find_map(|(value, end)| {
                    let mut caught = caught.clone();
                    caught.set(name, value);
                    self.walk(rest, end, &caught)
                })
            }
        }
    }

    fn after_phrase(&self, todo: Todo<'_>, at: usize, caught: &Captures) -> Option<(usize, Captures)> {
        if !self.floating {
            return None;
        }
        self.around.phrases_at(at).iter().find_map(|(end, more)| {
            if !self.around.allows(more) {
                return None;
            }
            let merged = caught.merged(more)?;
            self.walk(todo, *end, &merged)
        })
    }

    fn literal(&self, literal: &[char], at: usize) -> Option<usize> {
        let text = self.around.text();
        let start = slots::skip_blanks(text, at);
        let end = start + literal.len();
        let same =
            text.len() >= end && text[start..end].iter().zip(literal).all(|(a, b)| slots::fold(*a) == *b);
        let is_word = |c: Option<&char>| c.is_some_and(char::is_ascii_alphanumeric);
        let cuts_word = is_word(literal.last())
            && literal.last().is_some_and(char::is_ascii_alphabetic)
            && is_word(text.get(end));
        (same && !cuts_word).then_some(end)
    }
}
