//! The unified form of a difference (as `diff -u` writes it), for terminals.
//!
//! A carriage return stays in its line, so that a changed ending shows.

use std::fmt::Write;

use super::{LineHunk, compare_lines, lines};

/// Lines shown around a change.
const CONTEXT: usize = 3;

/// The differences as text; empty when there are none.
pub fn unified(before: &str, after: &str, before_name: &str, after_name: &str) -> String {
    let hunks = compare_lines(before, after).hunks;
    if hunks.is_empty() {
        return String::new();
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(before).collect(), lines(after).collect());
    let mut out = format!("--- {before_name}\n+++ {after_name}\n");
    for group in grouped(&hunks) {
        write_group(&mut out, group, &old, &new);
    }
    out
}

/// Hunks whose context would touch stand together.
fn grouped(hunks: &[LineHunk]) -> impl Iterator<Item = &[LineHunk]> {
    hunks.chunk_by(|one, next| next.before.start - one.before.end <= 2 * CONTEXT)
}

fn write_group(out: &mut String, group: &[LineHunk], old: &[&str], new: &[&str]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let above = first.before.start.min(CONTEXT);
    let below = (old.len() - last.before.end).min(CONTEXT);
    let gone = first.before.start - above..last.before.end + below;
    let come = first.after.start - above..last.after.end + below;
    // Writing to a String cannot fail.
    let _ = writeln!(out, "@@ -{} +{} @@", position(&gone), position(&come));
    let mut shown = gone.start;
    for hunk in group {
        write_lines(out, ' ', &old[shown..hunk.before.start]);
        write_lines(out, '-', &old[hunk.before.clone()]);
        write_lines(out, '+', &new[hunk.after.clone()]);
        shown = hunk.before.end;
    }
    write_lines(out, ' ', &old[shown..gone.end]);
}

/// `first,count`; of nothing, the line before it.
fn position(range: &std::ops::Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => format!("{}", range.start + 1),
        count => format!("{},{count}", range.start + 1),
    }
}

fn write_lines(out: &mut String, mark: char, lines: &[&str]) {
    for line in lines {
        out.push(mark);
        out.push_str(line.strip_suffix('\n').unwrap_or(line));
        out.push('\n');
        if !line.ends_with(['\n', '\r']) {
            out.push_str("\\ No newline at end of file\n");
        }
    }
}
