//! Opaque reasoning fields (`reasoning_details`) put together from deltas, so that they can be echoed to the endpoint that sent them.
//!
//! Two streaming habits exist: each delta continues the last one, or each is a snapshot of everything so far. Which it was is decided
//! at the end.

use serde_json::{Map, Value};

/// Text members of a detail that are streamed in pieces.
const STREAMED: [&str; 4] = ["text", "summary", "data", "signature"];

#[derive(Debug, Default)]
pub(crate) struct ReasoningDetails {
    details: Vec<Detail>,
}

#[derive(Debug)]
struct Detail {
    key: (Option<i64>, Option<String>),
    members: Map<String, Value>,
    pieces: Map<String, Value>,
}

impl ReasoningDetails {
    /// Takes the value of one delta.
    pub(crate) fn add(&mut self, value: Value) {
        let Value::Array(items) = value else { return };
        for item in items {
            let Value::Object(members) = item else { continue };
            self.add_detail(members);
        }
    }

    /// The details as one list; nothing when there were none.
    pub(crate) fn finish(self) -> Option<Value> {
        let joined: Vec<Value> = self.details.into_iter().map(Detail::finish).collect();
        (!joined.is_empty()).then_some(Value::Array(joined))
    }

    fn add_detail(&mut self, members: Map<String, Value>) {
        let index = members.get("index").and_then(Value::as_i64);
        let kind = members.get("type").and_then(Value::as_str).map(str::to_owned);
        let key = (index, kind);
        // Without an index only the last detail can go on.
        let known = match key.0 {
            Some(_) => self.details.iter().position(|detail| detail.key == key),
            None => self.details.len().checked_sub(1).filter(|last| self.details[*last].key == key),
        };
        let at = known.unwrap_or_else(|| {
            self.details.push(Detail { key, members: Map::new(), pieces: Map::new() });
            self.details.len() - 1
        });
        let detail = &mut self.details[at];
        for (name, value) in members {
            match value {
                Value::Null => {}
                Value::String(_) if STREAMED.contains(&name.as_str()) => detail.push_piece(name, value),
                other => drop(detail.members.insert(name, other)),
            }
        }
    }
}

impl Detail {
    fn push_piece(&mut self, name: String, piece: Value) {
        if let Value::Array(pieces) = self.pieces.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
            pieces.push(piece);
        }
    }

    fn finish(mut self) -> Value {
        for (name, pieces) in self.pieces {
            let pieces: Vec<&str> =
                pieces.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            self.members.insert(name, Value::String(joined(&pieces)));
        }
        Value::Object(self.members)
    }
}

fn joined(pieces: &[&str]) -> String {
    let is_snapshots = pieces.len() > 1
        && pieces.windows(2).all(|pair| pair[1].len() > pair[0].len() && pair[1].starts_with(pair[0]));
    if is_snapshots { pieces.last().copied().unwrap_or_default().to_owned() } else { pieces.concat() }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::ReasoningDetails;

    #[track_caller]
    fn check(deltas: &[Value], expected: Value) {
        let mut details = ReasoningDetails::default();
        for delta in deltas {
            details.add(delta.clone());
        }
        assert_eq!(details.finish(), Some(expected));
    }

    #[test]
    fn pieces_are_joined_by_index() {
        let first = json!([{"type": "reasoning.text", "index": 0, "text": "a", "format": "x"}]);
        let second = json!([{"type": "reasoning.text", "index": 0, "text": "b", "signature": "s"}]);
        let other = json!([{"type": "reasoning.encrypted", "index": 1, "data": "d"}]);
        check(
            &[first, second, other],
            json!([{"type": "reasoning.text", "index": 0, "format": "x", "text": "ab", "signature": "s"},
                   {"type": "reasoning.encrypted", "index": 1, "data": "d"}]),
        );
    }

    #[test]
    fn snapshots_replace_each_other() {
        check(
            &[json!([{"text": "a"}]), json!([{"text": "ab"}]), json!([{"text": "abc"}])],
            json!([{"text": "abc"}]),
        );
    }
}
