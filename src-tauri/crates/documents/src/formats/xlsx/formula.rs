//! Formulas: tokens with their places in the text, references and how edits move them. Pure text in, text out.
//!
//! A formula here is what stands in the file: A1 notation, English names, no leading `=`. Only the bytes of references that change
//! are rewritten. What no token is understood to be is passed through untouched.

pub(super) mod references;
pub(super) mod rewrite;
pub(super) mod shift;
pub(super) mod structured;
pub(super) mod tokens;

pub(super) use references::{Corner, Form};
pub(super) use rewrite::{Replacement, rewrite};
pub(super) use shift::{LineEdit, Verb};
pub(super) use tokens::{Token, TokenKind, tokens};

use crate::{EditError, error::EditErrorKind};

/// Functions that came after the format was fixed; files hold them with `_xlfn.` (MS-XLSX 2.2.2).
const NEWER: &[&str] = &[
    "ACOT",
    "ACOTH",
    "AGGREGATE",
    "ARABIC",
    "BASE",
    "BETA.DIST",
    "BETA.INV",
    "BINOM.DIST",
    "BINOM.INV",
    "BITAND",
    "BITLSHIFT",
    "BITOR",
    "BITRSHIFT",
    "BITXOR",
    "CEILING.MATH",
    "CEILING.PRECISE",
    "CHISQ.DIST",
    "CHISQ.INV",
    "COMBINA",
    "CONCAT",
    "CONFIDENCE.NORM",
    "CONFIDENCE.T",
    "COT",
    "COTH",
    "COVARIANCE.P",
    "COVARIANCE.S",
    "CSC",
    "DAYS",
    "DECIMAL",
    "ENCODEURL",
    "ERF.PRECISE",
    "EXPON.DIST",
    "F.DIST",
    "F.INV",
    "FILTERXML",
    "FLOOR.MATH",
    "FLOOR.PRECISE",
    "FORECAST.ETS",
    "FORECAST.LINEAR",
    "FORMULATEXT",
    "GAMMA",
    "GAUSS",
    "IFNA",
    "IFS",
    "IMCOSH",
    "ISFORMULA",
    "ISO.CEILING",
    "ISOWEEKNUM",
    "LET",
    "LOGNORM.DIST",
    "MAXIFS",
    "MINIFS",
    "MODE.MULT",
    "MODE.SNGL",
    "MUNIT",
    "NEGBINOM.DIST",
    "NETWORKDAYS.INTL",
    "NORM.DIST",
    "NORM.INV",
    "NORM.S.DIST",
    "NORM.S.INV",
    "NUMBERVALUE",
    "PDURATION",
    "PERCENTILE.EXC",
    "PERCENTILE.INC",
    "PERCENTRANK.EXC",
    "PERCENTRANK.INC",
    "PERMUTATIONA",
    "PHI",
    "POISSON.DIST",
    "QUARTILE.EXC",
    "QUARTILE.INC",
    "RANK.AVG",
    "RANK.EQ",
    "RRI",
    "SEC",
    "SHEET",
    "SHEETS",
    "SKEW.P",
    "STDEV.P",
    "STDEV.S",
    "SWITCH",
    "T.DIST",
    "T.INV",
    "T.TEST",
    "TEXTJOIN",
    "UNICHAR",
    "UNICODE",
    "VAR.P",
    "VAR.S",
    "WEBSERVICE",
    "WEIBULL.DIST",
    "XLOOKUP",
    "XMATCH",
    "XOR",
    "Z.TEST",
    "TEXTBEFORE",
    "TEXTAFTER",
];

/// Those of them that were never given the prefix.
const PLAIN: &[&str] = &["AGGREGATE", "NETWORKDAYS.INTL", "ISO.CEILING"];

/// Functions whose results spill; a file must say so with cell metadata, which is not written here.
const SPILLING: &[&str] = &[
    "FILTER",
    "SORT",
    "SORTBY",
    "UNIQUE",
    "SEQUENCE",
    "RANDARRAY",
    "TEXTSPLIT",
    "VSTACK",
    "HSTACK",
    "TAKE",
    "DROP",
    "EXPAND",
    "WRAPROWS",
    "WRAPCOLS",
    "TOROW",
    "TOCOL",
    "CHOOSEROWS",
    "CHOOSECOLS",
    "LAMBDA",
    "MAP",
    "REDUCE",
    "SCAN",
    "BYROW",
    "BYCOL",
    "MAKEARRAY",
    "GROUPBY",
    "PIVOTBY",
];

/// A formula as it stands in the file, from what a user wrote with its leading `=`.
pub(super) fn from_user(text: &str) -> Result<String, EditError> {
    let formula = text.trim().strip_prefix('=').map(str::trim).filter(|formula| !formula.is_empty());
    let invalid = |message: String| EditError::new(EditErrorKind::InvalidArguments, message);
    let formula =
        formula.ok_or_else(|| invalid(format!("“{text}” is no formula: it must begin with `=`.")))?;
    if !is_balanced(formula) {
        return Err(invalid(format!("“{text}” is no formula: its brackets or quotes do not match.")));
    }
    let mut spills = None;
    let written = rewrite(formula, |token| match &token.kind {
        TokenKind::Function => {
            let name = formula[token.range.clone()].to_ascii_uppercase();
            let bare = name.trim_start_matches("_XLFN.").trim_start_matches("_XLWS.");
            if SPILLING.contains(&bare) {
                spills.get_or_insert(bare.to_owned());
            }
            let prefixed = name.starts_with("_XLFN.") || PLAIN.contains(&bare);
            match NEWER.contains(&bare) && !prefixed {
                true => Replacement::With(format!("_xlfn.{name}")),
                false => Replacement::Keep,
            }
        }
        TokenKind::Reference(reference) if reference.spill => {
            spills.get_or_insert("#".into());
            Replacement::Keep
        }
        _ => Replacement::Keep,
    });
    if let Some(spills) = spills {
        let message =
            format!("The formula spills its result over several cells ({spills}), which is not written yet.");
        return Err(EditError::new(EditErrorKind::UnsupportedOp, message)
            .hint("Use a formula that gives one value per cell."));
    }
    Ok(written.unwrap_or_else(|| formula.to_owned()))
}

/// Whether brackets and quotes of a formula match; what is not balanced makes Excel repair the file.
fn is_balanced(formula: &str) -> bool {
    let mut open = Vec::new();
    for token in tokens(formula) {
        let text = &formula[token.range.clone()];
        match (&token.kind, text) {
            (TokenKind::Text, text) if text.len() < 2 || !text.ends_with('"') => return false,
            (TokenKind::Operator, "(" | "{") => open.push(text),
            (TokenKind::Operator, ")") if open.pop() != Some("(") => return false,
            (TokenKind::Operator, "}") if open.pop() != Some("{") => return false,
            (TokenKind::Operator, "[" | "]" | "'" | "!") => return false,
            _ => {}
        }
    }
    open.is_empty()
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
    }

    #[test]
    fn what_cannot_stand_in_a_file_is_refused() {
        for text in ["A1", "=", "=SUM(A1", "=\"a", "=A1)", "=SORT(A1:A3)", "=A1#", "='Data"] {
            assert!(from_user(text).is_err(), "{text}");
        }
    }
}
