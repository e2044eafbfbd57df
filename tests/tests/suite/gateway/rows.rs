//! Every row of the fault catalogue is covered: by a case file, or by a test named here.

use std::collections::BTreeSet;

use stet_tests::streams;

/// The rows of the catalogue, by chapter.
const ROWS: [(&str, &[&str]); 10] = [
    ("T", &["01", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15"]),
    ("E", &["01", "02", "03", "04", "05", "06", "07", "08", "09", "11", "12", "13"]),
    ("N", &["01", "02", "03", "04", "05", "07", "08", "09", "10", "11"]),
    ("I", &["01", "02", "03", "04", "05", "07"]),
    ("X", &["01", "02", "03", "05", "06", "07"]),
    (
        "A",
        &[
            "01", "02", "03", "04", "06", "08", "09", "10", "11", "12", "13b", "14", "15", "16", "17", "19",
            "20", "21", "22", "23", "24", "25", "26", "27", "28",
        ],
    ),
    ("L", &["01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12", "13"]),
    ("F", &["01", "02", "03", "04", "06", "07", "08", "09", "10", "11", "12", "13", "14", "15"]),
    ("R", &["01", "04", "05", "06", "07", "08"]),
    ("H", &["01", "02", "03", "04", "05", "06", "07", "08"]),
];

/// Rows that are about requests, headers or time: the file and the test that covers each.
const TESTED_ELSEWHERE: [(&str, &str, &str); 15] = [
    ("T09", ENDINGS, "encodings_that_were_not_asked_for"),
    ("T13", ENDINGS, "after_a_finish_reason_the_sentinel_is_waited_for_only_shortly"),
    ("I07", DIALECTS, "opaque_fields_go_back_to_the_endpoint_that_sent_them"),
    ("F15", ENDINGS, "silence_is_cut_and_retried_and_comments_are_life"),
    ("R05", RETRIES, "a_vendors_own_refusal_of_the_call_is_a_bad_call"),
    ("R06", REFUSALS, "rate_limits_wait_as_asked_and_do_not_count_as_repairs"),
    ("R07", DIALECTS, "thinking_is_off_and_on_in_each_vendors_spelling"),
    ("R08", RETRIES, "a_servers_broken_stream_parser_is_avoided"),
    ("H01", PROXY, "what_a_typed_client_drops_is_put_back"),
    ("H02", "src-tauri/crates/gateway/src/proxy/memory.rs", "forbidden_fields_are_taken_out"),
    ("H04", DIALECTS, "opaque_fields_go_back_to_the_endpoint_that_sent_them"),
    (
        "H05",
        "src-tauri/crates/gateway/src/turn/history.rs",
        "a_call_with_broken_arguments_goes_with_its_result",
    ),
    ("H06", "src-tauri/crates/gateway/src/turn/history.rs", "calls_in_a_row_become_one_message"),
    ("H07", DIALECTS, "an_orphan_in_the_conversation_never_reaches_the_endpoint"),
    ("H08", PROXY, "a_faulty_turn_comes_out_as_a_clean_stream"),
];

const DIALECTS: &str = "tests/tests/suite/gateway/turns/dialects.rs";
const ENDINGS: &str = "tests/tests/suite/gateway/turns/endings.rs";
const REFUSALS: &str = "tests/tests/suite/gateway/turns/refusals.rs";
const RETRIES: &str = "tests/tests/suite/gateway/turns/retries.rs";
const PROXY: &str = "tests/tests/suite/gateway/proxy.rs";

#[test]
fn every_row_of_the_catalogue_is_covered() {
    let mut covered: BTreeSet<String> = streams::all().unwrap().into_iter().map(|case| case.row).collect();
    for (row, file, test) in TESTED_ELSEWHERE {
        let source = std::fs::read_to_string(stet_tests::repository().join(file)).unwrap();
        assert!(source.contains(&format!("fn {test}(")), "{row}: {file} has no test {test}");
        covered.insert(row.to_owned());
    }
    let rows: Vec<String> = ROWS
        .iter()
        .flat_map(|(chapter, numbers)| numbers.iter().map(move |number| format!("{chapter}{number}")))
        .collect();
    assert_eq!(rows.len(), 114);
    let missing: Vec<&String> = rows.iter().filter(|row| !covered.contains(*row)).collect();
    assert!(missing.is_empty(), "no case for {missing:?}");
}
