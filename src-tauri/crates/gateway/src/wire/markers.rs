//! Control tokens and call markers that leak into text when a server's own parser fails.
//!
//! A call marker is a fault: what follows it is never read as a call. A control token is only taken out. Relays change the pipes of
//! these tokens (`｜`, `‖`, `||`), so pipes of every kind count as one. Nothing is recognised inside code spans or code blocks, where an
//! answer may speak about such tokens; that is up to the caller.

/// What stands at the beginning of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    /// A token of this many bytes.
    Control(usize),
    /// A call marker of at least this many bytes.
    Call(usize),
    /// It may become one when more text comes.
    Partial,
    Nothing,
}

/// The longest text that can still become a token.
const LONGEST: usize = 96;

/// Tokens with pipes whose inner word contains one of these announce a call.
const CALL_WORDS: &[&str] = &[
    "tool_call",
    "tool_calls",
    "tool_sep",
    "tool_output",
    "function_call",
    "python_tag",
    "channel",
    "message",
    "call",
    "constrain",
    "start_action",
    "end_action",
    "tool_calls_section",
    "tool_call_section",
    "action_start",
    "plugin",
];

/// Inner words of tokens with pipes that only separate messages.
const CONTROL_WORDS: &[&str] = &[
    "begin_of_sentence",
    "end_of_sentence",
    "begin_of_text",
    "end_of_text",
    "endoftext",
    "im_start",
    "im_end",
    "im_sep",
    "eot_id",
    "eom_id",
    "start_header_id",
    "end_header_id",
    "end",
    "return",
    "start",
    "user",
    "assistant",
    "system",
    "observation",
    "eot",
    "pad",
    "endofprompt",
    "fim_hole",
    "fim_begin",
    "fim_end",
    "begin_of_box",
    "end_of_box",
    "end_of_turn",
    "start_of_turn",
    "end_of_turn_token",
    "begin_of_message",
    "end_of_message",
];

/// Call markers that have a spelling of their own.
const CALL_LITERALS: &[&str] = &[
    "<function=",
    "]<]minimax[>[",
    "[TOOL_CALLS]",
    "[TOOL_CALL]",
    "[TOOL_REQUEST]",
    "[END_TOOL_REQUEST]",
    "<tool_code>",
    "<invoke name=",
    "<parameter=",
    "✿FUNCTION✿",
    "✿ARGS✿",
];

/// What the name of a tag ends with that announces a call, whoever's name stands before it.
const CALL_TAGS: &[&str] =
    &["tool_call", "tool_calls", "toolcall", "toolcalls", "function_call", "function_calls", "tool_use"];

/// The longest name of a tag that is waited for.
const LONGEST_TAG: usize = 40;

/// Control tokens that have a spelling of their own.
const CONTROL_LITERALS: &[&str] = &["[gMASK]", "<end_of_turn>", "<start_of_turn>", "[e~[", "]~b]"];

/// Characters at which a token can begin.
pub(crate) fn can_begin(c: char) -> bool {
    matches!(c, '<' | ']' | '[' | '✿')
}

/// Looks at the beginning of a text.
pub(crate) fn match_at(text: &str) -> Match {
    let mut partial = false;
    for literal in CALL_LITERALS {
        if text.starts_with(literal) {
            return Match::Call(literal.len());
        }
        partial |= literal.starts_with(text);
    }
    for literal in CONTROL_LITERALS {
        if text.starts_with(literal) {
            return Match::Control(literal.len());
        }
        partial |= literal.starts_with(text);
    }
    match (piped_token(text), call_tag(text)) {
        (Match::Nothing, Match::Nothing) if partial => Match::Partial,
        (Match::Nothing, tag) => tag,
        (token, _) => token,
    }
}

/// `<maker:tool_call>`, `</TOOLCALL>`, `<function_call name=…`, `<tool_call|>`.
fn call_tag(text: &str) -> Match {
    let Some(rest) = text.strip_prefix('<') else { return Match::Nothing };
    let inner = rest.strip_prefix('/').unwrap_or(rest);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':');
    let Some(end) = inner.find(|c| !is_name(c)) else {
        return if inner.len() <= LONGEST_TAG { Match::Partial } else { Match::Nothing };
    };
    let name = normal_word(&inner[..end]);
    let ends = inner[end..].starts_with(|c: char| c == '>' || c.is_ascii_whitespace() || is_pipe(c));
    let is_call = ends
        && CALL_TAGS.iter().any(|tag| {
            name.strip_suffix(tag).is_some_and(|maker| !maker.ends_with(|c: char| c.is_ascii_alphanumeric()))
        });
    if is_call { Match::Call(text.len() - inner.len() + end) } else { Match::Nothing }
}

/// Whether a text holds a call marker anywhere, code spans included: for thinking text.
pub(crate) fn has_call_marker(text: &str) -> bool {
    text.char_indices()
        .filter(|(_, c)| can_begin(*c))
        .any(|(at, _)| matches!(match_at(&text[at..]), Match::Call(_)))
}

fn is_pipe(c: char) -> bool {
    matches!(c, '|' | '｜' | '‖' | '∥' | '¦' | '│' | '❘')
}

/// `<|word|>` with any pipes, one or two on each side; and `<|DSML|…`, which needs no end.
fn piped_token(text: &str) -> Match {
    let Some(rest) = text.strip_prefix('<') else { return Match::Nothing };
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let inner_start = rest.trim_start_matches(is_pipe);
    let pipes = rest[..rest.len() - inner_start.len()].chars().count();
    if inner_start.is_empty() && text.len() < LONGEST {
        return Match::Partial;
    }
    if pipes == 0 || pipes > 3 {
        return Match::Nothing;
    }
    if inner_start.starts_with("DSML") {
        return Match::Call(text.len() - inner_start.len() + "DSML".len());
    }
    let word_end = inner_start.find(|c: char| !is_word_character(c));
    let Some(word_end) = word_end else { return unfinished(text) };
    let word = normal_word(&inner_start[..word_end]);
    let after = &inner_start[word_end..];
    let closing = after.trim_start_matches(is_pipe);
    if closing.is_empty() && !after.is_empty() {
        return unfinished(text);
    }
    if !closing.starts_with('>') {
        return Match::Nothing;
    }
    let length = text.len() - closing.len() + 1;
    let has_pipe = closing.len() < after.len();
    let is_call = CALL_WORDS.iter().any(|known| word == *known || word.starts_with(&format!("{known}_")));
    if word.starts_with("tool_call") || (is_call && has_pipe) {
        Match::Call(length)
    } else if has_pipe && CONTROL_WORDS.contains(&word.as_str()) {
        Match::Control(length)
    } else {
        Match::Nothing
    }
}

fn unfinished(text: &str) -> Match {
    if text.len() < LONGEST { Match::Partial } else { Match::Nothing }
}

fn is_word_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '▁' | ' ' | '-')
}

/// Lower case, with every separator as `_`.
fn normal_word(word: &str) -> String {
    word.chars().map(|c| if matches!(c, '▁' | ' ' | '-') { '_' } else { c.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Match, has_call_marker, match_at};

    #[test]
    fn known_markers_are_recognised() {
        for call in [
            "<｜DSML｜function_calls>",
            "<‖DSML‖invoke name=\"edit\">",
            "<｜｜DSML｜｜x",
            "<|DSML|",
            "</｜DSML｜invoke>",
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁call▁begin｜>",
            "<|tool_calls_section_begin|>",
            "<|tool_call_section_begin|>",
            "<|tool_call_begin|>",
            "<tool_call>",
            "<function=Grep>",
            "<|channel|>",
            "<|message|>",
            "]<]minimax[>[",
            "[TOOL_CALLS]",
            "<|python_tag|>",
            "<｜tool▁sep｜>",
        ] {
            assert!(matches!(match_at(call), Match::Call(_)), "{call}: {:?}", match_at(call));
        }
        for control in
            ["<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<|im_end|>", "<|endoftext|>", "[gMASK]"]
        {
            assert_eq!(match_at(control), Match::Control(control.len()), "{control}");
        }
        for text in ["<b>", "< 3", "<|unknown thing|>", "[link](x)", "]", "<table>", "<||>x", "<s>"] {
            assert!(!matches!(match_at(text), Match::Call(_) | Match::Control(_)), "{text}");
        }
    }

    #[test]
    fn every_beginning_of_a_marker_is_held() {
        for whole in
            ["<｜DSML｜function_calls>", "<tool_call>", "<|im_end|>", "]<]minimax[>[", "<｜｜DSML｜｜"]
        {
            let token_end = match match_at(whole) {
                Match::Call(length) | Match::Control(length) => length,
                other => panic!("{whole}: {other:?}"),
            };
            for (end, _) in whole.char_indices().filter(|(at, _)| *at > 0 && *at < token_end) {
                assert_eq!(match_at(&whole[..end]), Match::Partial, "{}", &whole[..end]);
            }
        }
    }

    #[test]
    fn markers_are_found_inside() {
        assert!(has_call_marker("I will call <tool_call><function=x>"));
        assert!(!has_call_marker("a < b and [c]"));
    }
}
