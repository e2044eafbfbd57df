//! The text engine by examples: operations as a model writes them, bytes before and after.

use serde_json::{Value, json};

use crate::{
    Applied, ApplyContext, Edit, EditError, Limits, Outline, OutlineRequest,
    error::EditErrorKind,
    formats::text::{apply, outline},
};

pub(super) fn run(bytes: &[u8], ops: Value) -> Result<Applied, EditError> {
    let ops: Vec<Edit> = serde_json::from_value(ops).unwrap();
    let ctx = ApplyContext {
        author: "Stet",
        now: "2026-11-30T14:00:00Z",
        override_protection: false,
        track_changes: None,
        limits: Limits::default(),
        cancel: &|| false,
    };
    apply(bytes, &ops, &ctx)
}

#[track_caller]
pub(super) fn gives(before: impl AsRef<[u8]>, ops: Value, after: impl AsRef<[u8]>) -> Applied {
    let applied = run(before.as_ref(), ops).unwrap();
    assert_eq!(String::from_utf8_lossy(&applied.bytes), String::from_utf8_lossy(after.as_ref()));
    assert_eq!(applied.bytes, after.as_ref());
    applied
}

#[track_caller]
pub(super) fn refused(before: impl AsRef<[u8]>, ops: Value, kind: EditErrorKind) -> EditError {
    let error = run(before.as_ref(), ops).unwrap_err();
    assert_eq!(error.kind, kind, "{error:?}");
    error
}

fn read(bytes: &[u8], range: Option<&str>, budget: usize) -> Outline {
    let request = OutlineRequest { range: range.map(str::to_owned), budget };
    outline(bytes, &request, &Limits::default(), &|| false).unwrap()
}

#[test]
fn replaces_one_place() {
    let applied =
        gives("a\nb 10\nc\n", json!([{"op": "replace_text", "find": "10", "replace": "12"}]), "a\nb 12\nc\n");
    let change = &applied.changes[0];
    assert_eq!(
        (change.location.as_str(), change.before.as_deref(), change.after.as_deref()),
        ("L2", Some("10"), Some("12"))
    );
}

#[test]
fn several_places_are_reported_or_chosen() {
    let text = "x\nx\naxx\n";
    let error = refused(
        text,
        json!([{"op": "replace_text", "find": "x", "replace": "y"}]),
        EditErrorKind::MultipleMatches,
    );
    let places: Vec<&str> = error.matches.iter().map(|place| place.location.as_str()).collect();
    assert_eq!(places, ["line 1", "line 2", "line 3", "line 3"]);
    assert_eq!(error.op, Some(0));
    gives(text, json!([{"op": "replace_text", "find": "x", "replace": "y", "occurrence": 2}]), "x\ny\naxx\n");
    gives(
        text,
        json!([{"op": "replace_text", "find": "x", "replace": "y", "occurrence": "all"}]),
        "y\ny\nayy\n",
    );
    gives(text, json!([{"op": "delete_text", "find": "x", "occurrence": "all"}]), "\n\na\n");
    refused(
        text,
        json!([{"op": "replace_text", "find": "x", "replace": "y", "occurrence": 5}]),
        EditErrorKind::OutOfRange,
    );
    refused(
        text,
        json!([{"op": "replace_text", "find": "x", "replace": "y", "occurrence": 0}]),
        EditErrorKind::InvalidArguments,
    );
    gives(
        text,
        json!([{"op": "replace_text", "find": "x", "replace": "y", "start_line": 2, "end_line": 2}]),
        "x\ny\naxx\n",
    );
    refused("aaa", json!([{"op": "delete_text", "find": "aa"}]), EditErrorKind::MultipleMatches);
}

#[test]
fn zero_matches_name_what_is_near() {
    let text = "alpha\nThe quick brown fox jumps\nomega\n";
    let ops = json!([{"op": "replace_text", "find": "The quick brown fox jumped", "replace": "y"}]);
    let error = refused(text, ops, EditErrorKind::ZeroMatches);
    assert_eq!(error.matches[0].location, "line 2");
    assert_eq!(error.matches[0].text, "The quick brown fox jumps");
    let error =
        refused("say “hi”", json!([{"op": "delete_text", "find": "\"hi\""}]), EditErrorKind::ZeroMatches);
    assert!(error.hint.unwrap().contains("normalized"));
}

#[test]
fn normalized_matching_tells_what_was_replaced() {
    let op = |find: &str, replace: &str| json!([{"op": "replace_text", "find": find, "replace": replace, "match": "normalized"}]);
    let applied = gives("say “hi  you” — ok\n", op("\"hi you\" - ok", "bye"), "say bye\n");
    assert_eq!(applied.changes[0].before.as_deref(), Some("“hi  you” — ok"));
    gives("one\ntwo three\n", op("one two", "1 2"), "1 2 three\n");
    gives("a\u{a0}b\n", op("a b", "c"), "c\n");
    gives("a\n\n  b c\n", op(" b ", " x "), "a\n\n x c\n");
    gives("a b\n", op("a ", "c "), "c b\n");
    gives("a b \nnext\n", op("b ", "c "), "a c \nnext\n");
}

#[test]
fn line_endings_stay_and_are_found() {
    let op = |find: &str, replace: &str| json!([{"op": "replace_text", "find": find, "replace": replace}]);
    gives("a\r\nb\r\nc\r\n", op("a\nb", "a\nx\ny"), "a\r\nx\r\ny\r\nc\r\n");
    gives("a\r\nb\r\n", op("a\r\nb", "z"), "z\r\n");
    gives("a\rb\rc", op("b\nc", "b\nd"), "a\rb\rd");
    gives("a\nb\r\nc\n", op("\nb\n", "\nx\n"), "a\nx\r\nc\n");
    refused("a\nb\r\nc\n", op("\n", "x"), EditErrorKind::MultipleMatches);
    gives("a\r\nb\nc\n", json!([{"op": "insert_lines", "line": 2, "text": "n"}]), "a\r\nn\r\nb\nc\n");
    gives(
        "a\nb\r\nc\n",
        json!([{"op": "insert_lines", "line": 2, "text": "n", "position": "after"}]),
        "a\nb\r\nn\r\nc\n",
    );
    gives("a\r\nb\r\n", json!([{"op": "insert_lines", "line": 1, "text": "n"}]), "n\r\na\r\nb\r\n");
    gives(
        "a\nb\r\nc\n",
        json!([{"op": "replace_lines", "start_line": 1, "end_line": 2, "text": "x\ny"}]),
        "x\ny\r\nc\n",
    );
    gives("a\r\nb", json!([{"op": "append_lines", "text": "c"}]), "a\r\nb\r\nc");
    gives(
        "x\u{85}y\u{2028}z\nb\n",
        json!([{"op": "replace_lines", "start_line": 2, "end_line": 2, "text": "c"}]),
        "x\u{85}y\u{2028}z\nc\n",
    );
}

#[test]
fn the_final_newline_stays_as_it_is() {
    gives("a\nb", json!([{"op": "append_lines", "text": "c\n"}]), "a\nb\nc");
    gives("a\nb\n", json!([{"op": "append_lines", "text": "c\nd"}]), "a\nb\nc\nd\n");
    gives("a\nb", json!([{"op": "delete_lines", "start_line": 2, "end_line": 2}]), "a");
    gives("a\nb\n", json!([{"op": "delete_lines", "start_line": 2, "end_line": 2}]), "a\n");
    gives(
        "a\nb",
        json!([{"op": "replace_lines", "start_line": 2, "end_line": 2, "text": "c\nd\n"}]),
        "a\nc\nd",
    );
    gives("a", json!([{"op": "insert_lines", "line": 1, "text": "b", "position": "after"}]), "a\nb");
    gives("a", json!([{"op": "delete_lines", "start_line": 1, "end_line": 1}]), "");
    gives("", json!([{"op": "append_lines", "text": "a"}, {"op": "append_lines", "text": "b"}]), "a\nb\n");
    gives("", json!([{"op": "insert_lines", "line": 1, "text": "a"}]), "a\n");
    gives("", json!([{"op": "replace_text", "find": "", "replace": "a\nb"}]), "a\nb");
    refused(
        "a",
        json!([{"op": "replace_text", "find": "", "replace": "b"}]),
        EditErrorKind::InvalidArguments,
    );
}

#[test]
fn positions_mean_the_revision_that_was_read() {
    let ops = json!([
        {"op": "insert_lines", "line": 1, "text": "n\nm"},
        {"op": "delete_lines", "start_line": 2, "end_line": 2},
        {"op": "replace_lines", "start_line": 4, "end_line": 4, "text": "D", "expect_prefix": "d"},
        {"op": "insert_lines", "line": 3, "text": "k", "position": "after"},
    ]);
    let applied = gives("a\nb\nc\nd\n", ops, "n\nm\na\nc\nk\nD\n");
    let places: Vec<&str> = applied.changes.iter().map(|change| change.location.as_str()).collect();
    assert_eq!(places, ["L1-L2", "L4", "L6", "L5"]);
    let gone = json!([{"op": "delete_lines", "start_line": 2, "end_line": 2}, {"op": "insert_lines", "line": 2, "text": "x"}]);
    assert_eq!(refused("a\nb\nc\n", gone, EditErrorKind::OutOfRange).op, Some(1));
    let same_count = json!([
        {"op": "replace_lines", "start_line": 2, "end_line": 2, "text": "B"},
        {"op": "replace_text", "find": "B", "replace": "BB", "start_line": 2, "end_line": 2},
    ]);
    gives("a\nb\nc\n", same_count, "a\nBB\nc\n");
}

#[test]
fn replaced_text_shifts_the_lines_below() {
    let then = |find: &str, replace: &str, line: usize| {
        json!([{"op": "replace_text", "find": find, "replace": replace},
               {"op": "replace_lines", "start_line": line, "end_line": line, "text": "!"}])
    };
    gives("a\n## B\nc\n", then("## B", "new\n\n## B", 2), "a\nnew\n\n!\nc\n");
    gives("a\n## B\nc\n", then("## B", "## B\n\nnew", 2), "a\n!\n\nnew\nc\n");
    gives("a\n## B\nc\n", then("## B", "## B\n\nnew", 3), "a\n## B\n\nnew\n!\n");
    gives("a\nb\nc\nd\n", then("a\nb\n", "", 4), "c\n!\n");
    gives("a\nb\nc\nd\n", then("b\nc", "x", 4), "a\nx\n!\n");
    gives("a1\nb\n2c\nd\n", then("1\nb\n2", "1\n2", 3), "a1\n!\nd\n");
    refused("a\nb\nc\nd\n", then("b\nc", "x", 3), EditErrorKind::OutOfRange);
    refused("a\nb\nc\nd\n", then("b\n", "", 2), EditErrorKind::OutOfRange);
}

#[test]
fn lines_that_are_not_there_are_refused() {
    for op in [
        json!([{"op": "insert_lines", "line": 3, "text": "x"}]),
        json!([{"op": "insert_lines", "line": 0, "text": "x"}]),
        json!([{"op": "replace_lines", "start_line": 2, "end_line": 3, "text": "x"}]),
        json!([{"op": "delete_lines", "start_line": 99, "end_line": 99}]),
        json!([{"op": "replace_text", "find": "a", "replace": "b", "start_line": 7}]),
    ] {
        refused("a\nb\n", op, EditErrorKind::OutOfRange);
    }
    refused(
        "a\nb\n",
        json!([{"op": "delete_lines", "start_line": 2, "end_line": 1}]),
        EditErrorKind::InvalidArguments,
    );
    let error = refused(
        "a\nreal text\n",
        json!([{"op": "delete_lines", "start_line": 2, "end_line": 2, "expect_prefix": "other"}]),
        EditErrorKind::PrefixMismatch,
    );
    assert_eq!((error.matches[0].location.as_str(), error.matches[0].text.as_str()), ("line 2", "real text"));
}

#[test]
fn lines_containing_a_text() {
    let text = "keep\nTODO a\nTODO b\nkeep\nTODO c";
    gives(text, json!([{"op": "replace_lines_containing", "contains": "TODO", "text": null}]), "keep\nkeep");
    gives(
        text,
        json!([{"op": "replace_lines_containing", "contains": "TODO", "text": "done"}]),
        "keep\ndone\ndone\nkeep\ndone",
    );
    refused(
        text,
        json!([{"op": "replace_lines_containing", "contains": "TODO", "text": null, "expect_count": 2}]),
        EditErrorKind::MultipleMatches,
    );
    refused(
        text,
        json!([{"op": "replace_lines_containing", "contains": "NOPE", "text": null}]),
        EditErrorKind::ZeroMatches,
    );
    gives("TODO", json!([{"op": "replace_lines_containing", "contains": "TODO", "text": null}]), "");
}

#[test]
fn sections_by_heading() {
    let text = "# A\n\nold a\n\n## Sub\n\nold sub\n\n# B\n\n## Sub\n\nb sub\n";
    let op = |heading: &str, new: &str| json!([{"op": "replace_section", "heading": heading, "text": new}]);
    gives(text, op("A > Sub", "new"), "# A\n\nold a\n\n## Sub\n\nnew\n\n# B\n\n## Sub\n\nb sub\n");
    gives(text, op("B", "gone"), "# A\n\nold a\n\n## Sub\n\nold sub\n\n# B\n\ngone\n");
    refused(text, op("Sub", "x"), EditErrorKind::MultipleMatches);
    let error = refused(text, op("Subb", "x"), EditErrorKind::ZeroMatches);
    assert_eq!(error.matches[0].location, "line 5");
    gives("# A", op("A", "x"), "# A\nx");
    gives("# A\n# B\n", op("A", "x"), "# A\nx\n# B\n");
    gives("# A\n\n# B\n", op("A", "x"), "# A\n\nx\n\n# B\n");
    gives("T\n===\r\nold\r\n", op("T", "x\ny"), "T\n===\r\nx\r\ny\r\n");
    gives(
        "# A\n\nold\n\n# B\n",
        json!([{"op": "replace_section", "heading": "A", "text": "# C\n\nnew", "keep_heading": false}]),
        "# C\n\nnew\n\n# B\n",
    );
}

#[test]
fn encodings_stay() {
    let encode = |encoding: &'static encoding_rs::Encoding, text: &str| encoding.encode(text).0.into_owned();
    let utf16 = |text: &str| -> Vec<u8> {
        [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    gives(
        "\u{feff}a\r\n",
        json!([{"op": "replace_lines", "start_line": 1, "end_line": 1, "text": "é"}]),
        "\u{feff}é\r\n",
    );
    let op = json!([{"op": "replace_text", "find": "b\nc", "replace": "中\n😀"}]);
    gives(utf16("a\r\nb\r\nc\r\n"), op, utf16("a\r\n中\r\n😀\r\n"));
    let chinese = "第一行，你好世界。\n第二行：这是一个测试文件。\n";
    let op = json!([{"op": "replace_text", "find": "测试", "replace": "𠀀鿿"}]);
    gives(
        encode(encoding_rs::GBK, chinese),
        op.clone(),
        encode(encoding_rs::GB18030, &chinese.replace("测试", "𠀀鿿")),
    );
    // The second byte of these characters is a backslash.
    let japanese = "ソフトウェアの表示\\能力\r\n";
    let op = json!([{"op": "replace_text", "find": "\\", "replace": "/"}]);
    gives(
        encode(encoding_rs::SHIFT_JIS, japanese),
        op,
        encode(encoding_rs::SHIFT_JIS, "ソフトウェアの表示/能力\r\n"),
    );
    let western = b"caf\xe9 cr\xe8me\n";
    let error = refused(western, json!([{"op": "append_lines", "text": "中"}]), EditErrorKind::WouldDamage);
    assert!(error.message.contains("windows-1252") && error.message.contains('中'), "{}", error.message);
    gives(western, json!([{"op": "append_lines", "text": "“é”"}]), b"caf\xe9 cr\xe8me\n\x93\xe9\x94\n");
}

#[test]
fn bytes_without_meaning_are_kept() {
    let text = b"ok line\nbad \xff\xfe\xc3( bytes\nlast\n";
    let shown = read(text, None, 1 << 16);
    assert_eq!(shown.nodes[1].text, "bad \u{fffd}\u{fffd}\u{fffd}( bytes");
    let replace =
        |text: String| json!([{"op": "replace_lines", "start_line": 2, "end_line": 2, "text": text}]);
    gives(
        text,
        replace(format!("{} Stet", shown.nodes[1].text)),
        b"ok line\nbad \xff\xfe\xc3( bytes Stet\nlast\n",
    );
    refused(text, replace("worse \u{fffd} \u{fffd}".into()), EditErrorKind::WouldDamage);
    gives(text, replace("good".into()), b"ok line\ngood\nlast\n");
}

#[test]
fn outlines_come_in_windows() {
    let text = "intro\n# A\none\n## B\ntwo\n";
    let all = read(text.as_bytes(), None, 1 << 16);
    let sections: Vec<Option<&str>> =
        all.nodes.iter().map(|node| node.more.get("section").and_then(Value::as_str)).collect();
    assert_eq!(sections, [None, Some("A"), Some("A"), Some("A > B"), Some("A > B")]);
    assert_eq!(
        (all.nodes[2].at.as_str(), all.nodes[2].kind.as_str(), &all.nodes[2].more["line"]),
        ("L3", "line", &json!(3))
    );
    let part = read(text.as_bytes(), Some("2-3"), 1 << 16);
    assert_eq!(part.nodes.iter().map(|node| node.at.as_str()).collect::<Vec<_>>(), ["L2", "L3"]);
    assert!(!part.truncated);
    let small = read(text.as_bytes(), None, 150);
    assert!(small.truncated);
    assert_eq!((small.nodes.len(), small.next.as_deref()), (2, Some("3-")));
    for range in ["9-", "x"] {
        let request = OutlineRequest { range: Some(range.into()), budget: 100 };
        let error = outline(text.as_bytes(), &request, &Limits::default(), &|| false).unwrap_err();
        assert!(matches!(error, crate::DocumentError::OutOfRange(_)), "{range}: {error}");
    }
}

#[test]
fn a_cut_line_does_not_come_back_as_whole() {
    let long = format!("{}\nend\n", "x".repeat(5_000));
    let shown = read(long.as_bytes(), None, 1_000);
    assert_eq!(shown.nodes[0].more["cut"], json!(true));
    let op = json!([{"op": "replace_lines", "start_line": 1, "end_line": 1, "text": shown.nodes[0].text}]);
    refused(&long, op, EditErrorKind::WouldDamage);
}

#[test]
fn one_long_line_is_edited_by_offset() {
    let long = "x".repeat(1 << 20) + "needle" + &"y".repeat(1 << 20);
    let expected = long.replace("needle", "pin");
    gives(&long, json!([{"op": "replace_text", "find": "needle", "replace": "pin"}]), expected);
    let error =
        refused(&long, json!([{"op": "delete_text", "find": "needless"}]), EditErrorKind::ZeroMatches);
    assert!(error.matches.iter().all(|place| place.text.len() < 1_000));
}

#[test]
fn nothing_to_do_changes_nothing() {
    let applied =
        gives("a\r\nb", json!([{"op": "replace_text", "find": "a\nb", "replace": "a\nb"}]), "a\r\nb");
    assert_eq!(applied.changes, []);
    gives("a", json!([]), "a");
}

#[test]
fn a_line_above_an_edited_one_is_found_again() {
    let ops = json!([
        {"op": "replace_lines", "start_line": 2, "end_line": 2, "text": "\n\n"},
        {"op": "replace_lines", "start_line": 1, "end_line": 1, "text": "a"},
    ]);
    gives("\n\n", ops, "a\n\n\n");
}

#[test]
fn what_could_not_be_opened_again_is_not_written() {
    let ops = |text: &str| {
        [
            json!([{"op": "append_lines", "text": text}]),
            json!([{"op": "insert_lines", "line": 1, "text": text}]),
            json!([{"op": "replace_lines", "start_line": 1, "end_line": 1, "text": text}]),
            json!([{"op": "replace_text", "find": "alpha", "replace": text}]),
            json!([{"op": "replace_lines_containing", "contains": "alpha", "text": text}]),
            json!([{"op": "replace_section", "heading": "H", "text": text}]),
        ]
    };
    for before in ["alpha\n# H\nb\n", "\u{feff}alpha\n# H\nb\n"] {
        for op in ops("nul \0 in it") {
            refused(before, op, EditErrorKind::InvalidArguments);
        }
        for op in ops("escape \u{1b}[31m in it") {
            let applied = run(before.as_bytes(), op).unwrap();
            read(&applied.bytes, None, 4_096);
        }
    }
    refused(
        "a\n",
        json!([{"op": "insert_lines", "line": 1, "text": "%PDF-1.7"}]),
        EditErrorKind::InvalidArguments,
    );
    let refusal = crate::formats::text::create("a\0b").unwrap_err();
    assert_eq!(refusal.kind, EditErrorKind::InvalidArguments);
}
