//! From blocks to batches: whole set or nothing.

use super::*;

fn block(file: &str, rev: &str, search: &str, replace: &str) -> String {
    let lines = |text: &str| if text.is_empty() { String::new() } else { format!("{text}\n") };
    let (search, replace) = (lines(search), lines(replace));
    format!("```edit:{file}{rev}\n<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n```\n")
}

fn code(message: &str) -> Option<RefusalCode> {
    parse(message).plan().err().map(|refusal| refusal.code)
}

#[test]
fn blocks_of_one_file_become_one_batch_and_files_keep_their_order() {
    let message = [
        block("b.md", " rev:2", "x", "y"),
        block("a.md", " rev:1", "1", "2"),
        block("b.md", " rev:2", "z", "w"),
    ]
    .concat();
    let plan = parse(&message).plan().unwrap();
    assert_eq!(
        plan.iter().map(|file| (file.file.as_str(), file.pairs.len())).collect::<Vec<_>>(),
        [("b.md", 2), ("a.md", 1)]
    );
}

#[test]
fn one_bad_block_refuses_the_set() {
    let good = block("a.md", " rev:1", "x", "y");
    let cut = "```edit:b.md rev:1\n<<<<<<< SEARCH\nold";
    assert_eq!(code(&format!("{good}{cut}")), Some(RefusalCode::FenceUnclosed));
    assert_eq!(code(&format!("{good}{}", block("b.md", "", "x", "y"))), Some(RefusalCode::RevisionRequired));
    assert_eq!(
        code(&format!("{good}{}", block("a.md", " rev:2", "x", "y"))),
        Some(RefusalCode::InvalidArguments)
    );
    assert_eq!(code(&format!("{good}```edit:b.md rev:1\nx\n```")), Some(RefusalCode::InvalidArguments));
    assert_eq!(code(&good), None);
}

fn ops(search: &str, replace: &str, content: &str) -> Result<Vec<String>, RefusalCode> {
    let plan = parse(&block("a.md", " rev:1", search, replace)).plan().unwrap();
    let ops = plan[0].ops(content).map_err(|refusal| refusal.code)?;
    Ok(ops.iter().map(|op| serde_json::to_string(op).unwrap()).collect())
}

#[test]
fn pairs_become_exact_unique_replacements() {
    let expected = r#"{"op":"replace_text","find":"old $1","replace":"new\n\"x\""}"#;
    assert_eq!(ops("old $1", "new\n\"x\"", "a old $1 b"), Ok(vec![expected.into()]));
    assert_eq!(ops("x", "", "a x b"), Ok(vec![r#"{"op":"replace_text","find":"x","replace":""}"#.into()]));
}

#[test]
fn whole_lines_are_deleted_with_their_ends() {
    let content = "one\ntwo\nthree\nfour\n";
    let expected = r#"{"op":"delete_lines","start_line":2,"end_line":3}"#;
    assert_eq!(ops("two\nthree", "", content), Ok(vec![expected.into()]));
    let twice = "two\ntwo\n";
    assert_eq!(ops("two", "", twice), Ok(vec![r#"{"op":"replace_text","find":"two","replace":""}"#.into()]));
}

#[test]
fn an_empty_search_is_for_an_empty_file() {
    assert_eq!(ops("", "first", ""), Ok(vec![r#"{"op":"append_lines","text":"first"}"#.into()]));
    assert_eq!(ops("", "first", "text"), Err(RefusalCode::InvalidArguments));
}
