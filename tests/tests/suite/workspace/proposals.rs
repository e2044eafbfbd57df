//! What waits for the user: stacking, accepting in part, surviving restarts and changes under it.

use assistant::workspace::ProposalState;

use super::*;

fn text(app: &App, file_id: &str, side: &str) -> String {
    let params = params::PreviewText { file_id: file_id.into(), side: side.into(), proposal_id: None };
    app.preview_text(&params, &Stop::default()).unwrap().text
}

#[test]
fn staged_edits_stack_and_are_accepted_together() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "one\ntwo\nthree\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let first = stage(&app, &id, 1, json!([{ "op": "insert_lines", "line": 1, "text": "zero" }])).unwrap();
    assert_eq!((serde_json::to_value(first.status).unwrap(), first.content_rev), (json!("staged"), 1));
    // The position means revision 1, as the caller read it, although a line will stand above it.
    let second = stage(
        &app,
        &id,
        1,
        json!([{ "op": "replace_lines", "start_line": 3, "end_line": 3, "text": "THREE" }]),
    )
    .unwrap();
    assert_eq!((&second.proposal_id, second.changes.len()), (&first.proposal_id, 1));
    assert_eq!(second.changes[0].op, 0, "a receipt counts the operations of its own batch");
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        "one\ntwo\nthree\n",
        "nothing is written before the user says so"
    );
    assert_eq!(text(&app, &id, "before"), "one\ntwo\nthree\n");
    assert_eq!(text(&app, &id, "after"), "zero\none\ntwo\nTHREE\n");
    let waiting = proposals(&app);
    assert_eq!((waiting.len(), waiting[0].changes.len(), waiting[0].ops.len()), (1, 2, 2));
    assert_eq!(open(&app, &path).pending_proposal, first.proposal_id);

    let receipt = accept(&app, &waiting[0].proposal_id, None).unwrap();
    assert_eq!((receipt.previous_rev, receipt.content_rev, receipt.changes.len()), (1, 2, 2));
    assert_eq!(fs::read_to_string(&path).unwrap(), "zero\none\ntwo\nTHREE\n");
    assert!(proposals(&app).is_empty());
    assert_eq!(code(accept(&app, &waiting[0].proposal_id, None)), ErrorCode::OutOfRange, "it is decided");
    check_sound(&scratch, &path);
}

#[test]
fn a_proposal_survives_a_restart() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "one\n");
    let id = open(&scratch.app(), &path).file_id;
    let proposal = stage(&scratch.app(), &id, 1, append("two")).unwrap().proposal_id.unwrap();
    let app = scratch.app();
    assert_eq!(proposals(&app)[0].proposal_id, proposal);
    accept(&app, &proposal, None).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
}

#[test]
fn changes_are_accepted_one_by_one() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "one\ntwo\nthree\nfour\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let ops = json!([
        { "op": "insert_lines", "line": 1, "text": "zero" },
        { "op": "replace_lines", "start_line": 2, "end_line": 2, "text": "TWO" },
        { "op": "replace_text", "find": "three", "replace": "THREE" },
        { "op": "delete_lines", "start_line": 4, "end_line": 4 }
    ]);
    let proposal = stage(&app, &id, 1, ops).unwrap().proposal_id.unwrap();
    accept(&app, &proposal, Some(vec![1])).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\nTWO\nthree\nfour\n");
    let waiting = &proposals(&app)[0];
    assert_eq!((waiting.changes.len(), waiting.base_rev, waiting.state), (3, 2, ProposalState::Pending));
    assert_eq!(text(&app, &id, "after"), "zero\none\nTWO\nTHREE\n");

    reject(&app, &proposal, Some(vec![0])).unwrap();
    assert_eq!(text(&app, &id, "after"), "one\nTWO\nTHREE\n");
    let waiting = &proposals(&app)[0];
    assert_eq!(waiting.changes.len(), 2);
    accept(&app, &proposal, None).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\nTWO\nTHREE\n");
    assert!(proposals(&app).is_empty());
    assert_eq!(check_sound(&scratch, &path).content_rev, 3);
}

#[test]
fn what_one_operation_did_cannot_be_torn_apart() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "one\none\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let ops = json!([{ "op": "replace_text", "find": "one", "replace": "1", "occurrence": "all" }]);
    let staged = stage(&app, &id, 1, ops).unwrap();
    assert!(staged.changes.len() >= 2, "{:?}", staged.changes);
    let proposal = staged.proposal_id.unwrap();
    assert_eq!(code(accept(&app, &proposal, Some(vec![0]))), ErrorCode::InvalidArguments);
    assert_eq!(code(accept(&app, &proposal, Some(vec![99]))), ErrorCode::InvalidArguments);
    assert_eq!(code(accept(&app, &proposal, Some(vec![]))), ErrorCode::InvalidArguments);
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\none\n");
}

#[test]
fn an_outside_change_elsewhere_is_kept_and_the_proposal_moves() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "one\ntwo\nthree\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let ops = json!([
        { "op": "replace_lines", "start_line": 3, "end_line": 3, "text": "THREE" },
        { "op": "replace_text", "find": "two", "replace": "TWO" }
    ]);
    let proposal = stage(&app, &id, 1, ops).unwrap().proposal_id.unwrap();
    fs::write(&path, "zero from outside\none\ntwo\nthree\n").unwrap();
    let refused = accept(&app, &proposal, None).unwrap_err();
    assert_eq!(refused.code, ErrorCode::ContentRevConflict, "the user has seen another result");
    let waiting = &proposals(&app)[0];
    assert_eq!(
        (waiting.state, waiting.base_rev, waiting.changes.len()),
        (ProposalState::Rebased, 2, 2),
        "{waiting:?}"
    );
    assert_eq!(text(&app, &id, "after"), "zero from outside\none\nTWO\nTHREE\n");
    accept(&app, &proposal, None).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "zero from outside\none\nTWO\nTHREE\n");
    assert_eq!(check_sound(&scratch, &path).content_rev, 3);
}

#[test]
fn an_outside_change_in_the_same_place_is_a_conflict() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "one\ntwo\nthree\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let ops = json!([
        { "op": "replace_lines", "start_line": 3, "end_line": 3, "text": "THREE" },
        { "op": "replace_text", "find": "one", "replace": "ONE" }
    ]);
    let proposal = stage(&app, &id, 1, ops).unwrap().proposal_id.unwrap();
    fs::write(&path, "one\ntwo\nthree from outside\n").unwrap();
    let waiting = &proposals(&app)[0];
    assert_eq!(
        (waiting.state, waiting.conflicts.len(), waiting.conflicts[0].op),
        (ProposalState::Conflict, 1, 0)
    );
    assert_eq!(waiting.changes.len(), 1, "what fits is still offered");
    accept(&app, &proposal, None).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "ONE\ntwo\nthree from outside\n");
    let waiting = &proposals(&app)[0];
    assert_eq!(
        (waiting.state, waiting.changes.len(), waiting.ops.len()),
        (ProposalState::Conflict, 0, 2),
        "nothing is lost"
    );
    reject(&app, &proposal, None).unwrap();
    assert!(proposals(&app).is_empty());
    check_sound(&scratch, &path);
}

#[test]
fn when_the_outside_change_goes_away_the_proposal_is_as_before() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "one\ntwo\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let proposal = stage(
        &app,
        &id,
        1,
        json!([{ "op": "replace_lines", "start_line": 2, "end_line": 2, "text": "TWO" }]),
    )
    .unwrap();
    fs::write(&path, "gone\n").unwrap();
    assert_eq!(proposals(&app)[0].state, ProposalState::Conflict);
    fs::write(&path, "one\ntwo\n").unwrap();
    assert_eq!(proposals(&app)[0].state, ProposalState::Pending);
    let receipt = accept(&app, proposal.proposal_id.as_deref().unwrap(), None).unwrap();
    assert_eq!((receipt.previous_rev, fs::read_to_string(&path).unwrap()), (3, "one\nTWO\n".into()));
}

#[test]
fn a_section_that_was_rewritten_meanwhile_is_not_overwritten() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "# A\n\nold\n\n# B\n\nother\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    stage(&app, &id, 1, json!([{ "op": "replace_section", "heading": "A", "text": "new\n" }])).unwrap();
    fs::write(&path, "# A\n\nmuch work of somebody else\n\n# B\n\nother\n").unwrap();
    let waiting = &proposals(&app)[0];
    assert_eq!(waiting.state, ProposalState::Conflict, "{waiting:?}");
    fs::write(&path, "# A\n\nold\n\n# B\n\nother, changed\n").unwrap();
    assert_eq!(proposals(&app)[0].state, ProposalState::Rebased);
}

#[test]
fn staging_on_a_moved_proposal_goes_on_from_the_new_revision() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "one\ntwo\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    stage(&app, &id, 1, json!([{ "op": "replace_lines", "start_line": 2, "end_line": 2, "text": "TWO" }]))
        .unwrap();
    commit(&app, &id, 1, json!([{ "op": "insert_lines", "line": 1, "text": "zero" }])).unwrap();
    let stacked = stage(
        &app,
        &id,
        2,
        json!([{ "op": "replace_lines", "start_line": 2, "end_line": 2, "text": "ONE" }]),
    )
    .unwrap();
    accept(&app, stacked.proposal_id.as_deref().unwrap(), None).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "zero\nONE\nTWO\n");
    check_sound(&scratch, &path);
}
