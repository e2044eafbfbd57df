//! The tokenizer: every byte of a formula belongs to exactly one token, and a reference is one token with its sheet.
//!
//! Grammar: MS-XLSX 2.2.2 and ECMA-376-1, 18.17, as files hold it. Traps it must get right: quoted and 3-D sheet names, external
//! books, functions and names that look like cells (`LOG10(`, `TAX2024` is a name only when it is no cell), whole lines, structured
//! references with their own escapes, text, error values with `!` in them, spill `#`.

use std::ops::Range;

use super::references::{Corner, Form, Prefix, Reference};

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats::xlsx) enum TokenKind {
    Space,
    /// `"…"`, quotes included.
    Text,
    Number,
    Boolean,
    /// `#N/A` and the like, also `#REF!A1` as one.
    Error,
    /// A name before `(`; the parenthesis is a token of its own.
    Function,
    /// A defined name (or a word nobody knows), with its sheet.
    Name(Option<Prefix>),
    Reference(Reference),
    /// `Table[…]` or `[…]`; `table` is the range of the table's name, empty inside the table itself.
    Structured {
        table: Range<usize>,
    },
    /// An operator, a bracket or a separator.
    Operator,
}

/// A piece of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::formats::xlsx) struct Token {
    pub(in crate::formats::xlsx) kind: TokenKind,
    pub(in crate::formats::xlsx) range: Range<usize>,
}

/// The error values (18.17.3, and those of later versions).
const ERRORS: &[&str] = &[
    "#REF!",
    "#N/A",
    "#VALUE!",
    "#DIV/0!",
    "#NAME?",
    "#NUM!",
    "#NULL!",
    "#SPILL!",
    "#CALC!",
    "#FIELD!",
    "#GETTING_DATA",
    "#BLOCKED!",
    "#CONNECT!",
    "#UNKNOWN!",
    "#BUSY!",
    "#PYTHON!",
    "#EXTERNAL!",
    "#TIMEOUT!",
];

/// Cuts a formula into tokens.
pub(in crate::formats::xlsx) fn tokens(formula: &str) -> Vec<Token> {
    let mut lexer = Lexer { text: formula, position: 0, tokens: Vec::new() };
    while lexer.position < formula.len() {
        lexer.step();
    }
    lexer.tokens
}

struct Lexer<'f> {
    text: &'f str,
    position: usize,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn step(&mut self) {
        let start = self.position;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else { return };
        match first {
            ' ' | '\t' | '\n' | '\r' => {
                let end = rest.find(|c: char| !c.is_ascii_whitespace()).unwrap_or(rest.len());
                self.push(TokenKind::Space, start + end);
            }
            '"' => {
                let end = quoted_end(rest, '"').unwrap_or(rest.len());
                self.push(TokenKind::Text, start + end);
            }
            '#' => self.error_or_spill(),
            '\'' => self.quoted(),
            '[' => self.bracketed(),
            '0'..='9' | '.' => self.number_or_rows(),
            _ if is_word(first) => self.word(),
            _ => self.operator(first),
        }
    }

    fn push(&mut self, kind: TokenKind, end: usize) {
        self.tokens.push(Token { kind, range: self.position..end });
        self.position = end;
    }

    fn operator(&mut self, first: char) {
        let rest = &self.text[self.position..];
        let double = ["<>", "<=", ">="].iter().any(|operator| rest.starts_with(operator));
        let length = if double { 2 } else { first.len_utf8() };
        self.push(TokenKind::Operator, self.position + length);
    }

    fn error_or_spill(&mut self) {
        let start = self.position;
        match error_end(&self.text[start..]) {
            Some(end) => self.push(TokenKind::Error, start + end),
            None => self.push(TokenKind::Operator, start + 1),
        }
    }

    /// `'My sheet'!…`; quotes without `!` are nobody's.
    fn quoted(&mut self) {
        let start = self.position;
        let rest = &self.text[start..];
        let Some(end) = quoted_end(rest, '\'') else { return self.push(TokenKind::Operator, start + 1) };
        let inner = rest[1..end - 1].replace("''", "'");
        if rest[end..].starts_with('!') {
            return self.behind_prefix(prefix(&inner, start..start + end + 1));
        }
        match second_sheet(&rest[end..]) {
            Some((last, length)) => {
                self.behind_prefix(spanning(inner, last, start..start + end + length + 1));
            }
            None => self.push(TokenKind::Operator, start + 1),
        }
    }

    /// `[1]Data!…`, `[1]!Name`, or a structured reference inside its table.
    fn bracketed(&mut self) {
        let start = self.position;
        let rest = &self.text[start..];
        let Some(end) = bracket_end(rest) else { return self.push(TokenKind::Operator, start + 1) };
        let word = rest[end..].find(|c: char| !is_word(c) && c != ':').unwrap_or(rest.len() - end);
        if rest[end + word..].starts_with('!') {
            let prefix = prefix(&rest[..end + word], start..start + end + word + 1);
            self.behind_prefix(prefix);
        } else {
            self.push(TokenKind::Structured { table: start..start }, start + end);
        }
    }

    fn number_or_rows(&mut self) {
        let start = self.position;
        let rest = &self.text[start..];
        let word = word_end(rest);
        // A sheet name that begins with a digit should be quoted, but not every writer does.
        if rest[word..].starts_with('!') && !rest.starts_with('.') {
            let prefix = prefix(&rest[..word], start..start + word + 1);
            return self.behind_prefix(prefix);
        }
        if let Some((form, end)) = lines(rest, Corner::parse_row, Form::Rows) {
            return self.reference(None, form, start, start + end);
        }
        let end = number_end(rest);
        self.push(TokenKind::Number, start + end.max(1));
    }

    fn word(&mut self) {
        let start = self.position;
        let rest = &self.text[start..];
        let end = word_end(rest);
        let behind = &rest[end..];
        if behind.starts_with('!') {
            let prefix = prefix(&rest[..end], start..start + end + 1);
            return self.behind_prefix(prefix);
        }
        if let Some(length) = three_d_end(rest, end) {
            let prefix = prefix(&rest[..length], start..start + length + 1);
            return self.behind_prefix(prefix);
        }
        // `Jan:'My sheet'!`, which some writers make of a 3-D reference.
        if behind.starts_with(":'")
            && Corner::parse(&rest[..end]).is_none()
            && let Some((last, length)) = second_sheet(behind)
        {
            let span = spanning(rest[..end].to_owned(), last, start..start + end + length + 1);
            return self.behind_prefix(span);
        }
        if behind.starts_with('(') {
            return self.push(TokenKind::Function, start + end);
        }
        if behind.starts_with('[')
            && let Some(close) = bracket_end(behind)
        {
            return self.push(TokenKind::Structured { table: start..start + end }, start + end + close);
        }
        match reference(rest) {
            Some((form, length)) => self.reference(None, form, start, start + length),
            None => {
                let word = &rest[..end];
                let boolean = word.eq_ignore_ascii_case("TRUE") || word.eq_ignore_ascii_case("FALSE");
                let kind = if boolean { TokenKind::Boolean } else { TokenKind::Name(None) };
                self.push(kind, start + end);
            }
        }
    }

    /// What stands behind a sheet: a reference, `#REF!`, or a name of that sheet.
    fn behind_prefix(&mut self, prefix: Prefix) {
        let start = prefix.range.end;
        let rest = &self.text[start..];
        if let Some(end) = error_end(rest) {
            return self.reference(Some(prefix), Form::Dead, start, start + end);
        }
        if let Some((form, length)) = reference(rest) {
            return self.reference(Some(prefix), form, start, start + length);
        }
        let end = word_end(rest);
        if rest[end..].starts_with('(') {
            return self.push(TokenKind::Function, start + end);
        }
        if rest[end..].starts_with('[')
            && let Some(close) = bracket_end(&rest[end..])
        {
            return self.push(TokenKind::Structured { table: start..start + end }, start + end + close);
        }
        self.push(TokenKind::Name(Some(prefix)), start + end);
    }

    fn reference(&mut self, prefix: Option<Prefix>, form: Form, start: usize, end: usize) {
        let behind = &self.text[end..];
        let spill = behind.starts_with('#') && error_end(behind).is_none();
        let kind = TokenKind::Reference(Reference { prefix, form, range: start..end, spill });
        self.push(kind, end + usize::from(spill));
    }
}

/// A reference in A1 notation at the beginning of a text, and its length.
fn reference(text: &str) -> Option<(Form, usize)> {
    let end = word_end(text);
    let word = &text[..end];
    if let Some(first) = Corner::parse(word) {
        let second = text[end..].strip_prefix(':').and_then(|rest| {
            let length = word_end(rest);
            let follows = rest[length..].starts_with(['(', '!', '[']);
            let corner = Corner::parse(&rest[..length]).filter(|_| !follows)?;
            Some((corner, end + 1 + length))
        });
        return Some(match second {
            Some((second, end)) => (Form::Area(first, second), end),
            None => (Form::Cell(first), end),
        });
    }
    lines(text, Corner::parse_column, Form::Columns).or_else(|| lines(text, Corner::parse_row, Form::Rows))
}

/// `A:C` or `3:5` at the beginning of a text.
fn lines(
    text: &str,
    parse: fn(&str) -> Option<Corner>,
    form: fn(Corner, Corner) -> Form,
) -> Option<(Form, usize)> {
    let end = word_end(text);
    let first = parse(&text[..end])?;
    let rest = text[end..].strip_prefix(':')?;
    let length = word_end(rest);
    let second = parse(&rest[..length])?;
    let follows = rest[length..].starts_with(['(', '!', '[']);
    (!follows).then_some((form(first, second), end + 1 + length))
}

/// `Jan:Mar!` without quotes: the length before the `!`. `A5:Jan!A6` is a range, for a sheet that looks like a cell is quoted.
fn three_d_end(text: &str, first: usize) -> Option<usize> {
    let rest = text[first..].strip_prefix(':')?;
    let second = word_end(rest);
    let is_range = Corner::parse(&text[..first]).is_some() && Corner::parse(&rest[..second]).is_none();
    (second > 0 && !is_range && rest[second..].starts_with('!')).then_some(first + 1 + second)
}

/// `:Mar!` or `:'My sheet'!` behind a sheet: the second sheet, and the length before the `!`.
fn second_sheet(text: &str) -> Option<(String, usize)> {
    let rest = text.strip_prefix(':')?;
    let (name, end) = match rest.starts_with('\'') {
        true => {
            let end = quoted_end(rest, '\'')?;
            (rest[1..end - 1].replace("''", "'"), end)
        }
        false => (rest[..word_end(rest)].to_owned(), word_end(rest)),
    };
    let is_sheet = !name.is_empty() && !name.contains([':', '[', ']']) && rest[end..].starts_with('!');
    is_sheet.then_some((name, end + 1))
}

fn spanning(first: String, last: String, range: Range<usize>) -> Prefix {
    let last = Some(last);
    Prefix { last_sheet: last, ..prefix(&first, range) }
}

/// The sheet of a function that is one of its names (`Data!Tax(`).
pub(super) fn function_prefix(formula: &str, token: &Token) -> Option<Prefix> {
    let word = &formula[token.range.clone()];
    let end = word.rfind('!')?;
    let before = &word[..end];
    let inner = before.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\''));
    let inner = inner.map_or_else(|| before.to_owned(), |inner| inner.replace("''", "'"));
    Some(prefix(&inner, token.range.start..token.range.start + end + 1))
}

/// Takes apart what stands before a `!`, quotes already off.
fn prefix(inner: &str, range: Range<usize>) -> Prefix {
    let (workbook, sheets) = match (inner.find('['), inner.rfind(']')) {
        (Some(open), Some(close)) if open < close => {
            let path = &inner[..open];
            (Some(format!("{path}{}", &inner[open + 1..close])), &inner[close + 1..])
        }
        _ => (None, inner),
    };
    let (sheet, last_sheet) = match sheets.split_once(':') {
        Some((first, last)) => (first.to_owned(), Some(last.to_owned())),
        None => (sheets.to_owned(), None),
    };
    Prefix { range, sheet, last_sheet, workbook }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '\\' | '?' | '$') || !character.is_ascii()
}

fn word_end(text: &str) -> usize {
    text.find(|c: char| !is_word(c)).unwrap_or(text.len())
}

/// The end of a quoted run in which the quote is doubled to stand for itself.
fn quoted_end(text: &str, quote: char) -> Option<usize> {
    let mut end = 1;
    while let Some(at) = text[end..].find(quote) {
        end += at + 1;
        if !text[end..].starts_with(quote) {
            return Some(end);
        }
        end += 1;
    }
    None
}

/// The end of a bracket with everything nested in it; `'` escapes the next character (MS-XLSX 2.2.2.1).
fn bracket_end(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\'' => drop(characters.next()),
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

fn number_end(text: &str) -> usize {
    let digits = |from: usize| from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}

/// The end of an error value; what clings to `#REF!` (`#REF!A1`, of a deleted sheet) belongs to it.
fn error_end(text: &str) -> Option<usize> {
    if !text.starts_with('#') {
        return None;
    }
    let error = ERRORS
        .iter()
        .find(|error| text.get(..error.len()).is_some_and(|start| start.eq_ignore_ascii_case(error)))?;
    if *error != "#REF!" {
        return Some(error.len());
    }
    let rest = &text[error.len()..];
    let clinging = reference(rest).map_or_else(|| word_end(rest), |(_, end)| end);
    Some(error.len() + clinging)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens as text with a letter for their kind, blanks left out.
    fn show(formula: &str) -> String {
        let kind = |token: &Token| match &token.kind {
            TokenKind::Space => None,
            TokenKind::Text => Some('t'),
            TokenKind::Number => Some('n'),
            TokenKind::Boolean => Some('b'),
            TokenKind::Error => Some('e'),
            TokenKind::Function => Some('f'),
            TokenKind::Name(_) => Some('d'),
            TokenKind::Reference(_) => Some('r'),
            TokenKind::Structured { .. } => Some('s'),
            TokenKind::Operator => Some('o'),
        };
        let shown = |token: &Token| kind(token).map(|k| format!("{k}:{}", &formula[token.range.clone()]));
        tokens(formula).iter().filter_map(shown).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn corners_of_the_grammar() {
        for (formula, shown) in [
            ("SUM(A1:B2)", "f:SUM o:( r:A1:B2 o:)"),
            ("LOG10(A1)+ATAN2(1,2)", "f:LOG10 o:( r:A1 o:) o:+ f:ATAN2 o:( n:1 o:, n:2 o:)"),
            ("'It''s & 2nd'!A1", "r:'It''s & 2nd'!A1"),
            ("'A:B c'!X1", "r:'A:B c'!X1"),
            ("Jan:Mar!A1:B2", "r:Jan:Mar!A1:B2"),
            ("[1]Data!$A$1+'[2]My x'!B2", "r:[1]Data!$A$1 o:+ r:'[2]My x'!B2"),
            ("[1]!Rate*2", "d:[1]!Rate o:* n:2"),
            ("A:A+$B:C+3:$5+1:1", "r:A:A o:+ r:$B:C o:+ r:3:$5 o:+ r:1:1"),
            ("\"A1 \"\"x\"\" B2\"&A1", "t:\"A1 \"\"x\"\" B2\" o:& r:A1"),
            ("R1C1+RC+R1+TAX2024+AAA1+XFE1", "d:R1C1 o:+ d:RC o:+ r:R1 o:+ r:TAX2024 o:+ r:AAA1 o:+ d:XFE1"),
            ("Data!#REF!+#REF!A1+#N/A", "r:Data!#REF! o:+ e:#REF!A1 o:+ e:#N/A"),
            ("A1#+SUM(B2#)", "r:A1# o:+ f:SUM o:( r:B2# o:)"),
            ("Tbl[[#This Row],[a]]-[@b]", "s:Tbl[[#This Row],[a]] o:- s:[@b]"),
            ("T['[x']]*[[#Totals],[It''s]]", "s:T['[x']] o:* s:[[#Totals],[It''s]]"),
            ("1.5E+3-.5+2e5", "n:1.5E+3 o:- n:.5 o:+ n:2e5"),
            ("INDEX(A1:A9,1):B5", "f:INDEX o:( r:A1:A9 o:, n:1 o:) o:: r:B5"),
            ("A1:INDEX(B:B,3)", "r:A1 o:: f:INDEX o:( r:B:B o:, n:3 o:)"),
            ("A1 B2,C3", "r:A1 r:B2 o:, r:C3"),
            ("IF(A1<>\"\",TRUE,-1%)", "f:IF o:( r:A1 o:<> t:\"\" o:, b:TRUE o:, o:- n:1 o:% o:)"),
            ("{1,2;3,4}", "o:{ n:1 o:, n:2 o:; n:3 o:, n:4 o:}"),
            ("_xlfn._xlws.SORT(A1:A3)", "f:_xlfn._xlws.SORT o:( r:A1:A3 o:)"),
            ("매출!B2+Übersicht!A1", "r:매출!B2 o:+ r:Übersicht!A1"),
            ("Sheet1!Rate+A.B", "d:Sheet1!Rate o:+ d:A.B"),
            ("2024!A1", "r:2024!A1"),
            ("SUM(Jan:'My B'!A5)", "f:SUM o:( r:Jan:'My B'!A5 o:)"),
            ("'It''s A':'My B'!A5:B6+'It''s A':Mar!A5", "r:'It''s A':'My B'!A5:B6 o:+ r:'It''s A':Mar!A5"),
            ("A5:Jan!A6+Q1:Q4!B5+A1:'x y'!B2", "r:A5 o:: r:Jan!A6 o:+ r:Q1:Q4!B5 o:+ r:A1 o:: r:'x y'!B2"),
            ("Jan!A1:Jan!B2 'x y'!A1:'x y'!B2", "r:Jan!A1 o:: r:Jan!B2 r:'x y'!A1 o:: r:'x y'!B2"),
            ("'C:\\d\\[Bk 1.xlsx]My A'!A5", "r:'C:\\d\\[Bk 1.xlsx]My A'!A5"),
            ("Jan!Tax(A1)+'x y'!Tax(A1)", "f:Jan!Tax o:( r:A1 o:) o:+ f:'x y'!Tax o:( r:A1 o:)"),
            (
                "T['#a]+T[['[x'']:[b c]]+T[[#Data],[#Totals]]",
                "s:T['#a] o:+ s:T[['[x'']:[b c]] o:+ s:T[[#Data],[#Totals]]",
            ),
            ("_xlfn.LET(_xlpm.a1,A1,_xlpm.a1)", "f:_xlfn.LET o:( d:_xlpm.a1 o:, r:A1 o:, d:_xlpm.a1 o:)"),
        ] {
            assert_eq!(show(formula), shown, "{formula}");
        }
    }

    #[test]
    fn every_byte_has_its_token() {
        for formula in
            ["'open", "[open", "\"open", "A1 +\n B2", "§$%&/()=?", "#", "!", "A1!!B", "'a'b", "$", "T[x"]
        {
            let all: String = tokens(formula).iter().map(|token| &formula[token.range.clone()]).collect();
            assert_eq!(all, formula);
        }
    }
}
