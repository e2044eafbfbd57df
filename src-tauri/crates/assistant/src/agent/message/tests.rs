//! What counts as a block of a message, and where it ends.

use super::*;

fn fences(message: &str) -> Vec<Fence> {
    let only_fences = |block| match block {
        Block::Fence(fence) => Some(fence),
        Block::Edit(_) => None,
    };
    blocks(message).into_iter().filter_map(only_fences).collect()
}

fn edits(message: &str) -> Vec<EditBlock> {
    let only_edits = |block| match block {
        Block::Edit(edit) => Some(edit),
        Block::Fence(_) => None,
    };
    blocks(message).into_iter().filter_map(only_edits).collect()
}

#[test]
fn text_around_attributes_and_crlf() {
    let found = fences(
        "Before.\r\n\r\n````md file=file-02ea40ee op=append_lines fence=1\r\none\r\n\r\ntwo\r\n````\r\nAfter.",
    );
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].text, "one\n\ntwo");
    assert_eq!(found[0].state, FenceState::Closed);
    assert_eq!(found[0].language.as_deref(), Some("md"));
    let attributes: Vec<_> = found[0].attributes.iter().map(|(k, v)| format!("{k}={v}")).collect();
    assert_eq!(attributes, ["file=file-02ea40ee", "op=append_lines", "fence=1"]);
}

#[test]
fn shorter_and_same_length_fences_nest() {
    let shorter = fences("````md\na\n```js\ncode\n```\nb\n````");
    assert_eq!((shorter.len(), shorter[0].text.as_str()), (1, "a\n```js\ncode\n```\nb"));
    let same = fences("````md\na\n````js\ncode\n````\nb\n````");
    assert_eq!((same.len(), same[0].text.as_str()), (1, "a\n````js\ncode\n````\nb"));
    let longer = fences("``````md\na\n````\nb\n``````");
    assert_eq!((longer.len(), longer[0].text.as_str()), (1, "a\n````\nb"));
}

#[test]
fn a_longer_run_inside_is_text_and_a_tilde_fence_holds_backticks() {
    let found = fences("````md\na\n``````\nb\n````");
    assert_eq!(found[0].text, "a\n``````\nb");
    let tildes = fences("~~~~md\n````\n~~~\n~~~~");
    assert_eq!((tildes.len(), tildes[0].text.as_str()), (1, "````\n~~~"));
}

#[test]
fn every_cut_before_the_end_is_unclosed() {
    let whole = "````md fence=1\nfirst line\n```js\ncode\n```\nlast\n````";
    for cut in 5..whole.len() {
        let found = fences(&whole[..cut]);
        assert!(found.iter().all(|fence| fence.state != FenceState::Closed), "cut at {cut}: {found:?}");
    }
    assert_eq!(fences(whole)[0].state, FenceState::Closed);
}

#[test]
fn a_bare_inner_fence_is_never_taken_for_the_end() {
    let found = fences("````md\nbefore\n````\ncode\n````\nafter\n````\n");
    assert!(found.iter().all(|fence| fence.state != FenceState::Closed), "{found:?}");
}

#[test]
fn two_fences_with_a_language_are_two() {
    let found = fences("````md\nA\n````\nthen\n````md\nB\n````");
    assert_eq!(found.iter().map(|f| f.text.as_str()).collect::<Vec<_>>(), ["A", "B"]);
    assert!(found.iter().all(|fence| fence.state == FenceState::Closed));
}

#[test]
fn inline_code_and_indented_lines_are_no_fences() {
    assert!(fences("```js``` inline\n    ````md\nx").is_empty());
    assert_eq!(fences("  ````md\n  a\n    b\n  ````")[0].text, "a\n  b");
}

const PAIR: &str = "<<<<<<< SEARCH\nold text\n=======\nnew text\n>>>>>>> REPLACE\n";

#[test]
fn a_closed_edit_block_is_whole() {
    let found = edits(&format!("Text\n```edit:file-02ea40ee rev:12\n{PAIR}\n{PAIR}```\nmore"));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].file.as_str(), found[0].rev, found[0].closed), ("file-02ea40ee", Some(12), true));
    let expected = Pair { search: "old text".into(), replace: "new text".into() };
    assert_eq!(found[0].pairs, [expected.clone(), expected]);
    assert_eq!(found[0].fault, None);
}

#[test]
fn an_edit_block_cut_anywhere_is_never_closed() {
    let whole = format!("```edit:file-02ea40ee rev:12\n{PAIR}{PAIR}```");
    for cut in 0..whole.len() {
        for block in edits(&whole[..cut]) {
            assert!(!block.closed, "cut at {cut}: {block:?}");
        }
    }
}

#[test]
fn several_files_and_special_characters() {
    let content = "<<<<<<< SEARCH\n$1 \\n `x` \"q\" 中文 😀\n=======\n\n>>>>>>> REPLACE\n";
    let found = edits(&format!("```edit:a.md rev:1\n{content}```\n````edit:my notes.md rev:2\n{PAIR}````"));
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].pairs[0].search, "$1 \\n `x` \"q\" 中文 😀");
    assert_eq!(found[0].pairs[0].replace, "");
    assert_eq!((found[1].file.as_str(), found[1].rev), ("my notes.md", Some(2)));
}

#[test]
fn markers_in_the_content_need_longer_markers_outside() {
    let setext = "```edit:a rev:1\n<<<<<<< SEARCH\nTitle\n=======\n=======\nnew\n>>>>>>> REPLACE\n```";
    assert!(edits(setext)[0].fault.as_deref().is_some_and(|fault| fault.contains("longer markers")));
    let longer = "```edit:a rev:1\n<<<<<<<<< SEARCH\nTitle\n=======\n=========\nNew\n>>>>>>> REPLACE\n>>>>>>>>> REPLACE\n```";
    let block = &edits(longer)[0];
    assert_eq!(block.fault, None);
    assert_eq!(
        block.pairs[0],
        Pair { search: "Title\n=======".into(), replace: "New\n>>>>>>> REPLACE".into() }
    );
    let nested = "```edit:a rev:1\n<<<<<<< SEARCH\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```";
    assert!(edits(nested)[0].fault.is_some());
}

#[test]
fn code_fences_inside_a_pair_do_not_end_the_block() {
    let message = "```edit:a rev:3\n<<<<<<< SEARCH\n```js\n=======\n```ts\n>>>>>>> REPLACE\n```\n";
    let block = &edits(message)[0];
    assert!(block.closed && block.fault.is_none());
    assert_eq!(block.pairs[0], Pair { search: "```js".into(), replace: "```ts".into() });
}

#[test]
fn an_edit_block_quoted_in_a_fence_is_text() {
    assert!(edits(&format!("````md\n```edit:a rev:1\n{PAIR}```\n````")).is_empty());
}

#[test]
fn missing_rev_bad_rev_and_stray_text_are_told_apart() {
    assert_eq!(edits(&format!("```edit:a\n{PAIR}```"))[0].rev, None);
    assert!(edits(&format!("```edit:a rev:x\n{PAIR}```"))[0].fault.is_some());
    assert!(edits(&format!("```edit:a rev:1\nstray\n{PAIR}```"))[0].fault.is_some());
    assert!(edits("```edit:a rev:1\n```")[0].fault.is_some());
}
