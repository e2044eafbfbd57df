//! Whether a formula that a user wrote can stand in a file at all: operands and operators take turns, brackets close, and Excel's limits
//! are kept ([MS-XLSX] 2.2.2; limits of Excel). Excel repairs or refuses a workbook with anything else.
//!
//! Only what is surely wrong is a fault: names nobody knows, blanks that intersect and empty arguments all pass.

use super::tokens::{Token, TokenKind, tokens};
use crate::formats::xlsx::formula::Form;

/// Characters of a formula.
const MOST_CHARACTERS: usize = 8192;
/// Functions within functions.
const MOST_NESTED: usize = 64;
/// Arguments of one function.
const MOST_ARGUMENTS: usize = 255;
/// Characters of a text inside a formula.
const MOST_TEXT: usize = 255;

/// What is wrong with a formula: the end of a sentence without its full stop, and what to do about it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) why: String,
    pub(super) hint: Option<&'static str>,
}

fn fault<T>(why: impl Into<String>) -> Result<T, Fault> {
    Err(Fault { why: why.into(), hint: None })
}

fn hinted<T>(why: impl Into<String>, hint: &'static str) -> Result<T, Fault> {
    Err(Fault { why: why.into(), hint: Some(hint) })
}

/// Checks a formula without its leading `=`.
pub(super) fn check(formula: &str) -> Result<(), Fault> {
    let length = formula.encode_utf16().count();
    if length > MOST_CHARACTERS {
        return fault(format!("it has {length} characters, and Excel takes {MOST_CHARACTERS} at most"));
    }
    let mut checker = Checker { formula, open: Vec::new(), state: State::Start, gap: false, joins: false };
    for token in tokens(formula) {
        checker.token(&token)?;
    }
    checker.end()
}

/// A bracket that is not closed yet.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Open {
    Call { arguments: usize },
    Group,
    Array { width: usize, first: Option<usize> },
}

/// What an operand is, as far as it matters to what stands next to it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Operand {
    /// A text, a number, a boolean or an array: nothing that could be a reference.
    Constant,
    Error,
    Name,
    /// A reference, or what is closed by a bracket.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    /// Nothing yet, or nothing yet of this argument.
    Start,
    /// An operator wants its operand.
    Wanting,
    /// A function's name, before its bracket.
    Called,
    Behind(Operand),
}

struct Checker<'f> {
    formula: &'f str,
    open: Vec<Open>,
    state: State,
    /// Blanks stand before this token.
    gap: bool,
    /// The operand to come is joined as a reference: by `:`, a union or an intersection.
    joins: bool,
}

impl Checker<'_> {
    fn token(&mut self, token: &Token) -> Result<(), Fault> {
        let text = &self.formula[token.range.clone()];
        match &token.kind {
            TokenKind::Space => {
                self.gap = true;
                return Ok(());
            }
            TokenKind::Text => {
                check_text(text)?;
                self.operand(text, Operand::Constant)?;
            }
            TokenKind::Number if !text.contains(|c: char| c.is_ascii_digit()) => {
                return fault(format!("“{text}” is no number"));
            }
            TokenKind::Number | TokenKind::Boolean => self.operand(text, Operand::Constant)?,
            TokenKind::Error => self.operand(text, Operand::Error)?,
            TokenKind::Function => {
                self.operand(text, Operand::Other)?;
                self.state = State::Called;
            }
            TokenKind::Name(Some(prefix)) if prefix.range.end == token.range.end => {
                return fault(format!("nothing stands behind “{text}”"));
            }
            TokenKind::Name(_) => self.operand(text, Operand::Name)?,
            TokenKind::Reference(reference) if reference.form == Form::Dead => {
                self.operand(text, Operand::Error)?
            }
            TokenKind::Reference(_) | TokenKind::Structured { .. } => self.operand(text, Operand::Other)?,
            TokenKind::Operator => self.operator(text)?,
        }
        self.gap = false;
        Ok(())
    }

    /// An operand, or the first token of one.
    fn operand(&mut self, text: &str, kind: Operand) -> Result<(), Fault> {
        let in_array = matches!(self.open.last(), Some(Open::Array { .. }));
        if in_array && !matches!(kind, Operand::Constant | Operand::Error) {
            return fault(format!("“{text}” stands in an array, which holds constants only"));
        }
        if let State::Behind(before) = self.state {
            // What clings to an error comes from references that died; it is left to Excel.
            let clings = !self.gap && before == Operand::Error;
            let may_intersect = self.gap && before != Operand::Constant && !in_array;
            if !clings && !may_intersect {
                return self.missing_operator(text);
            }
            self.joins = !clings;
        }
        if std::mem::take(&mut self.joins) && kind == Operand::Constant {
            return fault(format!("“{text}” stands where only a reference can stand"));
        }
        self.state = State::Behind(kind);
        Ok(())
    }

    fn missing_operator<T>(&self, text: &str) -> Result<T, Fault> {
        fault(format!("no operator stands before “{text}”"))
    }

    fn operator(&mut self, text: &str) -> Result<(), Fault> {
        match (text, self.state) {
            ("(" | "{", _) => self.opened(text),
            (")" | "}", _) => self.closed(text),
            ("," | ";", _) => self.separator(text),
            // The tokenizer leaves these alone only where nothing closes or follows them.
            ("[" | "]" | "'" | "!", _) => fault("its brackets or quotes do not match"),
            ("+" | "-" | "@", State::Start | State::Wanting) => {
                self.state = State::Wanting;
                Ok(())
            }
            ("@", State::Behind(before)) if self.gap && before != Operand::Constant => {
                (self.state, self.joins) = (State::Wanting, true);
                Ok(())
            }
            ("%", State::Behind(_)) => {
                self.state = State::Behind(Operand::Constant);
                Ok(())
            }
            ("#", State::Behind(before)) if before != Operand::Constant => Ok(()),
            (":", State::Behind(before)) => self.joined(text, before),
            // `program|'topic'!item`, which Excel reads as a link.
            ("|", State::Behind(Operand::Name)) => {
                self.state = State::Wanting;
                Ok(())
            }
            ("+" | "-" | "*" | "/" | "^" | "&" | "=" | "<" | ">" | "<>" | "<=" | ">=", State::Behind(_)) => {
                if matches!(self.open.last(), Some(Open::Array { .. })) {
                    return fault(format!("“{text}” stands in an array, which holds constants only"));
                }
                self.state = State::Wanting;
                Ok(())
            }
            ("%" | "#" | ":" | "*" | "/" | "^" | "&" | "=" | "<" | ">" | "<>" | "<=" | ">=", _) => {
                fault(format!("nothing stands before “{text}” that it could be applied to"))
            }
            _ => fault(format!("“{text}” is no operator of formulas at this place")),
        }
    }

    /// A reference operator behind an operand.
    fn joined(&mut self, text: &str, before: Operand) -> Result<(), Fault> {
        if before == Operand::Constant {
            return fault(format!("“{text}” stands behind what is no reference"));
        }
        (self.state, self.joins) = (State::Wanting, true);
        Ok(())
    }

    fn opened(&mut self, text: &str) -> Result<(), Fault> {
        if text == "{" {
            if matches!(self.state, State::Behind(_)) {
                return self.missing_operator(text);
            }
            if matches!(self.open.last(), Some(Open::Array { .. })) {
                return fault("an array stands inside an array");
            }
            self.open.push(Open::Array { width: 1, first: None });
            self.state = State::Start;
            return Ok(());
        }
        let opened = match self.state {
            // `LAMBDA(x,x+1)(2)` calls the result of a call.
            State::Called => Open::Call { arguments: 1 },
            State::Behind(Operand::Other | Operand::Name) if !self.gap => Open::Call { arguments: 1 },
            _ => {
                self.operand(text, Operand::Other)?;
                Open::Group
            }
        };
        self.open.push(opened);
        let nested = self.open.iter().filter(|open| matches!(open, Open::Call { .. })).count();
        if nested > MOST_NESTED {
            return fault(format!("functions are nested more than {MOST_NESTED} deep"));
        }
        // What is joined now is the bracket as a whole.
        (self.state, self.joins) = (State::Start, false);
        Ok(())
    }

    fn closed(&mut self, text: &str) -> Result<(), Fault> {
        let open = self.open.pop();
        let matches = match open {
            Some(Open::Array { .. }) => text == "}",
            Some(_) => text == ")",
            None => false,
        };
        if !matches {
            return fault("its brackets or quotes do not match");
        }
        let complete = match open {
            Some(Open::Call { .. }) => self.state != State::Wanting,
            _ => matches!(self.state, State::Behind(_)),
        };
        if !complete {
            return fault(format!("something is missing before “{text}”"));
        }
        self.state = match open {
            Some(Open::Array { width, first }) => {
                check_width(width, first)?;
                State::Behind(Operand::Constant)
            }
            _ => State::Behind(Operand::Other),
        };
        Ok(())
    }

    fn separator(&mut self, text: &str) -> Result<(), Fault> {
        let before = match self.state {
            State::Behind(before) => Some(before),
            State::Start => None,
            State::Wanting | State::Called => return fault(format!("something is missing before “{text}”")),
        };
        match (self.open.last_mut(), text, before) {
            (Some(Open::Array { .. }), _, None) => fault(format!("something is missing before “{text}”")),
            (Some(Open::Array { width, .. }), ",", _) => {
                *width += 1;
                self.state = State::Wanting;
                Ok(())
            }
            (Some(Open::Array { width, first }), _, _) => {
                check_width(*width, *first)?;
                (*first, *width) = (Some(*width), 1);
                self.state = State::Wanting;
                Ok(())
            }
            (_, ";", _) => hinted(
                "“;” stands outside an array",
                "In files the arguments of a function are separated by commas: =SUM(A1,B1).",
            ),
            (Some(Open::Call { arguments }), _, _) => {
                *arguments += 1;
                if *arguments > MOST_ARGUMENTS {
                    return fault(format!("a function has more than {MOST_ARGUMENTS} arguments"));
                }
                (self.state, self.joins) = (State::Start, false);
                Ok(())
            }
            (_, _, None) => fault(format!("something is missing before “{text}”")),
            (_, _, Some(Operand::Constant)) => hinted(
                "“,” joins what are no references",
                "In files a decimal point is “.”, and a comma separates arguments or joins areas.",
            ),
            (_, _, Some(before)) => self.joined(text, before),
        }
    }

    fn end(&self) -> Result<(), Fault> {
        match self.state {
            _ if !self.open.is_empty() => fault("its brackets or quotes do not match"),
            State::Behind(_) => Ok(()),
            _ => fault("something is missing at its end"),
        }
    }
}

/// A text token: its quotes close, and what they hold is not too long.
fn check_text(text: &str) -> Result<(), Fault> {
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let Some(inner) = inner.filter(|inner| !inner.replace("\"\"", "").contains('"')) else {
        return hinted("its quotes do not match", "A quote inside a text is written twice: \"a \"\"b\"\"\".");
    };
    let length = inner.replace("\"\"", "\"").encode_utf16().count();
    if length > MOST_TEXT {
        let why = format!("a text in it has {length} characters, and Excel takes {MOST_TEXT} at most");
        return hinted(why, "Join shorter texts by “&”, or put the text into a cell.");
    }
    Ok(())
}

/// All rows of an array are of one length.
fn check_width(width: usize, first: Option<usize>) -> Result<(), Fault> {
    match first {
        Some(first) if first != width => fault("the rows of an array are of different lengths"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
