//! Formulas: tokens with their places in the text, references and how edits move them. Pure text in, text out.
//!
//! A formula here is what stands in the file: A1 notation, English names, no leading `=`. Only the bytes of references that change
//! are rewritten. What no token is understood to be is passed through untouched.

mod entered;
mod grammar;
mod newer;
pub(super) mod references;
pub(super) mod rewrite;
pub(super) mod shift;
pub(super) mod spans;
pub(super) mod structured;
pub(super) mod tokens;

pub(super) use references::{Corner, Form};
pub(super) use rewrite::{Replacement, rewrite};
pub(super) use shift::{LineEdit, Verb};
pub(super) use tokens::{Token, TokenKind, tokens};

use crate::{EditError, error::EditErrorKind};

fn invalid(message: String) -> EditError {
    EditError::new(EditErrorKind::InvalidArguments, message)
}

/// A formula as it stands in the file, from what a user wrote with its leading `=`.
pub(super) fn from_user(text: &str) -> Result<String, EditError> {
    let formula = text.trim().strip_prefix('=').map(str::trim).filter(|formula| !formula.is_empty());
    let formula =
        formula.ok_or_else(|| invalid(format!("“{text}” is no formula: it must begin with `=`.")))?;
    if let Err(fault) = grammar::check(formula) {
        let error = invalid(format!("“{}” is no formula: {}.", shortened(text), fault.why));
        return Err(match fault.hint {
            Some(hint) => error.hint(hint),
            None => error,
        });
    }
    in_file(text, formula)
}

/// A formula with a part replaced. What was wrong in the file already is no fault of the edit.
pub(super) fn from_replaced(old: &str, new: &str) -> Result<String, EditError> {
    match grammar::check(old) {
        Err(_) if !new.trim().is_empty() => in_file(new, new.trim()),
        _ => from_user(&format!("={new}")),
    }
}

/// The beginning of a text that is told in an error.
fn shortened(text: &str) -> String {
    const MOST: usize = 120;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// A formula that stands on its own, with the marks of a file: prefixes of newer functions and of variables.
fn in_file(text: &str, formula: &str) -> Result<String, EditError> {
    let spill_mark = tokens(formula).iter().any(|token| match &token.kind {
        TokenKind::Reference(reference) => reference.spill,
        TokenKind::Operator => &formula[token.range.clone()] == "#",
        _ => false,
    });
    if spill_mark {
        let message = "The formula reads a spilled result by `#`, which is not written yet.";
        return Err(EditError::new(EditErrorKind::UnsupportedOp, message)
            .hint("Name the cells of the result as a range."));
    }
    if let Some(word) = entered::r1c1_word(formula) {
        return Err(invalid(format!("“{word}” is R1C1 notation, which files do not hold."))
            .hint("Write the reference in A1 notation."));
    }
    let formula = entered::without_at_signs(formula)
        .map_err(|why| invalid(format!("“{text}” is no formula: {why}.")))?;
    let formula = formula.as_str();
    let variables = variables(formula);
    let written = rewrite(formula, |token| {
        let word = &formula[token.range.clone()];
        let new = match &token.kind {
            TokenKind::Function => newer::in_file(word),
            TokenKind::Name(None) => {
                let is_variable = variables.iter().any(|name| name.eq_ignore_ascii_case(word));
                is_variable.then(|| format!("_xlpm.{word}"))
            }
            _ => None,
        };
        new.map_or(Replacement::Keep, Replacement::With)
    });
    Ok(written.unwrap_or_else(|| formula.to_owned()))
}

/// Whether a formula calls a function whose result fills several cells as a rule.
pub(super) fn spills(formula: &str) -> bool {
    let calls =
        |token: &Token| token.kind == TokenKind::Function && newer::spills(&formula[token.range.clone()]);
    tokens(formula).iter().any(calls)
}

/// The variables that `LET` and `LAMBDA` declare; files hold them with `_xlpm.` ([MS-XLSX] 2.2.2).
fn variables(formula: &str) -> Vec<String> {
    // By open bracket: the arguments of which function, and how many came before this one.
    let mut open: Vec<(String, usize)> = Vec::new();
    let mut names = Vec::new();
    let tokens = tokens(formula);
    let mut called = String::new();
    for (at, token) in tokens.iter().enumerate() {
        let word = &formula[token.range.clone()];
        match (&token.kind, word) {
            (TokenKind::Function, _) => called = newer::bare(word),
            (TokenKind::Operator, "(" | "{") => open.push((std::mem::take(&mut called), 0)),
            (TokenKind::Operator, ")" | "}") => drop(open.pop()),
            (TokenKind::Operator, ",") => {
                if let Some((_, count)) = open.last_mut() {
                    *count += 1;
                }
            }
            (TokenKind::Name(None), _) => {
                let next = tokens[at + 1..].iter().find(|next| next.kind != TokenKind::Space);
                let before_comma = next.is_some_and(|next| &formula[next.range.clone()] == ",");
                let declares = match open.last() {
                    Some((function, count)) if function == "LET" => count % 2 == 0,
                    Some((function, _)) => function == "LAMBDA",
                    None => false,
                };
                if declares && before_comma {
                    names.push(word.to_owned());
                }
            }
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_functions_get_their_prefix() {
        assert_eq!(
            from_user("=IFS(A1>1,XLOOKUP(1,A:A,B:B))").unwrap(),
            "_xlfn.IFS(A1>1,_xlfn.XLOOKUP(1,A:A,B:B))"
        );
        assert_eq!(from_user("= SUM(A1:A3)").unwrap(), "SUM(A1:A3)");
        assert_eq!(from_user("=_xlfn.CONCAT(\"IFS(\")").unwrap(), "_xlfn.CONCAT(\"IFS(\")");
        assert_eq!(from_user("=sort(A1:A3)+LOG10(A1)").unwrap(), "_xlfn._xlws.SORT(A1:A3)+LOG10(A1)");
        assert_eq!(from_user("=@A1:A3+1").unwrap(), "_xlfn.SINGLE(A1:A3)+1");
        assert_eq!(from_user("=NETWORKDAYS.INTL(A1,A2)").unwrap(), "NETWORKDAYS.INTL(A1,A2)");
        assert_eq!(
            from_user("=T.DIST.2T(A1,2)+Norm.S.Dist(1,TRUE)").unwrap(),
            "_xlfn.T.DIST.2T(A1,2)+_xlfn.NORM.S.DIST(1,TRUE)"
        );
    }

    #[test]
    fn variables_get_theirs() {
        assert_eq!(
            from_user("=LET(rate,A1*2,net, rate+1,net*rate*Total)").unwrap(),
            "_xlfn.LET(_xlpm.rate,A1*2,_xlpm.net, _xlpm.rate+1,_xlpm.net*_xlpm.rate*Total)"
        );
        assert_eq!(
            from_user("=MAP(A1:A3,LAMBDA(each,each*2))").unwrap(),
            "_xlfn.MAP(A1:A3,_xlfn.LAMBDA(_xlpm.each,_xlpm.each*2))"
        );
    }

    #[test]
    fn what_was_wrong_before_is_no_fault_of_a_replacement() {
        assert_eq!(from_replaced("SUM(A1;B1)", "SUM(A2;B1)").unwrap(), "SUM(A2;B1)");
        assert!(from_replaced("SUM(A1,B1)", "SUM(A1;B1)").is_err());
    }

    #[test]
    fn what_cannot_stand_in_a_file_is_refused() {
        for text in ["A1", "=", "=SUM(A1", "=\"a", "=A1)", "=A1#", "=SUM(Rng#)", "='Data", "=R1C1*2", "=@"] {
            assert!(from_user(text).is_err(), "{text}");
        }
    }
}
