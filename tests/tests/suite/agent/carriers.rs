//! Fences and Markdown Diff blocks as carriers: any text arrives as it was, whatever stands around it and in it, or is refused.

use assistant::agent::{
    fences::{FenceContext, resolve},
    markdown_diff,
    message::{Block, FenceState, Pair, blocks},
};
use proptest::prelude::*;
use serde_json::{Value, json};

const CONTEXT: FenceContext<'static> =
    FenceContext { file_id: "file-02ea40ee", path: "/docs/report.md", revision: Some(45) };

/// Lines that like to be mistaken for something.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z文字 😀.*#|$\\\\\"']{0,20}",
        1 => Just(String::new()),
        2 => ("[ ]{0,5}", "[`]{1,6}", "(js|md fence=1|edit:a[.]md rev:1| )?").prop_map(|(a, b, c)| format!("{a}{b}{c}")),
        1 => ("[ ]{0,4}", "[~]{1,6}", "[a-z]{0,3}").prop_map(|(a, b, c)| format!("{a}{b}{c}")),
        1 => ("[<]{5,9}", " ?(SEARCH)?").prop_map(|(a, b)| a + &b),
        1 => "[=]{5,9}",
        1 => ("[>]{5,9}", " ?(REPLACE)?").prop_map(|(a, b)| a + &b),
    ]
}

fn lines(most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(line(), 0..most)
}

fn longest(lines: &[String], marker: char) -> usize {
    lines.iter().flat_map(|line| line.split(|c| c != marker)).map(str::len).max().unwrap_or(0)
}

fn fenced(op: Value, message: &str) -> Result<String, &'static str> {
    let resolved = resolve(vec![op], message, &CONTEXT).map_err(|refusal| refusal.code.as_str())?;
    Ok(resolved[0]["text"].as_str().unwrap().to_owned())
}

fn append(fence: Option<&str>) -> Value {
    let mut op = json!({"op": "append_lines", "text_from_fence": true});
    if let Some(fence) = fence {
        op["fence"] = fence.into();
    }
    op
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if std::env::var_os("STET_FULL").is_some() { 20_000 } else { 400 }, failure_persistence: None, ..ProptestConfig::default() })]

    /// A fence longer than every run inside carries any text, with words before and after it, whatever the line ends.
    #[test]
    fn a_longer_fence_carries_any_text(text in lines(12), marker in prop_oneof![Just('`'), Just('~')], before in "[a-z ]{0,12}", after in "[a-z ]{0,12}", end in prop_oneof![Just("\n"), Just("\r\n")], bound in any::<bool>()) {
        let fence = marker.to_string().repeat(longest(&text, marker).max(3) + 1);
        let attributes = if bound { " file=file-02ea40ee op=append_lines fence=1 rev=45" } else { "" };
        let message = [before, format!("{fence}md{attributes}"), text.join(end), fence.clone(), after].join(end);
        // A text without lines has no line between the fences.
        let message = if text.is_empty() { message.replacen(&format!("{end}{end}{fence}"), &format!("{end}{fence}"), 1) } else { message };
        prop_assert_eq!(fenced(append(None), &message), Ok(text.join("\n")), "{}", message);
    }

    /// The same cut off anywhere before the closing line's end carries nothing.
    #[test]
    fn a_cut_fence_carries_nothing(text in lines(8), cut in 0.0..1.0_f64) {
        let fence = "`".repeat(longest(&text, '`').max(3) + 1);
        let message = format!("{fence}md\n{}\n{fence}", text.join("\n"));
        let end = message.floor_char_boundary((message.len() as f64 * cut) as usize);
        let code = fenced(append(None), &message[..end]).unwrap_err();
        prop_assert!(matches!(code, "fence_missing" | "fence_unclosed"), "{}", code);
    }

    /// Whatever a message looks like, what comes out of it stands in it line by line, between two fence lines of one kind.
    #[test]
    fn nothing_comes_out_that_is_not_there(message in lines(16), number in 1..4_usize) {
        let whole = message.join("\n");
        if let Ok(text) = fenced(append(Some(&number.to_string())), &whole) {
            let taken: Vec<&str> = text.split('\n').collect();
            let stands = (0..message.len()).any(|at| {
                let window = message.get(at..at + taken.len()).unwrap_or_default();
                window.iter().zip(&taken).all(|(line, taken)| line.trim_start_matches(' ') == taken.trim_start_matches(' ')) && !window.is_empty()
            });
            prop_assert!(stands || text.is_empty(), "{:?} is not in {:?}", text, message);
        }
        for block in blocks(&whole) {
            if let Block::Fence(fence) = block {
                let closing = fence.marker.0.to_string().repeat(fence.marker.1);
                let closers = message.iter().skip(fence.line).filter(|line| line.trim() == closing).count();
                prop_assert!(fence.state != FenceState::Closed || closers > 0);
            }
        }
    }

    /// Markers wider than any in the text carry any pair.
    #[test]
    fn wider_markers_carry_any_pair(search in lines(6), replace in lines(6), crlf in any::<bool>()) {
        let both: Vec<String> = search.iter().chain(&replace).cloned().collect();
        let width = ['<', '=', '>'].map(|marker| longest(&both, marker)).into_iter().max().unwrap_or(0).max(6) + 1;
        let fence = "`".repeat(longest(&both, '`').max(2) + 1);
        let marked = |marker: &str, word: &str| format!("{}{word}", marker.repeat(width));
        let mut all = vec![format!("{fence}edit:a.md rev:3"), marked("<", " SEARCH")];
        all.extend(search.iter().cloned());
        all.push(marked("=", ""));
        all.extend(replace.iter().cloned());
        all.extend([marked(">", " REPLACE"), fence]);
        let set = markdown_diff::parse(&all.join(if crlf { "\r\n" } else { "\n" }));
        let plan = set.plan().map_err(|refusal| TestCaseError::fail(refusal.to_string()))?;
        prop_assert_eq!(plan.len(), 1);
        prop_assert_eq!(&plan[0].pairs, &[Pair { search: search.join("\n"), replace: replace.join("\n") }]);
    }

    /// A diff cut off anywhere is no plan.
    #[test]
    fn a_cut_diff_is_no_plan(pairs in prop::collection::vec(("[a-z]{1,8}", "[a-z=<>` ]{0,8}"), 1..4), cut in 0.0..1.0_f64) {
        let pair = |(search, replace): &(String, String)| format!("<<<<<<< SEARCH\n{search}\n=======\n{replace}\n>>>>>>> REPLACE\n");
        let message = format!("```edit:a.md rev:3\n{}```", pairs.iter().map(pair).collect::<String>());
        let end = message.floor_char_boundary((message.len() as f64 * cut) as usize);
        let set = markdown_diff::parse(&message[..end]);
        prop_assert!(set.is_empty() || set.plan().is_err(), "{}", &message[..end]);
    }
}

/// What each refusal is called, and that it says which fence and why.
#[test]
fn every_kind_of_misfit_has_its_code_and_reason() {
    let twice = "````md fence=a\none\n````\n````md fence=a\ntwo\n````";
    let two = "````md\none\n````\n````md\ntwo\n````";
    for (message, fence, code, says) in [
        ("no fence", None, "fence_missing", "no fence"),
        ("````md\nx\n````", Some("2"), "fence_missing", "`2`"),
        ("````md\nx\n````", Some("intro"), "fence_missing", "`intro`"),
        ("````md\nx", None, "fence_unclosed", "not closed"),
        ("````md\nx\n```", None, "fence_unclosed", "not closed"),
        ("````md\nx\n`````", None, "fence_unclosed", "not closed"),
        ("~~~~md\nx\n````", None, "fence_unclosed", "not closed"),
        ("````md\nx\n    ````", None, "fence_unclosed", "not closed"),
        ("````md fence=2\nx\n````", Some("1"), "fence_mismatch", "fence=2"),
        ("````md file=file-00000000\nx\n````", None, "fence_mismatch", "file-00000000"),
        ("````md file=other.md\nx\n````", None, "fence_mismatch", "other.md"),
        ("````md op=insert_lines\nx\n````", None, "fence_mismatch", "op=insert_lines"),
        ("````md rev=44\nx\n````", None, "fence_mismatch", "rev=44"),
        ("````md rev=latest\nx\n````", None, "fence_mismatch", "rev=latest"),
        (two, None, "fence_mismatch", "2 fences"),
        (twice, Some("a"), "fence_mismatch", "2 fences"),
    ] {
        let refusal = resolve(vec![append(fence)], message, &CONTEXT).unwrap_err();
        assert_eq!(refusal.code.as_str(), code, "{message}");
        assert!(refusal.message.contains(says), "{message}: {}", refusal.message);
        assert_eq!((refusal.op, refusal.code.retry()), (Some(0), "resend_fence"), "{message}");
        assert!(!refusal.hint.is_empty());
    }
}

/// Shapes that models really send.
#[test]
fn shapes_of_the_field() {
    for (what, message, text) in [
        ("words around", "Sure!\n\n````md\nA\n````\n\nDone.", "A"),
        ("trailing blanks", "````md  \nA\n````   ", "A"),
        ("indented by a list", "  ````md\n  A\n    B\n  ````", "A\n  B"),
        ("a code block inside", "````md\n```js\nlet a = 1;\n```\n````", "```js\nlet a = 1;\n```"),
        ("one of the same length inside", "````md\n````js\na\n````\nb\n````", "````js\na\n````\nb"),
        ("a longer one inside", "````md\n``````\na\n````", "``````\na"),
        ("tildes around backticks", "~~~~md\n````\na\n````\n~~~~", "````\na\n````"),
        ("an edit block inside", "````md\n```edit:a.md rev:1\n```\n````", "```edit:a.md rev:1\n```"),
        ("old Mac line ends", "````md\rA\rB\r````\r", "A\nB"),
        ("an empty text", "````md\n````", ""),
        ("empty lines at both ends", "````md\n\nA\n\n````", "\nA\n"),
        ("a short code sample before", "```sh\nls\n```\n````md\nA\n````", "A"),
        ("quoted attributes", "````md file=\"/docs/report.md\" op=\"append_lines\"\nA\n````", "A"),
        ("the file by its name", "````md file=report.md\nA\n````", "A"),
        ("no language", "````\nA\n````", "A"),
    ] {
        assert_eq!(fenced(append(None), message), Ok(text.to_owned()), "{what}");
    }
}
