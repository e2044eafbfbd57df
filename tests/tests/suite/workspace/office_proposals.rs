//! Proposals on Word, Excel and PowerPoint files: a colleague with another Stet changes the file under them, and the user takes some of
//! the changes and not others.

use assistant::{api::answers::ProposalInfo, workspace::ProposalState};

use super::*;

struct Desk {
    scratch: Scratch,
    app: Arc<App>,
    path: PathBuf,
    id: String,
}

impl Desk {
    /// A file that the colleague made.
    fn with(name: &str, text: Option<&str>, rows: Option<Value>) -> Desk {
        let scratch = Scratch::new();
        let path = scratch.path(name);
        let params = params::Create {
            path: path.to_str().unwrap().into(),
            text: text.map(str::to_owned),
            rows: rows.map(|rows| serde_json::from_value(rows).unwrap()),
            format: None,
        };
        colleague(&scratch).documents_create(&params, &Stop::default()).unwrap();
        let app = scratch.app();
        let id = open(&app, &path).file_id;
        Desk { scratch, app, path, id }
    }

    fn stage(&self, ops: Value) -> String {
        stage(&self.app, &self.id, open(&self.app, &self.path).content_rev, ops).unwrap().proposal_id.unwrap()
    }

    /// To this desk's Stet the colleague is another program.
    fn colleague_edits(&self, ops: Value) {
        let app = colleague(&self.scratch);
        let document = open(&app, &self.path);
        commit(&app, &document.file_id, document.content_rev, ops).unwrap();
    }

    fn waiting(&self) -> ProposalInfo {
        proposals(&self.app).pop().unwrap()
    }

    /// Texts by place; empty ones left out.
    fn shown(&self) -> Vec<(String, String)> {
        let params = params::OutlineOf { file_id: self.id.clone(), ..params::OutlineOf::default() };
        let outline = self.app.documents_outline(&params, &Stop::default()).unwrap();
        let shown = outline.nodes.iter().map(|node| (node.at.clone(), node.text.clone()));
        shown.filter(|(_, text)| !text.is_empty()).collect()
    }

    #[track_caller]
    fn expect(&self, wanted: &[(&str, &str)]) {
        let shown = self.shown();
        for (at, text) in wanted {
            let found = shown.iter().find(|(place, _)| place == at).map_or("", |(_, text)| text.as_str());
            assert_eq!(found, *text, "{at} in {shown:?}");
        }
    }

    /// The indices of the changes that one operation made.
    fn changes_of(&self, op: usize) -> Vec<usize> {
        let changes = self.waiting().changes;
        (0..changes.len()).filter(|&index| changes[index].op == op).collect()
    }

    #[track_caller]
    fn expect_rebased(&self, changes: usize) -> ProposalInfo {
        let waiting = self.waiting();
        assert_eq!(
            (waiting.state, waiting.changes.len(), waiting.conflicts.len()),
            (ProposalState::Rebased, changes, 0),
            "{waiting:?}"
        );
        waiting
    }

    #[track_caller]
    fn expect_conflicts(&self, ops: &[usize]) -> ProposalInfo {
        let waiting = self.waiting();
        let found: Vec<usize> = waiting.conflicts.iter().map(|conflict| conflict.op).collect();
        assert_eq!((waiting.state, found.as_slice()), (ProposalState::Conflict, ops), "{waiting:?}");
        assert!(waiting.conflicts.iter().all(|conflict| !conflict.message.is_empty()));
        assert!(waiting.changes.iter().all(|change| !ops.contains(&change.op)));
        waiting
    }

    fn sound(self) {
        drop(self.app);
        check_sound(&self.scratch, &self.path);
    }
}

fn colleague(scratch: &Scratch) -> Arc<App> {
    let home = scratch.home().with_file_name("colleague");
    App::open(AppOptions { keychain: Keychain::Absent, ..AppOptions::new(home) }).unwrap()
}

fn letter() -> Desk {
    Desk::with("letter.docx", Some("# Title\n\nfirst\n\nsecond\n\nthird\n"), None)
}

fn letter_ops() -> Value {
    json!([
        { "op": "docx_set_paragraph", "index": 2, "text": "FIRST" },
        { "op": "docx_set_paragraph", "index": 4, "text": "THIRD" },
        { "op": "docx_append_paragraph", "text": "end" }
    ])
}

#[test]
fn paragraphs_move_with_what_a_colleague_inserted() {
    let desk = letter();
    let proposal = desk.stage(letter_ops());
    desk.colleague_edits(json!([{ "op": "docx_insert_paragraph", "index": 2, "text": "by the colleague" }]));
    desk.expect_rebased(3);
    accept(&desk.app, &proposal, None).unwrap();
    desk.expect(&[
        ("p1", "Title"),
        ("p2", "by the colleague"),
        ("p3", "FIRST"),
        ("p4", "second"),
        ("p5", "THIRD"),
        ("p6", "end"),
    ]);
    desk.sound();
}

#[test]
fn a_paragraph_that_a_colleague_rewrote_is_a_conflict_and_the_rest_goes_on() {
    let desk = letter();
    let proposal = desk.stage(letter_ops());
    desk.colleague_edits(
        json!([{ "op": "docx_set_paragraph", "index": 4, "text": "third, by the colleague" }]),
    );
    desk.expect_conflicts(&[1]);
    accept(&desk.app, &proposal, None).unwrap();
    desk.expect(&[("p2", "FIRST"), ("p3", "second"), ("p4", "third, by the colleague"), ("p5", "end")]);
    assert_eq!(desk.expect_conflicts(&[1]).changes.len(), 0, "the conflict is still there to be read");
    reject(&desk.app, &proposal, None).unwrap();
    desk.sound();
}

#[test]
fn a_paragraph_that_a_colleague_deleted_is_a_conflict() {
    let desk = letter();
    desk.stage(letter_ops());
    desk.colleague_edits(json!([{ "op": "docx_delete_paragraph", "index": 2 }]));
    desk.expect_conflicts(&[0]);
    desk.sound();
}

#[test]
fn some_paragraphs_are_accepted_and_others_rejected() {
    let desk = letter();
    let proposal = desk.stage(letter_ops());
    accept(&desk.app, &proposal, Some(desk.changes_of(1))).unwrap();
    desk.expect(&[("p2", "first"), ("p4", "THIRD"), ("p5", "")]);
    reject(&desk.app, &proposal, Some(desk.changes_of(0))).unwrap();
    accept(&desk.app, &proposal, None).unwrap();
    desk.expect(&[("p2", "first"), ("p3", "second"), ("p4", "THIRD"), ("p5", "end")]);
    assert!(proposals(&desk.app).is_empty());
    desk.sound();
}

fn sheet() -> Desk {
    Desk::with("sheet.xlsx", None, Some(json!([["name", "value"], ["a", 1], ["b", 2], ["c", 3]])))
}

fn sheet_ops() -> Value {
    json!([
        { "op": "xlsx_set_cell", "cell": "B2", "value": 10 },
        { "op": "xlsx_set_cell", "cell": "B4", "value": 30 },
        { "op": "xlsx_set_cell", "cell": "C2", "value": "note" }
    ])
}

/// The first sheet's name, as a made workbook has it.
fn at(desk: &Desk, cell: &str) -> String {
    let shown = desk.shown();
    let first = shown.iter().find(|(at, _)| at.contains('!')).unwrap();
    format!("{}!{cell}", first.0.split('!').next().unwrap())
}

#[track_caller]
fn expect_cells(desk: &Desk, wanted: &[(&str, &str)]) {
    for (cell, text) in wanted {
        desk.expect(&[(&at(desk, cell), text)]);
    }
}

#[test]
fn cells_stay_when_a_colleague_wrote_elsewhere() {
    let desk = sheet();
    let proposal = desk.stage(sheet_ops());
    desk.colleague_edits(
        json!([{ "op": "xlsx_set_cell", "cell": "A4", "value": "C" }, { "op": "xlsx_append_rows", "rows": [["d", 4]] }]),
    );
    desk.expect_rebased(3);
    accept(&desk.app, &proposal, None).unwrap();
    expect_cells(&desk, &[("A4", "C"), ("B2", "10"), ("B4", "30"), ("C2", "note"), ("A5", "d"), ("B5", "4")]);
    desk.sound();
}

#[test]
fn a_cell_that_a_colleague_wrote_is_a_conflict_and_the_rest_goes_on() {
    let desk = sheet();
    let proposal = desk.stage(sheet_ops());
    desk.colleague_edits(json!([{ "op": "xlsx_set_cell", "cell": "B4", "value": 99 }]));
    desk.expect_conflicts(&[1]);
    accept(&desk.app, &proposal, None).unwrap();
    expect_cells(&desk, &[("B2", "10"), ("B4", "99"), ("C2", "note")]);
    reject(&desk.app, &proposal, None).unwrap();
    desk.sound();
}

#[test]
fn cells_that_a_colleague_moved_are_conflicts_even_where_they_are_empty() {
    let desk = sheet();
    desk.stage(json!([
        { "op": "xlsx_set_cell", "cell": "B1", "value": "amount" },
        { "op": "xlsx_set_cell", "cell": "C2", "value": "note on a" },
        { "op": "xlsx_set_cell", "cell": "C3", "value": "note on b" },
        { "op": "xlsx_set_cell", "cell": "D1", "value": { "formula": "=SUM(B2:B4)" } }
    ]));
    desk.colleague_edits(json!([{ "op": "xlsx_insert_rows", "row": 2, "rows": [["new", 0]] }]));
    desk.expect_conflicts(&[1, 2, 3]);
    desk.sound();
}

#[test]
fn some_cells_are_accepted_and_others_rejected() {
    let desk = sheet();
    let proposal = desk.stage(sheet_ops());
    accept(&desk.app, &proposal, Some(desk.changes_of(1))).unwrap();
    expect_cells(&desk, &[("B2", "1"), ("B4", "30"), ("C2", "")]);
    reject(&desk.app, &proposal, Some(desk.changes_of(2))).unwrap();
    accept(&desk.app, &proposal, None).unwrap();
    expect_cells(&desk, &[("B2", "10"), ("B4", "30"), ("C2", "")]);
    assert!(proposals(&desk.app).is_empty());
    desk.sound();
}

fn deck() -> Desk {
    Desk::with("deck.pptx", Some("# One\n\n- a\n\n# Two\n\n- b\n\n# Three\n\n- c\n"), None)
}

fn deck_ops() -> Value {
    json!([
        { "op": "pptx_set_title", "slide": 2, "text": "TWO" },
        { "op": "pptx_set_title", "slide": 3, "text": "THREE" },
        { "op": "pptx_set_text", "slide": 1, "shape": "subtitle", "text": "A" }
    ])
}

/// The texts of a slide's shapes.
fn slide(desk: &Desk, number: usize) -> Vec<String> {
    let prefix = format!("s{number}.");
    desk.shown().into_iter().filter(|(at, _)| at.starts_with(&prefix)).map(|(_, text)| text).collect()
}

#[test]
fn slides_move_with_what_a_colleague_inserted() {
    let desk = deck();
    assert_eq!(slide(&desk, 2), ["Two", "b"]);
    let proposal = desk.stage(deck_ops());
    desk.colleague_edits(json!([{ "op": "pptx_insert_slide", "slide": 2, "title": "By the colleague" }]));
    let before: Vec<Vec<String>> = (1..=4).map(|number| slide(&desk, number)).collect();
    desk.expect_rebased(3);
    accept(&desk.app, &proposal, None).unwrap();
    let wanted: Vec<Vec<String>> = before
        .iter()
        .map(|texts| {
            let replaced = texts.iter().map(|text| match text.as_str() {
                "Two" => "TWO".to_owned(),
                "Three" => "THREE".to_owned(),
                "a" => "A".to_owned(),
                other => other.to_owned(),
            });
            replaced.collect()
        })
        .collect();
    assert_eq!((1..=4).map(|number| slide(&desk, number)).collect::<Vec<_>>(), wanted);
    assert!(before.iter().flatten().any(|text| text == "By the colleague"));
    desk.sound();
}

#[test]
fn a_title_that_a_colleague_wrote_is_a_conflict_and_the_rest_goes_on() {
    let desk = deck();
    let proposal = desk.stage(deck_ops());
    desk.colleague_edits(json!([{ "op": "pptx_set_title", "slide": 3, "text": "Third" }]));
    desk.expect_conflicts(&[1]);
    accept(&desk.app, &proposal, None).unwrap();
    assert_eq!(
        [slide(&desk, 1), slide(&desk, 2), slide(&desk, 3)].concat(),
        ["One", "A", "TWO", "b", "Third", "c"]
    );
    reject(&desk.app, &proposal, None).unwrap();
    desk.sound();
}

#[test]
fn a_slide_that_a_colleague_deleted_is_a_conflict() {
    let desk = deck();
    desk.stage(deck_ops());
    desk.colleague_edits(json!([{ "op": "pptx_delete_slide", "slide": 2 }]));
    desk.expect_conflicts(&[0]);
    desk.sound();
}

#[test]
fn some_shapes_are_accepted_and_others_rejected() {
    let desk = deck();
    let proposal = desk.stage(deck_ops());
    accept(&desk.app, &proposal, Some(desk.changes_of(2))).unwrap();
    assert_eq!([slide(&desk, 1), slide(&desk, 2)].concat(), ["One", "A", "Two", "b"]);
    reject(&desk.app, &proposal, Some(desk.changes_of(0))).unwrap();
    accept(&desk.app, &proposal, None).unwrap();
    assert_eq!(
        [slide(&desk, 1), slide(&desk, 2), slide(&desk, 3)].concat(),
        ["One", "A", "Two", "b", "THREE", "c"]
    );
    assert!(proposals(&desk.app).is_empty());
    desk.sound();
}
