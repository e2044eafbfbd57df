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
    "<tool_call>",
    "</tool_call>",
    "<tool_calls>",
    "<function_calls>",
    "<function=",
    "<minimax:tool_call>",
    "]<]minimax[>[",
    "[TOOL_CALLS]",
    "[TOOL_CALL]",
    "<tool_code>",
    "<invoke name=",
    "<parameter=",
];

/// Control tokens that have a spelling of their own.
const CONTROL_LITERALS: &[&str] = &["[gMASK]", "<end_of_turn>", "<start_of_turn>", "[e~[", "]~b]"];

/// Characters at which a token can begin.
pub(crate) fn can_begin(c: char) -> bool {
    matches!(c, '<' | ']' | '[')
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
    match piped_token(text) {
        Match::Nothing if partial => Match::Partial,
        found => found,
    }
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
    if closing.len() == after.len() || !closing.starts_with('>') {
        return Match::Nothing;
    }
    let length = text.len() - closing.len() + 1;
    let is_call = CALL_WORDS.iter().any(|known| word == *known || word.starts_with(&format!("{known}_")))
        || word.starts_with("tool_call");
    if is_call {
        Match::Call(length)
    } else if CONTROL_WORDS.contains(&word.as_str()) {
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
