//! Text of the model that could not be used because its end did not arrive: it is never written, and never lost either.

use super::Turn;
use crate::agent::{
    markdown_diff::DiffSet,
    message::{Block, FenceState, blocks},
};

impl Turn {
    /// Notes what of a message has no certain end.
    pub(super) fn note_unfinished(&mut self, message: &str) {
        self.unfinished = unfinished(message);
    }

    /// The write that needed it was refused.
    pub(super) fn keep_unfinished_text(&mut self) {
        if self.unfinished.is_some() {
            self.kept.clone_from(&self.unfinished);
        }
    }

    /// The same of Markdown Diff blocks.
    pub(super) fn keep_unfinished(&mut self, set: &DiffSet) {
        let open: Vec<&str> = set.unclosed().map(|block| block.raw.as_str()).collect();
        if !open.is_empty() {
            self.kept = Some(open.join("\n"));
        }
    }

    /// The final message with the kept text, which is told as it came.
    pub(super) fn with_kept(&mut self, text: String) -> String {
        let Some(kept) = self.kept.take() else { return text };
        let fence = "`".repeat(longest_run(&kept).max(3) + 1);
        let about = match self.speaks_chinese() {
            false => "This text was not complete, so it was not used. It is kept here for you:",
            true => "以下文字没有写完，因此没有使用，保留在这里：",
        };
        let addition = format!("\n\n{about}\n\n{fence}\n{kept}\n{fence}");
        self.say(&addition);
        text + &addition
    }
}

fn unfinished(message: &str) -> Option<String> {
    let texts: Vec<String> = blocks(message)
        .into_iter()
        .filter_map(|block| match block {
            Block::Fence(fence) => (fence.state != FenceState::Closed).then_some(fence.text),
            Block::Edit(edit) => (!edit.closed).then_some(edit.raw),
        })
        .filter(|text| !text.trim().is_empty())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

/// The longest run of backticks, which a fence around the text must outdo.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}
