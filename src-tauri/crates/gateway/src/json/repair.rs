//! The repairs that are allowed on arguments, in a fixed order. Each knows strings; none closes what is open; none invents a value.
//!
//! A general repair library is the wrong tool: it turns a cut-off text into a valid shorter one. Here the text must have passed the
//! truncation test first, every candidate must parse strictly, and the caller still validates the result against the tool's schema.

use serde_json::Value;

use super::{lexer, strict};
use crate::outcome::RepairKind;

/// A text that is now one strict JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Repaired {
    pub(crate) text: String,
    pub(crate) value: Value,
    pub(crate) kinds: Vec<RepairKind>,
}

/// Why a text stays broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The text, or the text inside it, ends while something is open.
    Open,
    Invalid(String),
}

/// How often arguments may be wrapped in a JSON string of their own text.
const MOST_WRAPPINGS: usize = 2;

/// Parses, after repairs where they are needed.
pub(crate) fn repair(text: &str) -> Result<Repaired, Broken> {
    let mut repaired = flat_repair(text)?;
    for _ in 0..MOST_WRAPPINGS {
        let Value::String(inner) = &repaired.value else { break };
        let unwrapped = flat_repair(inner)?;
        repaired.kinds.push(RepairKind::DoubleEncoded);
        repaired.kinds.extend(unwrapped.kinds);
        repaired.text = unwrapped.text;
        repaired.value = unwrapped.value;
    }
    Ok(repaired)
}

fn flat_repair(text: &str) -> Result<Repaired, Broken> {
    let first_error = match strict::parse(text) {
        Ok(value) => return Ok(Repaired { text: text.to_owned(), value, kinds: Vec::new() }),
        Err(error) => error.to_string(),
    };
    if lexer::scan(text).is_open() {
        return Err(Broken::Open);
    }
    let mut kinds = Vec::new();
    let mut candidate = text.to_owned();
    for (kind, step) in STEPS {
        let Some(changed) = step(&candidate) else { continue };
        candidate = changed;
        kinds.push(*kind);
        if let Ok(value) = strict::parse(&candidate) {
            return Ok(Repaired { text: candidate, value, kinds });
        }
    }
    Err(Broken::Invalid(first_error))
}

type Step = fn(&str) -> Option<String>;

/// Each step answers nothing when there is nothing for it to do.
const STEPS: &[(RepairKind, Step)] = &[
    (RepairKind::OuterSpace, trim_outside),
    (RepairKind::CodeFence, strip_fence),
    (RepairKind::ControlCharacters, escape_control_characters),
    (RepairKind::EscapedSpace, drop_escaped_space),
    (RepairKind::InvalidEscapes, double_invalid_escapes),
    (RepairKind::TrailingCommas, drop_trailing_commas),
    (RepairKind::SurplusClosers, drop_surplus_closers),
];

fn trim_outside(text: &str) -> Option<String> {
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}' || c == '\0');
    (trimmed.len() < text.len()).then(|| trimmed.to_owned())
}

/// A code fence that starts and ends at line starts, with nothing but the JSON between and nothing around.
fn strip_fence(text: &str) -> Option<String> {
    let trimmed = text.trim();
    let fence_length = trimmed.bytes().take_while(|byte| *byte == b'`').count();
    if fence_length < 3 {
        return None;
    }
    let fence = &trimmed[..fence_length];
    let (language, body) = trimmed[fence_length..].split_once('\n')?;
    let is_language = language.trim().chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let inner = body.strip_suffix(fence)?;
    let closes_at_line_start = inner.is_empty() || inner.ends_with('\n');
    (is_language && closes_at_line_start && !inner.ends_with('`')).then(|| inner.trim().to_owned())
}

/// RFC 8259, section 7: U+0000 to U+001F must be escaped inside strings.
fn escape_control_characters(text: &str) -> Option<String> {
    let mut repaired = String::with_capacity(text.len() + 16);
    let mut changed = false;
    walk(text, |piece| match piece {
        Piece::InString(c) if c < ' ' => {
            changed = true;
            repaired.push_str(&escaped(c));
        }
        Piece::InString(c) | Piece::Outside(c) => repaired.push(c),
        Piece::Escape(whole) => {
            // A backslash before a raw control character: the character is what was meant.
            match whole.chars().nth(1) {
                Some(c) if c < ' ' => {
                    changed = true;
                    repaired.push_str(&escaped(c));
                }
                _ => repaired.push_str(whole),
            }
        }
    });
    changed.then_some(repaired)
}

fn escaped(c: char) -> String {
    match c {
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        _ => format!("\\u{:04x}", u32::from(c)),
    }
}

/// `\n`, `\r` and `\t` written as two characters where white space may stand.
fn drop_escaped_space(text: &str) -> Option<String> {
    let mut repaired = String::with_capacity(text.len());
    let mut pending_backslash = false;
    let mut changed = false;
    walk(text, |piece| {
        let was_pending = std::mem::take(&mut pending_backslash);
        match piece {
            Piece::Outside('\\') if !was_pending => pending_backslash = true,
            Piece::Outside('n' | 'r' | 't') if was_pending => {
                changed = true;
                repaired.push(' ');
            }
            other => {
                if was_pending {
                    repaired.push('\\');
                }
                match other {
                    Piece::InString(c) | Piece::Outside(c) => repaired.push(c),
                    Piece::Escape(whole) => repaired.push_str(whole),
                }
            }
        }
    });
    changed.then_some(repaired)
}

/// Doubles the backslash of escapes that JSON does not have. A string in which a *valid* escape may be a bare backslash too (a path, a
/// TeX command) is left broken: `"C:\new\docs"` would become a path with a line end in it.
fn double_invalid_escapes(text: &str) -> Option<String> {
    let mut repaired = String::with_capacity(text.len() + 16);
    let mut string = StringEscapes::default();
    let mut changed = false;
    let mut is_ambiguous = false;
    // `\u` and then fewer than four digits is a character that lost a digit, or a bare backslash before a word.
    let mut after_bare_u = false;
    walk(text, |piece| {
        let was_bare_u = std::mem::take(&mut after_bare_u);
        match piece {
            Piece::Outside(c) => {
                if c == '"' {
                    is_ambiguous |= string.is_ambiguous();
                    string = StringEscapes::default();
                }
                repaired.push(c);
            }
            Piece::InString(c) => {
                is_ambiguous |= was_bare_u && c.is_ascii_hexdigit();
                string.plain(c);
                repaired.push(c);
            }
            Piece::Escape(whole) => {
                after_bare_u = whole == "\\u";
                let is_valid = is_valid_escape(whole);
                string.escape(whole, is_valid);
                if !is_valid {
                    changed = true;
                    repaired.push('\\');
                }
                repaired.push_str(whole);
            }
        }
    });
    is_ambiguous |= string.is_ambiguous();
    (changed && !is_ambiguous).then_some(repaired)
}

fn is_valid_escape(whole: &str) -> bool {
    let mut characters = whole.chars().skip(1);
    match characters.next() {
        Some('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => true,
        Some('u') => whole.len() == 6 && characters.all(|c| c.is_ascii_hexdigit()),
        _ => false,
    }
}

/// What the backslashes of one string look like.
#[derive(Default)]
struct StringEscapes {
    text: String,
    /// Letter runs that began with a valid escape letter.
    runs: Vec<String>,
    in_run: bool,
    has_invalid: bool,
    has_letter_escape: bool,
}

impl StringEscapes {
    fn plain(&mut self, c: char) {
        self.text.push(c);
        self.in_run &= c.is_ascii_alphabetic();
        if self.in_run
            && let Some(run) = self.runs.last_mut()
        {
            run.push(c);
        }
    }

    fn escape(&mut self, whole: &str, is_valid: bool) {
        self.in_run = false;
        self.text.push('\\');
        let Some(letter) = whole.chars().nth(1) else { return };
        self.text.push(letter);
        self.has_invalid |= !is_valid;
        if is_valid && letter.is_ascii_alphabetic() {
            self.has_letter_escape = true;
            self.in_run = true;
            self.runs.push(letter.to_string());
        }
    }

    fn is_ambiguous(&self) -> bool {
        let may_be_path = self.text.contains(":\\") || self.text.starts_with('\\');
        let may_be_tex = self.runs.iter().any(|run| TEX_COMMANDS.contains(&run.as_str()));
        self.has_invalid && self.has_letter_escape && (may_be_path || may_be_tex)
    }
}

/// Commands of TeX that begin with a letter that is also a JSON escape.
const TEX_COMMANDS: &[&str] = &[
    "bar",
    "begin",
    "beta",
    "bf",
    "big",
    "binom",
    "boldsymbol",
    "bot",
    "bullet",
    "cdot",
    "fbox",
    "flat",
    "footnote",
    "forall",
    "frac",
    "frown",
    "nabla",
    "ne",
    "neg",
    "neq",
    "newcommand",
    "newline",
    "noindent",
    "not",
    "notin",
    "nu",
    "rangle",
    "rceil",
    "ref",
    "rfloor",
    "rho",
    "right",
    "rightarrow",
    "rm",
    "tan",
    "tanh",
    "tau",
    "text",
    "textbf",
    "textit",
    "texttt",
    "theta",
    "tilde",
    "times",
    "tiny",
    "title",
    "to",
    "top",
    "triangle",
];

fn drop_trailing_commas(text: &str) -> Option<String> {
    let mut repaired = String::with_capacity(text.len());
    // Where the last comma stands, as long as only white space has followed it.
    let mut comma: Option<usize> = None;
    let mut changed = false;
    walk(text, |piece| match piece {
        Piece::Outside(c) => {
            match c {
                ',' => comma = Some(repaired.len()),
                '}' | ']' => {
                    if let Some(at) = comma.take() {
                        repaired.remove(at);
                        changed = true;
                    }
                }
                _ if c.is_whitespace() => {}
                _ => comma = None,
            }
            repaired.push(c);
        }
        Piece::InString(c) => repaired.push(c),
        Piece::Escape(whole) => repaired.push_str(whole),
    });
    changed.then_some(repaired)
}

/// Closers after the outermost value is complete, with nothing else behind it.
fn drop_surplus_closers(text: &str) -> Option<String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<serde::de::IgnoredAny>();
    values.next()?.ok()?;
    let (value, rest) = text.split_at_checked(values.byte_offset())?;
    let only_closers = rest.chars().all(|c| c == '}' || c == ']' || c.is_whitespace());
    (only_closers && !rest.trim().is_empty()).then(|| value.to_owned())
}

enum Piece<'a> {
    Outside(char),
    InString(char),
    /// A backslash and what belongs to it.
    Escape(&'a str),
}

/// Walks over a text with one state: inside a string or not. The quotes count as outside.
fn walk(text: &str, mut visit: impl FnMut(Piece<'_>)) {
    let mut in_string = false;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '\\' if in_string => escape_length(rest),
            _ => c.len_utf8(),
        };
        let (piece, tail) = rest.split_at(length);
        rest = tail;
        match c {
            '\\' if in_string => visit(Piece::Escape(piece)),
            '"' => {
                in_string = !in_string;
                visit(Piece::Outside(c));
            }
            _ if in_string => visit(Piece::InString(c)),
            _ => visit(Piece::Outside(c)),
        }
    }
}

fn escape_length(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    let Some((at, letter)) = characters.next() else { return text.len() };
    let simple = at + letter.len_utf8();
    if letter != 'u' {
        return simple;
    }
    let digits = text[simple..].bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
    if digits == 4 { simple + 4 } else { simple }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Broken, repair};
    use crate::outcome::RepairKind;

    #[track_caller]
    fn check(text: &str, expected: Value, kinds: &[RepairKind]) {
        let repaired = repair(text).unwrap_or_else(|broken| panic!("{text}: {broken:?}"));
        assert_eq!(repaired.value, expected, "{text}");
        assert_eq!(repaired.kinds, kinds, "{text}");
        let reparsed: Value = serde_json::from_str(&repaired.text).unwrap();
        assert_eq!(reparsed, expected, "the text is what was validated");
    }

    #[track_caller]
    fn check_invalid(text: &str) {
        assert!(matches!(repair(text), Err(Broken::Invalid(_))), "{text}: {:?}", repair(text));
    }

    #[test]
    fn what_is_right_stays_as_it_is() {
        let text = r#"{ "a" : 1.0, "b":"\u00e9" }"#;
        assert_eq!(repair(text).unwrap().text, text);
        check(text, json!({"a": 1.0, "b": "é"}), &[]);
    }

    #[test]
    fn each_repair_alone() {
        check("\u{feff} {\"a\":1}", json!({"a": 1}), &[RepairKind::OuterSpace]);
        check("```json\n{\"a\":1}\n```", json!({"a": 1}), &[RepairKind::CodeFence]);
        check("{\"a\":\"x\ny\tz\u{1}\"}", json!({"a": "x\ny\tz\u{1}"}), &[RepairKind::ControlCharacters]);
        check(r#"{\n"a":1,\n"b":2}"#, json!({"a": 1, "b": 2}), &[RepairKind::EscapedSpace]);
        check(r#"{"re":"\d+ \*"}"#, json!({"re": "\\d+ \\*"}), &[RepairKind::InvalidEscapes]);
        check(r#"{"a":[1,2,],}"#, json!({"a": [1, 2]}), &[RepairKind::TrailingCommas]);
        check(r#"{"a":1}}]"#, json!({"a": 1}), &[RepairKind::SurplusClosers]);
        check(r#""{\"a\":1}""#, json!({"a": 1}), &[RepairKind::DoubleEncoded]);
        check(
            r#""\"{\\\"a\\\":1}\"""#,
            json!({"a": 1}),
            &[RepairKind::DoubleEncoded, RepairKind::DoubleEncoded],
        );
    }

    #[test]
    fn repairs_do_not_touch_strings() {
        check(
            r#"{"a":",} ,] ```json }}","b":1,}"#,
            json!({"a": ",} ,] ```json }}", "b": 1}),
            &[RepairKind::TrailingCommas],
        );
        check("{\"a\":\"`\n```\"}", json!({"a": "`\n```"}), &[RepairKind::ControlCharacters]);
    }

    #[test]
    fn what_is_open_is_never_closed() {
        for open in [r#"{"a":1"#, r#"{"a":"x"#, "```json\n{\"a\":1\n```", r#""{\"a\":\"x\"""#, r#"{"a":[1,]"#]
        {
            assert_eq!(repair(open), Err(Broken::Open), "{open}");
        }
    }

    #[test]
    fn two_meanings_are_refused() {
        check_invalid(r#"{"t":"he said "hi" to"}"#);
        check_invalid(r#"{'a': True}"#);
        check_invalid(r#"{"p":"C:\new\docs"}"#);
        check_invalid(r#"{"t":"\alpha \neq \beta"}"#);
        check_invalid(r#"Here: {"a":1}"#);
        check_invalid(r#"{"a":1}{"a":2}"#);
        check_invalid(r#"{"a":1,"a":2}"#);
        check_invalid(r#"{"t":"caf\u00e and"}"#);
    }

    #[test]
    fn an_invalid_escape_beside_an_honest_line_end_is_repaired() {
        check(r#"{"t":"costs \$5\nnext"}"#, json!({"t": "costs \\$5\nnext"}), &[RepairKind::InvalidEscapes]);
    }
}
