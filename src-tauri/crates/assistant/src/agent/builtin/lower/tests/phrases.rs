//! The phrases of `tests/cases/phrases`, and the proof that every operation and every option of the contract has one in each language.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

const FILES: [(Format, &str); 4] = [
    (Format::Text, include_str!("../../../../../../../../tests/cases/phrases/text.txt")),
    (Format::Xlsx, include_str!("../../../../../../../../tests/cases/phrases/xlsx.txt")),
    (Format::Pptx, include_str!("../../../../../../../../tests/cases/phrases/pptx.txt")),
    (Format::Docx, include_str!("../../../../../../../../tests/cases/phrases/docx.txt")),
];

/// Phrases with what they become, as the file says it.
fn cases(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut cases: Vec<(String, Vec<&str>)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        match (line.strip_prefix("  "), cases.last_mut()) {
            (Some(expected), Some((_, all))) => all.push(expected),
            _ => cases.push((line.replace("\\n", "\n"), Vec::new())),
        }
    }
    cases
}

/// Equal, but a question back is told by some of its words.
fn same(found: &[String], expected: &[&str]) -> bool {
    let one =
        |(found, expected): (&String, &&str)| match (found.strip_prefix("! "), expected.strip_prefix("! ")) {
            (Some(question), Some(words)) => question.contains(words),
            _ => found == expected,
        };
    found.len() == expected.len() && found.iter().zip(expected).all(one)
}

#[test]
fn phrases_of_strangers() {
    let mut wrong = Vec::new();
    for (format, text) in FILES {
        let cases = cases(text);
        assert!(cases.len() > 40, "{format:?}: {}", cases.len());
        for (message, expected) in cases {
            let found = lowered(format, &message);
            if !same(&found, &expected) {
                wrong.push(format!(
                    "{message}\n   is   {}\n   want {}",
                    found.join("\n        "),
                    expected.join("\n        ")
                ));
            }
            for op in found.iter().filter(|op| op.starts_with('{')) {
                if let Err(error) = serde_json::from_str::<Edit>(op) {
                    wrong.push(format!("{message}: {op}: {error}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} phrases:\n{}", wrong.len(), wrong.join("\n"));
}

/// Options that plain words need not reach, and why.
const NOT_SAID: &[(&str, &str)] = &[
    // A range with rows of values, or a list of cells, says the same; both forms are reached.
];

/// Every operation of the contract with every field it may have, in each language.
#[test]
fn all_operations_with_all_their_options_have_a_phrase_in_both_languages() {
    let schema = serde_json::to_value(schemars::schema_for!(Edit)).unwrap();
    let mut all: BTreeSet<(String, String)> = BTreeSet::new();
    for variant in schema["oneOf"].as_array().unwrap() {
        let op = variant["properties"]["op"]["const"].as_str().unwrap();
        let fields = variant["properties"].as_object().unwrap().keys();
        all.extend(fields.map(|field| (op.to_string(), field.clone())));
    }
    assert!(all.iter().filter(|(_, field)| field == "op").count() >= 51, "the contract has 51 operations");
    all.retain(|(op, field)| !NOT_SAID.contains(&(op.as_str(), field.as_str())));
    let reached = reached();
    for (language, chinese) in [("English", false), ("Chinese", true)] {
        let missing: Vec<_> = all.difference(&reached[&chinese]).collect();
        assert!(missing.is_empty(), "{language} has no phrase for {} fields: {missing:?}", missing.len());
    }
}

/// Operations and fields that phrases become, by whether the phrase is Chinese.
fn reached() -> BTreeMap<bool, BTreeSet<(String, String)>> {
    let mut reached: BTreeMap<bool, BTreeSet<(String, String)>> =
        [(false, BTreeSet::new()), (true, BTreeSet::new())].into();
    let mut add = |message: &str, op: &str| {
        let Ok(Value::Object(fields)) = serde_json::from_str(op) else { return };
        let chinese = message.contains(|c: char| ('\u{4e00}'..'\u{a000}').contains(&c));
        let name = fields["op"].as_str().unwrap().to_string();
        let known = reached.entry(chinese).or_default();
        known.extend(fields.keys().map(|field| (name.clone(), field.clone())));
    };
    for (message, ops) in [TEXT, XLSX, PPTX, DOCX].into_iter().flatten() {
        ops.iter().for_each(|op| add(message, op));
    }
    for (message, ops) in FILES.iter().flat_map(|(_, text)| cases(text)) {
        ops.iter().for_each(|op| add(&message, op));
    }
    reached
}
