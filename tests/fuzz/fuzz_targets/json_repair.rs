//! Any text as the arguments of a call: a repair gives valid JSON, gives the same again, and closes nothing that was open.
#![no_main]

use gateway::testing::inside::{is_open, repaired};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let Some((repair, kinds)) = repaired(text) else { return };
    let value: Value = serde_json::from_str(&repair).expect("a repair is valid JSON");
    assert!(!is_open(text), "what was open was closed: {text:?} became {repair:?}");
    if let Ok(already) = serde_json::from_str::<Value>(text)
        && !already.is_string()
    {
        assert_eq!((already, kinds.len()), (value, 0), "what was right was changed");
        return;
    }
    if !value.is_string() {
        assert_eq!(repaired(&repair), Some((repair.clone(), Vec::new())), "a repair needs no repair");
    }
});
