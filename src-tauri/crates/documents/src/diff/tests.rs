//! Differences by examples, and against what a diff must satisfy.

use proptest::prelude::*;

use super::*;

fn words(before: &str, after: &str) -> Vec<(String, String)> {
    let units = |text: &str, range: &Range<usize>| {
        let all: Vec<u16> = text.encode_utf16().collect();
        String::from_utf16(&all[range.clone()]).unwrap()
    };
    let found = diff(before, after);
    let changes = found.hunks.iter().flat_map(|hunk| &hunk.words);
    changes.map(|change| (units(before, &change.before), units(after, &change.after))).collect()
}

#[test]
fn words_in_changed_lines() {
    assert_eq!(
        words("a\nthe old word 😀 here\nb\n", "a\nthe new word 😀 there\nb\n"),
        [("old".into(), "new".into()), ("here".into(), "there".into())]
    );
    assert_eq!(words("😀 a\n", "😀 b\n"), [("a".into(), "b".into())]);
}

#[test]
fn lines_by_number_and_units() {
    let found = diff("😀\nb\nc\n", "😀\nB\nx\nc\n");
    assert_eq!(found.hunks.len(), 1);
    assert_eq!(found.hunks[0].before, DiffLines { first: 2, count: 1, start: 3, end: 5 });
    assert_eq!(found.hunks[0].after, DiffLines { first: 2, count: 2, start: 3, end: 7 });
    assert_eq!(diff("a\n", "a\n").hunks, []);
}

#[test]
fn a_changed_ending_is_a_change() {
    assert_eq!(diff("a\r\nb\r\n", "a\r\nb\n").hunks[0].before.first, 2);
    assert_eq!(diff("a\rb", "a\r\nb").hunks.len(), 1);
}

#[test]
fn unified_text() {
    let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10";
    let expected = "--- a\n+++ b\n@@ -2,8 +2,9 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n 9\n+10\n\\ No newline at end of file\n";
    assert_eq!(unified(before, after, "a", "b"), expected);
    assert_eq!(unified(before, before, "a", "b"), "");
    assert_eq!(unified("", "a\n", "a", "b"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+a\n");
}

proptest! {
    /// Putting the new lines in place of the old ones gives the new text.
    #[test]
    fn hunks_rebuild_the_new_text(before in "[ab\r\n]{0,24}", after in "[ab\r\n]{0,24}") {
        let mut rebuilt = String::new();
        let mut at = 0;
        for hunk in diff(&before, &after).hunks {
            rebuilt.push_str(&before[at..hunk.before.start]);
            rebuilt.push_str(&after[hunk.after.start..hunk.after.end]);
            at = hunk.before.end;
        }
        rebuilt.push_str(&before[at..]);
        prop_assert_eq!(rebuilt, after);
    }

    /// So does putting the new words in place of the old ones, where there are words.
    #[test]
    fn words_rebuild_the_new_text(before in "([ab]{1,3} ?){1,8}\n", after in "([ab]{1,3} ?){1,8}\n") {
        let mut rebuilt = String::new();
        let mut at = 0;
        for change in diff(&before, &after).hunks.iter().flat_map(|hunk| &hunk.words) {
            rebuilt.push_str(&before[at..change.before.start]);
            rebuilt.push_str(&after[change.after.clone()]);
            at = change.before.end;
        }
        rebuilt.push_str(&before[at..]);
        prop_assert_eq!(rebuilt, after);
    }
}
