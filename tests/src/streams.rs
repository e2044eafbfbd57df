//! Reads the case files of `tests/fixtures/streams`; their format is in the README beside them.

// A malformed case must stop the test that reads it, at its place.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io;

use gateway::testing::inside::Replay;
use serde_json::{Value, json};

/// One answer and what must come of it.
#[derive(Debug, Default)]
pub struct Case {
    /// `file: ROW title`.
    pub name: String,
    pub row: String,
    pub replay: Replay,
    pub expected: Expected,
    pub body: Vec<u8>,
    /// Where the case itself cuts its reads.
    pub cuts: Vec<usize>,
}

#[derive(Debug, Default)]
pub struct Expected {
    pub calls: Vec<ExpectedCall>,
    pub text: String,
    pub reasoning: String,
    pub finish: Option<String>,
    pub repairs: Vec<String>,
    /// Code and advice.
    pub fault: Option<(String, String)>,
}

#[derive(Debug, Default)]
pub struct ExpectedCall {
    pub name: String,
    pub arguments: Value,
    pub id: Option<String>,
    pub extra: Option<Value>,
    pub text: Option<String>,
}

/// Every case of every file, sorted by file.
pub fn all() -> io::Result<Vec<Case>> {
    let folder = crate::fixture("streams");
    let tools: Value = serde_json::from_slice(&std::fs::read(folder.join("tools.json"))?)?;
    let mut files = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "cases") {
            files.push(path);
        }
    }
    files.sort();
    let mut cases = Vec::new();
    for path in files {
        cases.extend(parse(&std::fs::read_to_string(&path)?, &tools));
    }
    Ok(cases)
}

fn parse(text: &str, tools: &Value) -> Vec<Case> {
    let parts = text.split("\n== ").map(|part| part.strip_prefix("== ").unwrap_or(part));
    parts.filter(|part| !part.trim().is_empty()).map(|part| parse_case(part, tools)).collect()
}

fn parse_case(text: &str, tools: &Value) -> Case {
    let (title, rest) = text.split_once('\n').unwrap();
    let (header, body) = rest.split_once("---\n").unwrap_or_else(|| panic!("{title}: no body"));
    let row = title.split(' ').next().unwrap().to_owned();
    let mut case = Case { name: title.trim().to_owned(), row, ..Case::default() };
    case.replay.tools = tools.clone();
    for line in header.lines().filter(|line| !line.trim().is_empty()) {
        let (key, value) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
        parse_header(&mut case, key, value);
    }
    for line in body.lines().filter(|line| !line.trim().is_empty()) {
        parse_body(&mut case, line);
    }
    case
}

fn parse_header(case: &mut Case, key: &str, value: &str) {
    let expected = &mut case.expected;
    match key {
        "no-tools" => case.replay.tools = Value::Null,
        "max_tokens" => case.replay.max_tokens = Some(value.parse().unwrap()),
        "call" => {
            let (name, arguments) = value.split_once(' ').unwrap();
            let arguments = serde_json::from_str(arguments).unwrap();
            expected.calls.push(ExpectedCall { name: name.into(), arguments, ..ExpectedCall::default() });
        }
        "id" => expected.calls.last_mut().unwrap().id = Some(value.into()),
        "extra" => expected.calls.last_mut().unwrap().extra = Some(serde_json::from_str(value).unwrap()),
        "arguments" => expected.calls.last_mut().unwrap().text = Some(value.into()),
        "text" => expected.text = serde_json::from_str(value).unwrap(),
        "reasoning" => expected.reasoning = serde_json::from_str(value).unwrap(),
        "finish" => expected.finish = Some(value.into()),
        "repair" => expected.repairs.push(value.into()),
        "fault" => {
            let (code, advice) = value.split_once(' ').unwrap();
            expected.fault = Some((code.into(), advice.into()));
        }
        other => panic!("{}: unknown header {other}", case.name),
    }
}

fn parse_body(case: &mut Case, line: &str) {
    let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
    let with_finish = || match rest.rsplit_once(" !") {
        Some((value, reason)) => (value.to_owned(), json!(reason)),
        None => (rest.to_owned(), Value::Null),
    };
    let chunk = |delta: &str, finish: &Value| {
        format!(
            "{{\"id\":\"r1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\
             \"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}"
        )
    };
    let event = match kind {
        "C" => {
            let (delta, finish) = with_finish();
            chunk(&delta, &finish)
        }
        "T" => {
            let (call, finish) = with_finish();
            chunk(&format!("{{\"tool_calls\":[{call}]}}"), &finish)
        }
        "F" => chunk("{}", &json!(rest)),
        "U" => {
            let (prompt, completion) = rest.split_once(' ').unwrap();
            format!(
                "{{\"id\":\"r1\",\"object\":\"chat.completion.chunk\",\"choices\":[],\
                 \"usage\":{{\"prompt_tokens\":{prompt},\"completion_tokens\":{completion}}}}}"
            )
        }
        "D" => rest.to_owned(),
        "DONE" => "[DONE]".to_owned(),
        "R" => {
            case.body.extend(unescape(rest));
            return;
        }
        "=====" => {
            case.cuts.push(case.body.len());
            return;
        }
        "BREAK" => {
            case.replay.breaks = true;
            return;
        }
        other => panic!("{}: unknown body line {other}", case.name),
    };
    case.body.extend(format!("data: {event}\n\n").into_bytes());
}

fn unescape(quoted: &str) -> Vec<u8> {
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap();
    let mut bytes = inner.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next().unwrap() {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'x' => {
                let digits = [bytes.next().unwrap(), bytes.next().unwrap()];
                out.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
            }
            other => out.push(other),
        }
    }
    out
}
