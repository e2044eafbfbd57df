//! The text of a tool turn without what leaked into it: a leading think block, control tokens, call markers.
//!
//! Works on pieces as they arrive and holds back only what may still become a token; `finish` gives the rest out, so no last `<` is
//! lost. Requests without tools never come here: their text is nobody's business.

use super::markers::{self, Match};

/// What one piece of text turned into.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Filtered {
    pub(crate) text: String,
    pub(crate) reasoning: String,
}

/// What was found on the way.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Findings {
    pub(crate) stripped_control: bool,
    pub(crate) split_think: bool,
    /// Everything from the first call marker on; it is not shown.
    pub(crate) from_call_marker: Option<String>,
}

#[derive(Debug, Default)]
pub(crate) struct TextFilter {
    pending: String,
    state: State,
    findings: Findings,
    code: CodeState,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Only white space so far; a think block may begin.
    #[default]
    Start,
    /// Inside a leading think block that ends with this tag.
    Thinking(&'static str),
    /// White space between the think block and the answer belongs to neither.
    AfterThink,
    Text,
    AfterCallMarker,
}

const THINK_TAGS: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
];

impl TextFilter {
    pub(crate) fn feed(&mut self, piece: &str) -> Filtered {
        self.pending.push_str(piece);
        let mut out = Filtered::default();
        while self.step(&mut out) {}
        out
    }

    /// Gives out what was held back.
    pub(crate) fn finish(&mut self) -> Filtered {
        let mut out = Filtered::default();
        while self.step(&mut out) {}
        let rest = std::mem::take(&mut self.pending);
        match self.state {
            State::Thinking(_) => out.reasoning.push_str(&rest),
            State::AfterThink => {}
            State::Start | State::Text | State::AfterCallMarker => out.text.push_str(&rest),
        }
        out
    }

    pub(crate) fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Handles one part of what is pending; whether there may be more to do.
    fn step(&mut self, out: &mut Filtered) -> bool {
        match self.state {
            State::Start => self.start(out),
            State::Thinking(end_tag) => self.think(end_tag, out),
            State::AfterThink => self.skip_blank(),
            State::Text => self.text(out),
            State::AfterCallMarker => {
                let rest = std::mem::take(&mut self.pending);
                if let Some(hidden) = &mut self.findings.from_call_marker {
                    hidden.push_str(&rest);
                }
                false
            }
        }
    }

    fn start(&mut self, out: &mut Filtered) -> bool {
        let begun = self.pending.trim_start();
        if begun.is_empty() {
            return false;
        }
        for (open, close) in THINK_TAGS {
            if let Some(rest) = begun.strip_prefix(open) {
                self.pending = rest.to_owned();
                self.state = State::Thinking(close);
                self.findings.split_think = true;
                return true;
            }
        }
        if THINK_TAGS.iter().any(|(open, _)| open.starts_with(begun)) {
            return false;
        }
        let blank = self.pending.len() - begun.len();
        out.text.extend(self.pending.drain(..blank));
        self.state = State::Text;
        true
    }

    fn think(&mut self, end_tag: &'static str, out: &mut Filtered) -> bool {
        if let Some(at) = self.pending.find(end_tag) {
            out.reasoning.push_str(&self.pending[..at]);
            self.pending.drain(..at + end_tag.len());
            self.state = State::AfterThink;
            return true;
        }
        let held = held_suffix(&self.pending, end_tag);
        let ready = self.pending.len() - held;
        out.reasoning.extend(self.pending.drain(..ready));
        false
    }

    fn skip_blank(&mut self) -> bool {
        let blank = self.pending.len() - self.pending.trim_start().len();
        self.pending.drain(..blank);
        let has_text = !self.pending.is_empty();
        if has_text {
            self.state = State::Text;
        }
        has_text
    }

    fn text(&mut self, out: &mut Filtered) -> bool {
        let Some(at) = self.pending.find(markers::can_begin) else {
            let all = std::mem::take(&mut self.pending);
            self.show(&all, out);
            return false;
        };
        let before: String = self.pending.drain(..at).collect();
        self.show(&before, out);
        let found = if self.code.is_inside() { Match::Nothing } else { markers::match_at(&self.pending) };
        match found {
            Match::Partial => false,
            Match::Nothing => {
                let one = self.pending.remove(0).to_string();
                self.show(&one, out);
                true
            }
            Match::Control(length) => {
                self.pending.drain(..length);
                self.findings.stripped_control = true;
                true
            }
            Match::Call(_) => {
                self.findings.from_call_marker = Some(String::new());
                self.state = State::AfterCallMarker;
                true
            }
        }
    }

    fn show(&mut self, text: &str, out: &mut Filtered) {
        self.code.feed(text);
        out.text.push_str(text);
    }
}

/// How many bytes at the end may be the beginning of `tag`.
fn held_suffix(text: &str, tag: &str) -> usize {
    let begins = |length: &usize| tag.get(..*length).is_some_and(|begin| text.ends_with(begin));
    (1..tag.len()).rev().find(begins).unwrap_or(0)
}

/// Whether the text stands inside a code span or a code block (CommonMark 4.5 and 6.1, as far as a stream can tell).
#[derive(Debug, Default)]
struct CodeState {
    /// Backticks of the open block or span.
    open: usize,
    is_block: bool,
    run: usize,
    line_is_blank: bool,
    has_begun: bool,
}

impl CodeState {
    fn is_inside(&self) -> bool {
        // A run that is still growing has opened something, unless it closes what was open.
        self.open > 0 || self.run > 0
    }

    fn feed(&mut self, text: &str) {
        for c in text.chars() {
            if !std::mem::replace(&mut self.has_begun, true) {
                self.line_is_blank = true;
            }
            if c == '`' {
                self.run += 1;
                continue;
            }
            self.end_run();
            match c {
                '\n' => {
                    // A code span ends with its line here: an odd backtick must not hide the rest of the answer.
                    if !self.is_block {
                        self.open = 0;
                    }
                    self.line_is_blank = true;
                }
                ' ' | '\t' | '>' => {}
                _ => self.line_is_blank = false,
            }
        }
    }

    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        if run == 0 {
            return;
        }
        let at_line_start = self.line_is_blank;
        self.line_is_blank = false;
        if self.open == 0 {
            self.open = run;
            self.is_block = run >= 3 && at_line_start;
        } else if self.is_block && at_line_start && run >= self.open || !self.is_block && run == self.open {
            self.open = 0;
            self.is_block = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Filtered, TextFilter};

    fn run(pieces: &[&str]) -> (Filtered, TextFilter) {
        let mut filter = TextFilter::default();
        let mut all = Filtered::default();
        for piece in pieces {
            let out = filter.feed(piece);
            all.text += &out.text;
            all.reasoning += &out.reasoning;
        }
        let out = filter.finish();
        all.text += &out.text;
        all.reasoning += &out.reasoning;
        (all, filter)
    }

    #[track_caller]
    fn check(text: &str, shown: &str, reasoning: &str, hidden: Option<&str>) {
        let expected = Filtered { text: shown.into(), reasoning: reasoning.into() };
        let characters: Vec<String> = text.chars().map(String::from).collect();
        let single: Vec<&str> = characters.iter().map(String::as_str).collect();
        for pieces in [vec![text], single] {
            let (all, filter) = run(&pieces);
            assert_eq!(all, expected, "{text}");
            assert_eq!(filter.findings().from_call_marker.as_deref(), hidden, "{text}");
        }
    }

    #[test]
    fn a_tag_of_characters_of_several_bytes_may_come_in_pieces() {
        check("◁think▷weigh it ◁/ no▷◁/think▷yes", "yes", "weigh it ◁/ no▷", None);
        check("◁think▷cut off ◁/thin", "", "cut off ◁/thin", None);
    }

    #[test]
    fn plain_text_passes_to_its_last_character() {
        check("a < b, [c] and <b>d</b> ends with <", "a < b, [c] and <b>d</b> ends with <", "", None);
        check("<", "<", "", None);
        check("  <thi", "  <thi", "", None);
        check("<|im", "<|im", "", None);
    }

    #[test]
    fn a_leading_think_block_is_reasoning() {
        check("<think>why</think>\n\nanswer", "answer", "why", None);
        check("\n<think>never closed", "", "never closed", None);
        check("answer <think>not leading</think>", "answer <think>not leading</think>", "", None);
    }

    #[test]
    fn control_tokens_are_taken_out() {
        check("<｜begin▁of▁sentence｜>Hello<|im_end|>", "Hello", "", None);
    }

    #[test]
    fn everything_from_a_call_marker_on_is_hidden() {
        check("Sure. <｜DSML｜function_calls>\n<x>", "Sure. ", "", Some("<｜DSML｜function_calls>\n<x>"));
        check("<tool_call>", "", "", Some("<tool_call>"));
    }

    #[test]
    fn code_may_speak_about_markers() {
        check("Use `<tool_call>` here.", "Use `<tool_call>` here.", "", None);
        check("```xml\n<tool_call>\n```\nend", "```xml\n<tool_call>\n```\nend", "", None);
        check("`a` <tool_call>", "`a` ", "", Some("<tool_call>"));
        check("it's 5` long\n<tool_call>", "it's 5` long\n", "", Some("<tool_call>"));
    }
}
