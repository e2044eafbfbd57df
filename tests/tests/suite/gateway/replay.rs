//! Every case of the catalogue, with its bytes cut in every way that a network may cut them.

use gateway::testing::inside::{Replay, Tools, Verdict, replay_compiled};
use gateway::{ErrorCode, ToolCall};
use serde_json::Value;

use stet_tests::streams::{self, Case};

/// How often each case is cut at seeded random places.
const SEEDS: u64 = 24;

/// Schemas are compiled once per case, not once per cut.
fn replayer(case: &Case) -> impl Fn(&Replay, Vec<&[u8]>) -> Verdict {
    let tools = Tools::new(&case.replay.tools);
    move |options, pieces| replay_compiled(&tools, options, pieces)
}

#[test]
fn every_case_gives_what_it_says() {
    let mut wrong = Vec::new();
    for case in streams::all().unwrap() {
        if let Err(reason) = check(&case, &replayer(&case)(&case.replay, vec![&case.body])) {
            wrong.push(format!("{}: {reason}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn cuts_change_nothing() {
    for case in streams::all().unwrap() {
        let replay = replayer(&case);
        let whole = steady(replay(&case.replay, vec![&case.body]));
        let single = replay(&case.replay, case.body.chunks(1).collect());
        assert_eq!(steady(single), whole, "{}: one byte per read", case.name);
        let marked = replay(&case.replay, pieces(&case.body, &case.cuts));
        assert_eq!(steady(marked), whole, "{}: at its own marks", case.name);
        for seed in 0..SEEDS {
            let cuts = random_cuts(case.body.len(), seed);
            let cut = replay(&case.replay, pieces(&case.body, &cuts));
            assert_eq!(steady(cut), whole, "{}: seed {seed}, cuts {cuts:?}", case.name);
        }
    }
}

/// A body that ends anywhere: either nothing comes out, or exactly the calls of the whole.
#[test]
fn a_cut_off_body_executes_nothing_else() {
    for case in streams::all().unwrap().iter().filter(|case| !case.replay.tools.is_null()) {
        let replay = replayer(case);
        let whole = calls(&replay(&case.replay, vec![&case.body]));
        for end in 0..case.body.len() {
            for breaks in [false, true] {
                let options = Replay { breaks, ..case.replay.clone() };
                let Some(cut) = calls(&replay(&options, vec![&case.body[..end]])) else { continue };
                // Where the answer announced its end before its last call, the calls up to there are whole.
                let announced_early = case.row == "F06" || case.expected.fault.is_some();
                let is_beginning =
                    whole.as_ref().is_some_and(|whole| whole.starts_with(&cut)) || announced_early;
                assert!(is_beginning, "{}: cut at {end} gave {cut:?}", case.name);
                assert!(
                    announced_early || whole.as_ref() == Some(&cut),
                    "{}: cut at {end} lost a call",
                    case.name
                );
            }
        }
    }
}

fn calls(verdict: &Verdict) -> Option<Vec<ToolCall>> {
    match verdict {
        // A signature may come after everything else; it is not part of what would be executed.
        Verdict::Whole { calls, .. } if !calls.is_empty() => {
            Some(calls.iter().map(|call| ToolCall { extra: Default::default(), ..call.clone() }).collect())
        }
        Verdict::Whole { .. } | Verdict::Fault { .. } => None,
    }
}

/// A verdict without the wording of its message, which may quote where a parser stopped.
fn steady(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Fault { code, advice, .. } => Verdict::Fault { code, advice, message: String::new() },
        whole @ Verdict::Whole { .. } => whole,
    }
}

fn check(case: &Case, verdict: &Verdict) -> Result<(), String> {
    let expected = &case.expected;
    let (text, reasoning, calls, finish, repairs) = match (verdict, &expected.fault) {
        (Verdict::Fault { code, advice, message }, Some((wanted_code, wanted_advice))) => {
            let is_right = code.as_str() == wanted_code && advice == wanted_advice;
            return if is_right { Ok(()) } else { Err(format!("got {} {advice}: {message}", code.as_str())) };
        }
        (Verdict::Fault { code, message, .. }, None) => {
            return Err(format!("refused: {}: {message}", code.as_str()));
        }
        (Verdict::Whole { calls, text, .. }, Some(_)) => return Err(format!("came out: {text:?} {calls:?}")),
        (Verdict::Whole { text, reasoning, calls, finish, repairs }, None) => {
            (text, reasoning, calls, finish, repairs)
        }
    };
    let same = |what: &str, found: &str, wanted: &str| {
        if found == wanted { Ok(()) } else { Err(format!("{what}: {found:?} instead of {wanted:?}")) }
    };
    same("text", text, &expected.text)?;
    same("reasoning", reasoning, &expected.reasoning)?;
    let default_finish = if calls.is_empty() { "stop" } else { "tool_calls" };
    same("finish", finish.as_str(), expected.finish.as_deref().unwrap_or(default_finish))?;
    same("number of calls", &calls.len().to_string(), &expected.calls.len().to_string())?;
    let mut ids = std::collections::HashSet::new();
    for (call, wanted) in calls.iter().zip(&expected.calls) {
        same("name", &call.name, &wanted.name)?;
        let arguments: Value = serde_json::from_str(&call.arguments).map_err(|error| error.to_string())?;
        same("arguments", &arguments.to_string(), &wanted.arguments.to_string())?;
        if let Some(text) = &wanted.text {
            same("text of the arguments", &call.arguments, text)?;
        }
        if let Some(id) = &wanted.id {
            same("id", &call.id, id)?;
        }
        if let Some(extra) = &wanted.extra {
            same("extra", &Value::Object(call.extra.clone()).to_string(), &extra.to_string())?;
        }
        if call.id.is_empty() || !ids.insert(&call.id) {
            return Err(format!("the id {:?} is empty or there twice", call.id));
        }
    }
    for wanted in &expected.repairs {
        let is_recorded = repairs.iter().any(|kind| serde_json::to_value(kind).unwrap() == wanted.as_str());
        if !is_recorded {
            return Err(format!("the repair {wanted} is not recorded, only {repairs:?}"));
        }
    }
    Ok(())
}

pub(super) fn pieces<'a>(body: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut start = 0;
    let mut all = Vec::new();
    for cut in cuts.iter().copied().chain([body.len()]) {
        all.push(&body[start..cut]);
        start = cut;
    }
    all
}

/// Sorted places, from a small generator of our own so that a seed means the same for ever.
pub(super) fn random_cuts(length: usize, seed: u64) -> Vec<usize> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let count = next() as usize % 40 + 1;
    let mut cuts: Vec<usize> = (0..count).map(|_| next() as usize % (length + 1)).collect();
    cuts.sort_unstable();
    cuts
}

#[test]
fn a_verdict_carries_a_code_of_the_list() {
    for case in streams::all().unwrap() {
        if let Some((code, _)) = &case.expected.fault {
            let known: Result<ErrorCode, _> = serde_json::from_value(Value::from(code.as_str()));
            assert!(known.is_ok(), "{}: {code}", case.name);
        }
    }
}

/// One call with these arguments as a well-behaved endpoint would send them.
fn one_call(arguments: &str) -> Vec<u8> {
    let call =
        serde_json::json!({"index": 0, "id": "c", "function": {"name": "edit", "arguments": arguments}});
    gateway::testing::sse(&[
        gateway::testing::chunk(&serde_json::json!({"tool_calls": [call]}), None),
        gateway::testing::chunk(&serde_json::json!({}), Some("tool_calls")),
    ])
}

fn tools() -> Tools {
    Tools::new(
        &serde_json::json!([{"type": "function", "function": {"name": "edit", "parameters": {"type": "object"}}}]),
    )
}

#[track_caller]
fn check_code(body: &[u8], wanted: ErrorCode) {
    match replay_compiled(&tools(), &Replay::default(), [body]) {
        Verdict::Fault { code, .. } => assert_eq!(code, wanted),
        Verdict::Whole { calls, .. } => panic!("{} calls came out", calls.len()),
    }
}

#[test]
fn depth_without_end_is_refused_and_not_followed() {
    const DEPTH: usize = 200_000;
    let (open, close) = ("[".repeat(DEPTH), "]".repeat(DEPTH));
    check_code(&one_call(&format!("{{\"a\":{open}{close}}}")), ErrorCode::ArgumentsInvalidJson);
    check_code(&one_call(&format!("{{\"a\":{open}")), ErrorCode::ArgumentsTruncated);
    let in_object = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"function\":{{\"name\":\"edit\",\"arguments\":{{\"a\":{open}{close}}}}}}}]}}}}]}}\n\n"
    );
    check_code(in_object.as_bytes(), ErrorCode::EventMalformed);
    let around = format!("data: {open}{close}\n\n");
    let body = [around.as_bytes(), &one_call("{\"p\":1}")].concat();
    let verdict = replay_compiled(&tools(), &Replay::default(), [body.as_slice()]);
    assert!(
        matches!(verdict, Verdict::Whole { .. }),
        "what says nothing may be as deep as it likes: {verdict:?}"
    );
}

#[test]
fn an_event_may_be_long_but_not_endless() {
    let body = one_call(&format!("{{\"a\":\"{}\"}}", "x".repeat(8 << 20)));
    for pieces in [vec![body.as_slice()], body.chunks(65_536).collect()] {
        let verdict = replay_compiled(&tools(), &Replay::default(), pieces);
        assert!(matches!(verdict, Verdict::Whole { calls, .. } if calls[0].arguments.len() > 8 << 20));
    }
    let body = one_call(&format!("{{\"a\":\"{}\"}}", "x".repeat(17 << 20)));
    check_code(&body, ErrorCode::EventMalformed);
}
