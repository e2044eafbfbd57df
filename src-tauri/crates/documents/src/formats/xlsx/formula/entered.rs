//! What only people write: `@` before an operand, and R1C1 notation. A file holds the first as `_xlfn.SINGLE(…)` and the second not at all.
//!
//! [MS-XLSX] 2.2.2: a bare `@`, and a name that reads as an R1C1 reference, are no part of the grammar; Excel repairs a file with them.

use super::{
    references::Form,
    tokens::{Token, TokenKind, tokens},
};

/// The formula with every `@` before an operand written as the function it is; an error text when that cannot be said.
pub(super) fn without_at_signs(formula: &str) -> Result<String, String> {
    let all = tokens(formula);
    let text = |token: &Token| &formula[token.range.clone()];
    let is_sign = |token: &Token| token.kind == TokenKind::Operator && text(token) == "@";
    let mut opening = Vec::new();
    let mut closing = Vec::new();
    for (at, token) in all.iter().enumerate().filter(|(_, token)| is_sign(token)) {
        let Some(end) = operand_end(&all[at + 1..], formula) else {
            return Err("“@” stands before nothing that it could be applied to".into());
        };
        opening.push(token.range.clone());
        closing.push(end);
    }
    let mut out = String::new();
    for (at, character) in formula.char_indices() {
        closing.iter().filter(|end| **end == at).for_each(|_| out.push(')'));
        match opening.iter().any(|sign| sign.start == at) {
            true => out.push_str("_xlfn.SINGLE("),
            false => out.push(character),
        }
    }
    closing.iter().filter(|end| **end == formula.len()).for_each(|_| out.push(')'));
    Ok(out)
}

/// Where the operand at the beginning of some tokens ends: one token, or a call or bracket with all that is in it.
fn operand_end(rest: &[Token], formula: &str) -> Option<usize> {
    let first = rest.iter().position(|token| token.kind != TokenKind::Space)?;
    let text = |token: &Token| &formula[token.range.clone()];
    let opens = match &rest[first].kind {
        TokenKind::Reference(reference) if reference.form != Form::Dead => {
            return Some(rest[first].range.end);
        }
        TokenKind::Name(_) | TokenKind::Structured { .. } => return Some(rest[first].range.end),
        TokenKind::Function => first + 1,
        TokenKind::Operator if text(&rest[first]) == "(" => first,
        _ => return None,
    };
    let mut depth = 0_usize;
    for token in rest.get(opens..)? {
        match text(token) {
            "(" if token.kind == TokenKind::Operator => depth += 1,
            ")" if token.kind == TokenKind::Operator => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(token.range.end);
        }
    }
    None
}

/// A word that Excel reads as an R1C1 reference (`R1C1`, `RC`, `r2c`), which neither a name nor a cell of a file can be.
pub(super) fn r1c1_word(formula: &str) -> Option<&str> {
    let is_r1c1 = |word: &str| {
        let rest = word.strip_prefix(['R', 'r'])?;
        let rest = rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).strip_prefix(['C', 'c'])?;
        rest.bytes().all(|digit| digit.is_ascii_digit()).then_some(())
    };
    let all = tokens(formula);
    let names = all.iter().filter(|token| matches!(token.kind, TokenKind::Name(None)));
    names.map(|token| &formula[token.range.clone()]).find(|word| is_r1c1(word).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_signs_become_their_function() {
        for (written, held) in [
            ("@A1:A3", "_xlfn.SINGLE(A1:A3)"),
            ("1+@Data!$A:$A*2", "1+_xlfn.SINGLE(Data!$A:$A)*2"),
            ("@INDEX(@A1:A3,(1))&Tbl[@Qty]", "_xlfn.SINGLE(INDEX(_xlfn.SINGLE(A1:A3),(1)))&Tbl[@Qty]"),
            (
                "SUM(@Rate,@Tbl[Qty],@(A1:A3))",
                "SUM(_xlfn.SINGLE(Rate),_xlfn.SINGLE(Tbl[Qty]),_xlfn.SINGLE((A1:A3)))",
            ),
            ("\"a@b\"&A1", "\"a@b\"&A1"),
            ("매출!A1&@매출!A1:A3", "매출!A1&_xlfn.SINGLE(매출!A1:A3)"),
        ] {
            assert_eq!(without_at_signs(written).as_deref(), Ok(held));
        }
        for wrong in ["@", "1+@", "@\"a\"", "@5", "@#REF!"] {
            assert!(without_at_signs(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn r1c1_notation_is_seen() {
        assert_eq!(r1c1_word("A1+R1C1"), Some("R1C1"));
        assert_eq!(r1c1_word("RC*2"), Some("RC"));
        assert_eq!(r1c1_word("R2+C3+RC3+RATE+\"R1C1\"+RCX+'R1C1'!A1"), None);
    }
}
