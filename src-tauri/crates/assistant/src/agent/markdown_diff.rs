//! Markdown Diff (CONTRACT, section 7): from the blocks of a message to batches, one per file.
//!
//! Parsing and planning only, nothing is written here: the turn loop (or `stet patch`) dry-runs every batch and commits the whole
//! set. A message with an unclosed or faulty block yields no plan at all.

use documents::Edit;

use super::message::{Block, EditBlock, blocks};
use super::refusal::{Refusal, RefusalCode};

/// What one message asks for by diff blocks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffSet {
    pub blocks: Vec<EditBlock>,
}

/// All pairs for one file, in the order of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// The file id or path as the block names it.
    pub file: String,
    pub rev: u64,
    pub pairs: Vec<super::message::Pair>,
}

/// Collects the diff blocks of a message; runs nothing.
pub fn parse(message: &str) -> DiffSet {
    let edits = |block| match block {
        Block::Edit(edit) => Some(edit),
        Block::Fence(_) => None,
    };
    DiffSet { blocks: blocks(message).into_iter().filter_map(edits).collect() }
}

impl DiffSet {
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Blocks whose end did not arrive: to be shown, never run.
    pub fn unclosed(&self) -> impl Iterator<Item = &EditBlock> {
        self.blocks.iter().filter(|block| !block.closed)
    }

    /// The batches, one per file, or the first reason why the whole set is refused.
    pub fn plan(&self) -> Result<Vec<FileDiff>, Refusal> {
        if let Some(open) = self.unclosed().next() {
            return Err(unclosed(open));
        }
        let mut files: Vec<FileDiff> = Vec::new();
        for block in &self.blocks {
            let rev = judged(block)?;
            match files.iter_mut().find(|file| file.file == block.file) {
                Some(file) if file.rev != rev => return Err(two_revisions(block, file.rev)),
                Some(file) => file.pairs.extend(block.pairs.iter().cloned()),
                None => files.push(FileDiff { file: block.file.clone(), rev, pairs: block.pairs.clone() }),
            }
        }
        Ok(files)
    }
}

fn judged(block: &EditBlock) -> Result<u64, Refusal> {
    if let Some(fault) = &block.fault {
        let message = format!("The diff block in line {} is malformed: {fault}.", block.line);
        let hint = "Each pair is `<<<<<<< SEARCH`, the old text, `=======`, the new text, `>>>>>>> REPLACE`.";
        return Err(Refusal::new(RefusalCode::InvalidArguments, message, hint));
    }
    block.rev.ok_or_else(|| {
        let message = format!("The diff block for `{}` names no revision.", block.file);
        let hint = "Open the block with ```edit:FILE_ID rev:N and the revision you read.";
        Refusal::new(RefusalCode::RevisionRequired, message, hint)
    })
}

fn unclosed(block: &EditBlock) -> Refusal {
    Refusal::new(
        RefusalCode::FenceUnclosed,
        format!(
            "The diff block for `{}` (line {}) is not closed; no block of the message was run.",
            block.file, block.line
        ),
        "Send all blocks again, complete; use fewer or smaller pairs if the message was cut.",
    )
}

fn two_revisions(block: &EditBlock, first: u64) -> Refusal {
    let message =
        format!("Two blocks for `{}` name different revisions ({first} and {:?}).", block.file, block.rev);
    Refusal::new(
        RefusalCode::InvalidArguments,
        message,
        "Blocks of one message are one batch on one revision.",
    )
}

impl FileDiff {
    /// The operations on a text with these contents (decoded, LF line ends).
    pub fn ops(&self, content: &str) -> Result<Vec<Edit>, Refusal> {
        let one = |(index, pair): (usize, &super::message::Pair)| {
            op_of(&pair.search, &pair.replace, content, self.pairs.len())
                .map_err(|refusal| refusal.at_op(index))
        };
        self.pairs.iter().enumerate().map(one).collect()
    }
}

/// One pair as an operation. Without text to replace it with, a SEARCH of whole lines takes their line ends along, or the lines
/// would stay behind empty.
fn op_of(search: &str, replace: &str, content: &str, pairs: usize) -> Result<Edit, Refusal> {
    if search.is_empty() {
        if !content.is_empty() || pairs > 1 {
            let message = "An empty SEARCH is allowed only for an empty file, as its only pair.";
            let hint = "Put the text to replace, or the line next to the new text, into SEARCH.";
            return Err(Refusal::new(RefusalCode::InvalidArguments, message, hint));
        }
        return Ok(Edit::AppendLines { text: replace.to_string() });
    }
    if replace.is_empty()
        && let Some((start_line, end_line)) = whole_lines(search, content)
    {
        return Ok(Edit::DeleteLines { start_line, end_line, expect_prefix: None });
    }
    Ok(Edit::ReplaceText {
        find: search.to_string(),
        replace: replace.to_string(),
        occurrence: None,
        matching: None,
        start_line: None,
        end_line: None,
    })
}

/// The lines that `search` covers, when it occurs once and covers them wholly.
fn whole_lines(search: &str, content: &str) -> Option<(usize, usize)> {
    let mut places = content.match_indices(search);
    let (start, _) = places.next()?;
    let end = start + search.len();
    let at_start = start == 0 || content.as_bytes()[start - 1] == b'\n';
    let at_end = end == content.len() || content.as_bytes()[end] == b'\n';
    if places.next().is_some() || !at_start || !at_end {
        return None;
    }
    let first = content[..start].matches('\n').count() + 1;
    Some((first, first + search.matches('\n').count()))
}

#[cfg(test)]
#[path = "markdown_diff/tests.rs"]
mod tests;
