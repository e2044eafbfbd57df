//! The evaluation set: complete, and passed by the built-in model wherever the wish is a command.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
};

use assistant::{
    agent::{
        builtin::BuiltinModel,
        eval::{CaseSet, EvalOptions, EvalReport, run},
        model::{Answering, Model, ModelCard, RemoteModel, Step},
    },
    workspace::Stop,
};
use gateway::{
    CancellationToken, Client, Delta, Endpoint,
    testing::{Reply, Upstream},
};
use serde_json::{Value, json};

#[test]
fn the_set_is_as_large_and_as_wide_as_promised() {
    let set = CaseSet::built_in().unwrap();
    assert!(set.cases.len() >= 60, "{}", set.cases.len());
    let ids: BTreeSet<_> = set.cases.iter().map(|case| &case.id).collect();
    assert_eq!(ids.len(), set.cases.len());
    for kind in ["short", "long", "structural", "multi", "ambiguous", "stale", "hostile"] {
        for (language, format) in ["en", "zh"]
            .into_iter()
            .flat_map(|one| ["text", "xlsx", "pptx", "docx"].map(|format| (one, format)))
        {
            let fits = |case: &&assistant::agent::eval::Case| {
                case.kind == kind && case.language == language && case.format.as_str() == format && !case.free
            };
            assert!(set.cases.iter().any(|case| fits(&case)), "{kind} {language} {format}");
        }
    }
    assert_eq!(set.cases.iter().map(|case| case.format.as_str()).collect::<BTreeSet<_>>().len(), 4);
    assert!(set.cases.iter().any(|case| case.expect.iter().any(|op| op["op"] == "xlsx_rename_sheet")));
    let folder = stet_tests::repository().join("tests/cases/eval");
    assert_eq!(CaseSet::load(&folder).unwrap().cases, set.cases);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_built_in_model_passes_every_command() {
    let set = CaseSet::built_in().unwrap();
    let options = EvalOptions { commands_only: true, ..EvalOptions::default() };
    let report = run(&set, Arc::new(BuiltinModel::default()), &options, |_| {}).await.unwrap();
    println!("{}", report.table());
    assert_eq!(report.passed, report.total, "\n{}", report.table());
    assert!(report.total >= 60, "{}", report.total);
    let sums = &report.sums;
    assert_eq!(sums["kind"].len(), 7);
    assert_eq!(sums["format"].values().map(|sum| sum.total).sum::<u64>(), report.total as u64);
    assert!(sums["protocol/size"].contains_key("fence/medium"), "{:?}", sums["protocol/size"].keys());
    assert!(report.table().contains("multiple_matches"), "codes are part of the table");
}

/// Counts how often it is asked, and answers as the built-in model.
struct Counted {
    inner: BuiltinModel,
    words: Mutex<Vec<String>>,
}

impl Model for Counted {
    fn card(&self) -> &ModelCard {
        self.inner.card()
    }

    fn respond<'a>(
        &'a self,
        step: Step<'a>,
        on_delta: &'a mut (dyn FnMut(Delta) + Send),
        cancel: &'a CancellationToken,
    ) -> Answering<'a> {
        if step.since.is_empty() {
            self.words.lock().unwrap().push(step.words.to_string());
        }
        self.inner.respond(step, on_delta, cancel)
    }
}

/// A report without what a clock decides.
fn timeless(report: &EvalReport) -> Value {
    let mut value = serde_json::to_value(report).unwrap();
    for row in value["rows"].as_array_mut().unwrap() {
        row["milliseconds"] = 0.into();
    }
    for groups in value["sums"].as_object_mut().unwrap().values_mut() {
        groups.as_object_mut().unwrap().values_mut().for_each(|sum| sum["milliseconds"] = 0.into());
    }
    value
}

fn some_cases(count: usize) -> CaseSet {
    let mut set = CaseSet::built_in().unwrap();
    set.cases.retain(|case| !case.free && case.earlier.is_none() && case.format != documents::Format::Pptx);
    set.cases.truncate(count);
    set
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupted_run_goes_on_without_repeating() {
    let set = some_cases(12);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    let model = Arc::new(Counted { inner: BuiltinModel::default(), words: Mutex::default() });
    let options = |stop: Stop| EvalOptions { progress: Some(path.clone()), stop, ..EvalOptions::default() };

    let stop = Stop::default();
    let mut seen = 0;
    let interrupted = options(stop.clone());
    let ended = run(&set, model.clone(), &interrupted, |_| {
        seen += 1;
        if seen == 5 {
            stop.cancel();
        }
    });
    assert_eq!(ended.await.unwrap_err().code.status(), 499);
    assert_eq!((seen, model.words.lock().unwrap().len()), (5, 5));
    // A crash may cut the last line off anywhere.
    let kept = std::fs::read(&path).unwrap();
    std::fs::write(&path, &kept[..kept.len() - 20]).unwrap();

    let report = run(&set, model.clone(), &options(Stop::default()), |_| {}).await.unwrap();
    let asked = model.words.lock().unwrap().clone();
    assert_eq!(asked.len(), 12 + 1, "only the case whose row was cut off is run again");
    assert_eq!(asked[4], asked[5]);
    let fresh = run(&set, model.clone(), &EvalOptions::default(), |_| {}).await.unwrap();
    assert_eq!(timeless(&report), timeless(&fresh));
    assert_eq!(report.passed, 12);

    let again = run(&set, model.clone(), &options(Stop::default()), |_| {}).await.unwrap();
    assert_eq!(again, report);
    assert_eq!(model.words.lock().unwrap().len(), 13 + 12, "nothing was left to run");
    let other = EvalOptions { seed: Some(7), ..options(Stop::default()) };
    let refused = run(&set, model, &other, |_| {}).await.unwrap_err();
    assert!(
        refused.message.contains("another run"),
        "rows of different runs are not mixed: {}",
        refused.message
    );
}

/// An endpoint that is right or wrong as the seed and the wish decide, like a model with a temperature.
async fn moody() -> Upstream {
    let set = some_cases(10);
    Upstream::with(move |seen| {
        let seed = seen.body["seed"].as_u64()?;
        assert_eq!(seen.body["temperature"], json!(0.5));
        let messages = seen.body["messages"].as_array()?;
        if messages.iter().any(|message| message["role"] == "tool") {
            return Some(Reply::text("Done."));
        }
        let user = messages.iter().rev().find(|message| message["role"] == "user")?["content"].as_str()?;
        let case = set.cases.iter().find(|case| user.ends_with(&case.say))?;
        let mood = case.id.bytes().fold(seed, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
        if mood % 3 == 0 {
            return Some(Reply::text("I would rather not."));
        }
        let id = user.split("\"file_id\":\"").nth(1)?.split('"').next()?;
        let edit = json!({"file_id": id, "expected_content_rev": 1, "ops": case.expect});
        Some(Reply::call("e", "file_edit", &edit.to_string()))
    })
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_seed_gives_the_same_result() {
    let set = some_cases(10);
    let upstream = moody().await;
    let mut results = Vec::new();
    for seed in [7, 7, 8] {
        let client = Client::new(Endpoint::new(upstream.base_url(), None, "m")).unwrap();
        let model = Arc::new(RemoteModel::new(client, "m").temperature(0.5).seed(seed));
        let options = EvalOptions { seed: Some(seed), temperature: Some(0.5), ..EvalOptions::default() };
        results.push(run(&set, model, &options, |_| {}).await.unwrap());
    }
    assert_eq!(timeless(&results[0]), timeless(&results[1]));
    let passed = |report: &EvalReport| report.rows.iter().map(|row| row.passed).collect::<Vec<_>>();
    assert_ne!(passed(&results[0]), passed(&results[2]), "the endpoint does listen to the seed");
    assert!(results[0].passed > 0 && results[0].passed < 10, "{}", results[0].table());
    assert!(results[0].table().contains("seed 7, temperature 0.5"));
}
