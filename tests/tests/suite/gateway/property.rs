//! Random well-formed calls in every habit of streaming come out as they were; anything cut off comes out whole or not at all.

use gateway::testing::inside::{Replay, Tools, Verdict, events, is_open, repaired, replay_compiled};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// One call before it is cut into fragments.
#[derive(Clone, Debug)]
struct Wanted {
    name: &'static str,
    arguments: String,
    cuts: Vec<prop::sample::Index>,
}

/// How an endpoint writes what does not matter.
#[derive(Clone, Copy, Debug)]
struct Habits {
    /// What stands for "no value": absent, null, `""`.
    nothing: u8,
    repeats_name: bool,
    repeats_id: bool,
    /// 0: index and id · 1: no index · 2: always index 0 · 3: index from 1 · 4: index and no id.
    identity: u8,
    interleaves: bool,
    name_comes_late: bool,
    finish: u8,
    with_usage: bool,
    carriage_returns: bool,
}

fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        "[\\x00-\\x7f]{0,12}".prop_map(Value::from),
        Just(json!("{}")),
        Just(json!("```json\n{\"a\":1}\n```")),
        Just(json!("C:\\new\\test \\alpha <|im_end|> <tool_call>")),
    ];
    let value = leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec(("k_[a-z]{0,3}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    vec(("k_[a-z]{0,4}", value), 0..5)
        .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>()).to_string())
}

fn wanted() -> impl Strategy<Value = Vec<Wanted>> {
    let name = prop::sample::select(vec!["edit", "write_file", "x"]);
    let call = (name, json_text(), vec(any::<prop::sample::Index>(), 0..8));
    vec(call.prop_map(|(name, arguments, cuts)| Wanted { name, arguments, cuts }), 1..4)
}

fn habits() -> impl Strategy<Value = Habits> {
    (0_u8..3, any::<[bool; 6]>(), 0_u8..5, 0_u8..4).prop_map(|(nothing, flags, identity, finish)| Habits {
        nothing,
        repeats_name: flags[0],
        repeats_id: flags[1],
        identity,
        interleaves: flags[2],
        name_comes_late: flags[3],
        finish,
        with_usage: flags[4],
        carriage_returns: flags[5],
    })
}

fn tools() -> Tools {
    let tool = |name: &str| json!({"type": "function", "function": {"name": name, "parameters": {"type": "object"}}});
    Tools::new(&json!([tool("edit"), tool("write_file"), tool("x")]))
}

fn fragments(call: &Wanted) -> Vec<String> {
    let text = &call.arguments;
    let mut cuts: Vec<usize> = call
        .cuts
        .iter()
        .map(|cut| cut.index(text.len() + 1))
        .filter(|cut| text.is_char_boundary(*cut))
        .collect();
    cuts.extend([0, text.len()]);
    cuts.sort_unstable();
    cuts.dedup();
    cuts.windows(2).map(|pair| text[pair[0]..pair[1]].to_owned()).collect()
}

fn put(map: &mut Map<String, Value>, key: &str, value: Option<Value>, habits: Habits) {
    match (value, habits.nothing) {
        (Some(value), _) => drop(map.insert(key.into(), value)),
        (None, 0) => {}
        (None, 1) => drop(map.insert(key.into(), Value::Null)),
        (None, _) => drop(map.insert(key.into(), json!(""))),
    }
}

/// One fragment of one call in the endpoint's habit.
fn fragment(position: usize, call: &Wanted, text: Option<&str>, is_head: bool, habits: Habits) -> Value {
    let has_id = habits.identity != 4;
    // Without an index the id is the only identity; on a shared index too, once calls interleave.
    let id = has_id && (is_head || habits.repeats_id || habits.identity == 1);
    let late = habits.name_comes_late && habits.identity != 2 && habits.identity != 1;
    let name = if is_head { !late } else { late || habits.repeats_name };
    let index = match habits.identity {
        0 | 4 => Some(json!(position)),
        1 => None,
        2 => Some(json!(0)),
        _ => Some(json!(position + 1)),
    };
    let mut function = Map::new();
    put(&mut function, "name", name.then(|| json!(call.name)), habits);
    put(&mut function, "arguments", text.map(|text| json!(text)), habits);
    let mut entry = Map::new();
    if let Some(index) = index {
        entry.insert("index".into(), index);
    }
    put(&mut entry, "id", id.then(|| json!(format!("call_{position}"))), habits);
    put(&mut entry, "type", is_head.then(|| json!("function")), habits);
    entry.insert("function".into(), Value::Object(function));
    Value::Object(entry)
}

/// The stream of these calls.
fn stream(calls: &[Wanted], habits: Habits) -> Vec<u8> {
    let mut queues: Vec<Vec<Value>> = Vec::new();
    for (position, call) in calls.iter().enumerate() {
        let mut queue = vec![fragment(position, call, None, true, habits)];
        queue.extend(fragments(call).iter().map(|text| fragment(position, call, Some(text), false, habits)));
        queues.push(queue);
    }
    let can_interleave = habits.interleaves && habits.identity != 2;
    let mut order: Vec<Value> = Vec::new();
    if can_interleave {
        let longest = queues.iter().map(Vec::len).max().unwrap_or_default();
        for step in 0..longest {
            order.extend(queues.iter().filter_map(|queue| queue.get(step).cloned()));
        }
    } else {
        order.extend(queues.into_iter().flatten());
    }
    let mut chunks: Vec<Value> =
        order.into_iter().map(|entry| chunk(json!({"tool_calls": [entry]}), Value::Null)).collect();
    match habits.finish {
        0 => chunks.push(chunk(json!({}), json!("tool_calls"))),
        1 => chunks.push(chunk(json!({}), json!("stop"))),
        2 => {
            if let Some(last) = chunks.last_mut() {
                last["choices"][0]["finish_reason"] = json!("tool_calls");
            }
        }
        _ => {}
    }
    if habits.with_usage {
        chunks.push(json!({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 5}}));
    }
    let line_end = if habits.carriage_returns { "\r\n" } else { "\n" };
    let mut body: String = chunks.iter().map(|chunk| format!("data: {chunk}{line_end}{line_end}")).collect();
    body.push_str(&format!("data: [DONE]{line_end}{line_end}"));
    body.into_bytes()
}

fn chunk(delta: Value, finish: Value) -> Value {
    json!({"id": "r", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

/// Names, argument values.
fn calls_of(verdict: &Verdict) -> Option<Vec<(String, Value)>> {
    match verdict {
        Verdict::Whole { calls, .. } => Some(
            calls
                .iter()
                .map(|call| (call.name.clone(), serde_json::from_str(&call.arguments).unwrap()))
                .collect(),
        ),
        Verdict::Fault { .. } => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn well_formed_calls_come_out_as_they_were(calls in wanted(), habits in habits(), cuts in vec(any::<prop::sample::Index>(), 0..30)) {
        // Two calls without ids cannot be told from one where the name is repeated late; such endpoints number their calls.
        let body = stream(&calls, habits);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
        cuts.sort_unstable();
        let verdict = replay_compiled(&tools(), &Replay::default(), super::replay::pieces(&body, &cuts));
        let expected: Vec<(String, Value)> =
            calls.iter().map(|call| (call.name.to_owned(), serde_json::from_str(&call.arguments).unwrap())).collect();
        prop_assert_eq!(calls_of(&verdict), Some(expected), "{:?}\n{}", verdict, String::from_utf8_lossy(&body));
    }

    #[test]
    fn the_text_of_whole_arguments_is_not_touched(calls in wanted(), habits in habits()) {
        let verdict = replay_compiled(&tools(), &Replay::default(), [stream(&calls, habits).as_slice()]);
        if let Verdict::Whole { calls: found, .. } = verdict {
            for (found, wanted) in found.iter().zip(&calls) {
                prop_assert_eq!(&found.arguments, &wanted.arguments);
            }
        }
    }

    #[test]
    fn a_truncated_stream_executes_nothing(calls in wanted(), habits in habits(), end in any::<prop::sample::Index>(), breaks in any::<bool>()) {
        let body = stream(&calls, habits);
        let end = end.index(body.len());
        let options = Replay { breaks, ..Replay::default() };
        let verdict = replay_compiled(&tools(), &options, [&body[..end]]);
        if let Some(found) = calls_of(&verdict) {
            // Only the sentinel or usage may be missing: the finish reason has been read.
            let text = String::from_utf8_lossy(&body[..end]);
            prop_assert!(text.contains("\"finish_reason\":\"") || text.contains("[DONE]"), "{}", text);
            prop_assert_eq!(found.len(), calls.len());
        }
    }

    #[test]
    fn truncated_arguments_are_never_executed(calls in wanted(), habits in habits(), lost in 1_usize..40, finish in prop::sample::select(vec!["tool_calls", "stop", "length"])) {
        let mut calls = calls;
        let last = calls.last_mut().unwrap();
        let mut keep = last.arguments.len().saturating_sub(lost);
        while !last.arguments.is_char_boundary(keep) {
            keep -= 1;
        }
        last.arguments.truncate(keep);
        prop_assume!(!last.arguments.is_empty());
        let mut body = stream(&calls, Habits { finish: 3, ..habits });
        let sentinel = if habits.carriage_returns { b"data: [DONE]\r\n\r\n".len() } else { b"data: [DONE]\n\n".len() };
        body.truncate(body.len() - sentinel);
        body.extend(format!("data: {}\n\ndata: [DONE]\n\n", chunk(json!({}), json!(finish))).into_bytes());
        let verdict = replay_compiled(&tools(), &Replay::default(), [body.as_slice()]);
        prop_assert_eq!(calls_of(&verdict), None, "{}", String::from_utf8_lossy(&body));
    }

    #[test]
    fn a_repair_never_accepts_an_open_text(text in "\\PC{0,40}|[\\x00-\\x7f]{0,40}|[{}\\[\\]\",:\\\\a1 ]{0,30}") {
        if let Some((fixed, kinds)) = repaired(&text) {
            prop_assert!(serde_json::from_str::<Value>(&fixed).is_ok());
            prop_assert!(kinds.is_empty() || !is_open(&text), "{:?} became {:?}", text, fixed);
        }
    }

    #[test]
    fn events_do_not_depend_on_cuts(body in vec(prop::sample::select(b"data: \n\r:id\xEF\xBB\xBF{}x".to_vec()), 0..80), cuts in vec(any::<prop::sample::Index>(), 0..12)) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
        cuts.sort_unstable();
        prop_assert_eq!(events(super::replay::pieces(&body, &cuts), 1 << 20), events([body.as_slice()], 1 << 20));
    }
}
