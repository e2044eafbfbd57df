//! The evaluation set: complete, and passed by the built-in model wherever the wish is a command.

use std::{collections::BTreeSet, sync::Arc};

use assistant::agent::{
    builtin::BuiltinModel,
    eval::{CaseSet, EvalOptions, run},
};

#[test]
fn the_set_is_as_large_and_as_wide_as_promised() {
    let set = CaseSet::built_in().unwrap();
    assert!(set.cases.len() >= 60, "{}", set.cases.len());
    let ids: BTreeSet<_> = set.cases.iter().map(|case| &case.id).collect();
    assert_eq!(ids.len(), set.cases.len());
    for kind in ["short", "long", "structural", "multi", "ambiguous", "stale", "hostile"] {
        for language in ["en", "zh"] {
            assert!(
                set.cases.iter().any(|case| case.kind == kind && case.language == language),
                "{kind} {language}"
            );
        }
    }
    assert_eq!(set.cases.iter().map(|case| case.format.as_str()).collect::<BTreeSet<_>>().len(), 4);
    let folder = stet_tests::repository().join("tests/cases/eval");
    assert_eq!(CaseSet::load(&folder).unwrap().cases, set.cases);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_built_in_model_passes_every_command() {
    let set = CaseSet::built_in().unwrap();
    let progress = tempfile::tempdir().unwrap();
    let options = EvalOptions { progress: Some(progress.path().join("rows.jsonl")), commands_only: true };
    let report = run(&set, Arc::new(BuiltinModel::default()), &options, |_| {}).await.unwrap();
    println!("{}", report.table());
    assert_eq!(report.passed, report.total, "\n{}", report.table());
    // A second run takes every row from the first.
    let again = run(&set, Arc::new(BuiltinModel::default()), &options, |_| {}).await.unwrap();
    assert_eq!(again, report);
}
