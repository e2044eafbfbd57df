//! 3-D references (`Jan:Mar!A1`) when one of the sheets they are named by goes, or moves past the other one.
//!
//! Excel's documented rule ("Create a reference to the same cell range on multiple worksheets"): what lies between the two sheets counts,
//! so a deleted end gives way to its neighbour inside, and so does an end that was moved past the other.

use super::{
    rewrite::{Replacement, reference_to_sheets, rewrite},
    tokens::TokenKind,
};
use crate::formats::xlsx::address::same_name;

/// The formula after `sheet` was moved or deleted; the orders are those of the worksheets before and after.
pub(in crate::formats::xlsx) fn respan(
    formula: &str,
    sheet: &str,
    before: &[String],
    after: &[String],
) -> Option<String> {
    if !formula.contains(':') || !formula.contains('!') {
        return None;
    }
    let place = |order: &[String], name: &str| order.iter().position(|known| same_name(known, name));
    rewrite(formula, |token| {
        let TokenKind::Reference(reference) = &token.kind else { return Replacement::Keep };
        let Some(prefix) = reference.prefix.as_ref().filter(|prefix| prefix.workbook.is_none()) else {
            return Replacement::Keep;
        };
        let Some(last) = &prefix.last_sheet else { return Replacement::Keep };
        let ends = (place(before, &prefix.sheet), place(before, last));
        let (Some(first_at), Some(last_at)) = ends else { return Replacement::Keep };
        let (is_first, is_last) = (same_name(&prefix.sheet, sheet), same_name(last, sheet));
        let reversed = match (place(after, &prefix.sheet), place(after, last)) {
            (Some(first), Some(last)) => first > last,
            _ => true,
        };
        if !(is_first || is_last) || !reversed || first_at > last_at {
            return Replacement::Keep;
        }
        if is_first && is_last {
            return Replacement::With("#REF!".into());
        }
        let (first_at, last_at) = if is_first { (first_at + 1, last_at) } else { (first_at, last_at - 1) };
        let prefix_text = reference_to_sheets(&before[first_at], &before[last_at]);
        Replacement::With(format!("{prefix_text}!{}", &formula[prefix.range.end..token.range.end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_deleted_end_gives_way_to_its_neighbour() {
        let before = order("Jan Feb Mar Apr");
        let deleted = |formula: &str, sheet: &str| {
            let after: Vec<String> = before.iter().filter(|name| *name != sheet).cloned().collect();
            respan(formula, sheet, &before, &after)
        };
        assert_eq!(deleted("SUM(Jan:Mar!A1)", "Mar").as_deref(), Some("SUM(Jan:Feb!A1)"));
        assert_eq!(deleted("SUM(jan:Mar!A1#)+Jan!A1", "Jan").as_deref(), Some("SUM(Feb:Mar!A1#)+Jan!A1"));
        assert_eq!(deleted("SUM(Jan:Feb!A1)", "Feb").as_deref(), Some("SUM(Jan!A1)"));
        assert_eq!(deleted("SUM(Jan:Jan!A1)", "Jan").as_deref(), Some("SUM(#REF!)"));
        assert_eq!(deleted("SUM(Jan:Mar!A1)", "Feb"), None);
        assert_eq!(deleted("SUM([1]Jan:Mar!A1)", "Mar"), None);
    }

    #[test]
    fn an_end_moved_past_the_other_gives_way_too() {
        let before = order("Jan Feb Mar Apr");
        let moved = |after: &str, sheet: &str| respan("SUM(Jan:Mar!A1)", sheet, &before, &order(after));
        assert_eq!(moved("Feb Mar Jan Apr", "Jan").as_deref(), Some("SUM(Feb:Mar!A1)"));
        assert_eq!(moved("Mar Jan Feb Apr", "Mar").as_deref(), Some("SUM(Jan:Feb!A1)"));
        assert_eq!(moved("Feb Jan Mar Apr", "Jan"), None);
        assert_eq!(moved("Jan Mar Feb Apr", "Feb"), None);
    }
}
