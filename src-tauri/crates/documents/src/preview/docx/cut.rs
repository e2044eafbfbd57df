//! Cutting a long document down to what is looked at: its beginning, and the surroundings of given places.
//!
//! Whole blocks of the body are left out, never parts of one. Whoever left blocks out says how many paragraphs and tables they
//! held, so that the addresses behind them stay those of the whole document.

use std::ops::Range;

use super::CopyRequest;
use crate::{
    Cancel,
    package::xml::{Scanner, TokenKind, XmlError},
};

/// Blocks shown on each side of a wanted one.
const AROUND: usize = 12;

/// Left-out blocks; an empty paragraph stands at `at` for them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Gap {
    /// Where the stand-in begins in the cut text.
    pub(super) at: usize,
    /// Block-level paragraphs and tables of the body among the left-out ones.
    pub(super) paragraphs: usize,
    pub(super) tables: usize,
    /// All paragraphs among them, those in tables too.
    pub(super) left_out: usize,
}

pub(super) struct Cut {
    pub(super) text: Vec<u8>,
    pub(super) gaps: Vec<Gap>,
}

/// One child of the body.
#[derive(Debug, Default)]
struct Block {
    span: Range<usize>,
    /// Block-level paragraphs and tables in it: one, or those inside a content control.
    paragraphs: usize,
    tables: usize,
    all_paragraphs: usize,
    is_section: bool,
}

/// Cuts the main part, given as UTF-8.
pub(super) fn cut(
    part: &[u8],
    request: &CopyRequest,
    depth: usize,
    cancel: Cancel<'_>,
) -> Result<Cut, XmlError> {
    let whole = || Cut { text: part.to_vec(), gaps: Vec::new() };
    if request.most == 0 {
        return Ok(whole());
    }
    let (prefix, blocks) = blocks(part, depth, cancel)?;
    let total: usize = blocks.iter().map(|block| block.all_paragraphs).sum();
    if total <= request.most + request.most / 2 {
        return Ok(whole());
    }
    let kept = choose(&blocks, request);
    let mut cut = Cut { text: Vec::new(), gaps: Vec::new() };
    let mut copied = 0;
    let mut at = 0;
    while at < blocks.len() {
        if kept[at] {
            at += 1;
            continue;
        }
        let run = blocks[at..].iter().zip(&kept[at..]).take_while(|(_, kept)| !**kept).count();
        let left = &blocks[at..at + run];
        let sum = |count: fn(&Block) -> usize| left.iter().map(count).sum();
        cut.text.extend_from_slice(&part[copied..left[0].span.start]);
        let gap = Gap {
            at: cut.text.len(),
            paragraphs: sum(|block| block.paragraphs),
            tables: sum(|block| block.tables),
            left_out: sum(|block| block.all_paragraphs),
        };
        cut.gaps.push(gap);
        cut.text.extend_from_slice(format!("<{prefix}p></{prefix}p>").as_bytes());
        copied = left[run - 1].span.end;
        at += run;
    }
    cut.text.extend_from_slice(&part[copied..]);
    Ok(cut)
}

/// Which blocks stay: section ends, those around wanted places, and the beginning up to the budget.
fn choose(blocks: &[Block], request: &CopyRequest) -> Vec<bool> {
    let mut kept: Vec<bool> = blocks.iter().map(|block| block.is_section).collect();
    let (mut paragraph, mut table) = (0, 0);
    let wanted: Vec<(bool, usize)> = request.keep.iter().filter_map(|at| first_step(at)).collect();
    for (index, block) in blocks.iter().enumerate() {
        let holds = |(is_table, number): &(bool, usize)| {
            let (before, count) =
                if *is_table { (table, block.tables) } else { (paragraph, block.paragraphs) };
            (before + 1..=before + count).contains(number)
        };
        if wanted.iter().any(holds) {
            let around = index.saturating_sub(AROUND)..(index + AROUND + 1).min(blocks.len());
            kept[around].fill(true);
        }
        paragraph += block.paragraphs;
        table += block.tables;
    }
    let spent: usize =
        blocks.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(block, _)| block.all_paragraphs).sum();
    let mut left = request.most.saturating_sub(spent);
    for (block, kept) in blocks.iter().zip(&mut kept) {
        if left == 0 {
            break;
        }
        if !*kept {
            *kept = true;
            left = left.saturating_sub(block.all_paragraphs.max(1));
        }
    }
    kept
}

/// `p12` or the `t3` of `t3.r1.c1.p1`: whether it is a table, and its number.
fn first_step(at: &str) -> Option<(bool, usize)> {
    let step = at.split('.').next()?;
    let (letter, number) = step.split_at_checked(1)?;
    Some((letter == "t", number.parse().ok()?)).filter(|_| matches!(letter, "p" | "t"))
}

/// The prefix of the document's elements and the children of its body.
fn blocks(part: &[u8], depth: usize, cancel: Cancel<'_>) -> Result<(String, Vec<Block>), XmlError> {
    let mut scanner = Scanner::new(part, depth);
    let mut prefix = String::new();
    let mut blocks = Vec::new();
    let mut block = Block::default();
    // How many open elements inside the body lead through to block level (content controls and the like).
    let (mut open, mut through) = (0_usize, 0_usize);
    let mut seen = 0_usize;
    while let Some(token) = scanner.next_token()? {
        seen += 1;
        if seen.is_multiple_of(65_536) && cancel() {
            return Ok((prefix, Vec::new()));
        }
        let name = &part[token.name.clone()];
        match token.kind {
            TokenKind::Start { empty } => {
                if open == 0 {
                    let name = std::str::from_utf8(name).unwrap_or_default();
                    prefix = name.rfind(':').map_or(String::new(), |colon| name[..=colon].to_owned());
                }
                let local = name.strip_prefix(prefix.as_bytes()).unwrap_or(name);
                if open == 2 {
                    block = Block {
                        span: token.span.clone(),
                        is_section: local == b"sectPr",
                        ..Block::default()
                    };
                }
                if open >= 2 {
                    let at_block_level = open - 2 == through;
                    block.all_paragraphs += usize::from(local == b"p");
                    block.paragraphs += usize::from(local == b"p" && at_block_level);
                    block.tables += usize::from(local == b"tbl" && at_block_level);
                    // A section that ends inside the document ends in a paragraph's properties; its break must stay.
                    block.is_section |= local == b"sectPr";
                    let leads = matches!(
                        local,
                        b"sdt"
                            | b"sdtContent"
                            | b"customXml"
                            | b"smartTag"
                            | b"ins"
                            | b"del"
                            | b"moveTo"
                            | b"moveFrom"
                    );
                    through += usize::from(leads && at_block_level && !empty);
                    if open == 2 && empty {
                        blocks.push(std::mem::take(&mut block));
                    }
                }
                open += usize::from(!empty);
            }
            TokenKind::End => {
                open -= 1;
                through = through.min(open.saturating_sub(2));
                if open == 2 {
                    block.span.end = token.span.end;
                    blocks.push(std::mem::take(&mut block));
                }
            }
            _ => {}
        }
    }
    Ok((prefix, blocks))
}
