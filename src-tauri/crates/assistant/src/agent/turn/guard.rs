//! What keeps a turn bounded and its writes honest: spent revisions, repeated failures, and how often a file may be got wrong.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::api::{AppError, error::ErrorCode};

/// Failed edits on one file that end a turn.
pub const MOST_FAILURES_ON_A_FILE: u32 = 3;
/// Answers in a row that brought no usable message.
pub const MOST_UNUSABLE: u32 = 3;

/// Memory of one turn.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    newest: HashMap<String, u64>,
    failed: HashSet<String>,
    failures: HashMap<String, u32>,
    unusable: u32,
}

/// Why a turn must end although the model would go on.
#[derive(Debug, Clone, PartialEq)]
pub enum Stopped {
    /// The very same call failed before.
    SameCallAgain {
        tool: String,
        error: Value,
    },
    /// One file was got wrong too often; its id, or its name as the user knows it.
    TooManyFailures {
        file: String,
        error: Value,
    },
    /// The model sent nothing usable several times in a row.
    Unusable {
        code: String,
        message: String,
    },
    Steps(u32),
    Tokens(u64),
}

impl Guard {
    /// Refuses a write on a revision that an earlier write of this turn has spent, without asking anybody.
    pub fn check_revision(&self, file_id: &str, expected: Option<u64>) -> Result<(), AppError> {
        let (Some(newest), Some(expected)) = (self.newest.get(file_id), expected) else { return Ok(()) };
        if expected >= *newest {
            return Ok(());
        }
        let message =
            format!("An earlier edit of this turn made revision {newest}; the call expects {expected}.");
        let hint = format!(
            "Send the edit again with expected_content_rev {newest}; read the file first if places may have moved."
        );
        Err(AppError::new(ErrorCode::ContentRevConflict, message).hint(hint).about(file_id, Some(*newest)))
    }

    /// Notes a write that was done.
    pub fn written(&mut self, file_id: &str, content_rev: u64) {
        let newest = self.newest.entry(file_id.to_string()).or_default();
        *newest = (*newest).max(content_rev);
    }

    /// Whether this very call failed before in this turn.
    pub fn failed_before(&self, tool: &str, arguments: &str) -> bool {
        self.failed.contains(&key(tool, arguments))
    }

    /// Notes a failed call; answers why the turn must end, if it must.
    pub fn failed(
        &mut self,
        tool: &str,
        arguments: &str,
        file_id: Option<&str>,
        answer: &Value,
    ) -> Option<Stopped> {
        self.failed.insert(key(tool, arguments));
        let file = file_id?.to_string();
        let failures = self.failures.entry(file.clone()).or_default();
        *failures += 1;
        (*failures >= MOST_FAILURES_ON_A_FILE)
            .then(|| Stopped::TooManyFailures { file, error: answer["error"].clone() })
    }

    /// Notes an answer that cannot be used.
    pub fn unusable(&mut self, code: &str, message: &str) -> Option<Stopped> {
        self.unusable += 1;
        let stopped = || Stopped::Unusable { code: code.to_string(), message: message.to_string() };
        (self.unusable >= MOST_UNUSABLE).then(stopped)
    }

    /// Notes an answer that could be used.
    pub fn usable(&mut self) {
        self.unusable = 0;
    }
}

/// The same arguments in another order of fields or with other blanks are the same call.
fn key(tool: &str, arguments: &str) -> String {
    let canonical = serde_json::from_str::<Value>(arguments).map(|value| sorted(&value).to_string());
    format!("{tool} {}", canonical.unwrap_or_else(|_| arguments.to_string()))
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut pairs: Vec<_> = fields.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(pairs.into_iter().collect())
        }
        Value::Array(values) => values.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

impl Stopped {
    /// What the user is told.
    pub fn told(&self, chinese: bool) -> String {
        let why = |error: &Value| error["message"].as_str().unwrap_or_default().to_string();
        match (self, chinese) {
            (Stopped::SameCallAgain { tool, error }, false) => {
                format!("I stopped: the model sent the same failing call to `{tool}` twice. {}", why(error))
            }
            (Stopped::SameCallAgain { tool, error }, true) => {
                format!("已停止：模型两次发出同样会失败的调用（{tool}）。{}", why(error))
            }
            (Stopped::TooManyFailures { file, error }, false) => {
                format!(
                    "I stopped: {MOST_FAILURES_ON_A_FILE} edits of {file} failed in this turn. The last reason: {}",
                    why(error)
                )
            }
            (Stopped::TooManyFailures { file, error }, true) => {
                format!(
                    "已停止：本轮对 {file} 的修改失败了 {MOST_FAILURES_ON_A_FILE} 次。最后的原因：{}",
                    why(error)
                )
            }
            (Stopped::Unusable { code, message }, false) => {
                format!("I stopped: the model's answers could not be used ({code}). {message}")
            }
            (Stopped::Unusable { code, message }, true) => {
                format!("已停止：模型的回答无法使用（{code}）。{message}")
            }
            (Stopped::Steps(limit), false) => {
                format!("I stopped after {limit} steps, the limit of one turn.")
            }
            (Stopped::Steps(limit), true) => format!("已停止：达到每轮 {limit} 步的上限。"),
            (Stopped::Tokens(limit), false) => {
                format!("I stopped after {limit} tokens, the limit of one turn.")
            }
            (Stopped::Tokens(limit), true) => format!("已停止：达到每轮 {limit} 个 token 的上限。"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_spent_revision_is_refused_with_the_newest() {
        let mut guard = Guard::default();
        assert!(guard.check_revision("f", Some(45)).is_ok());
        guard.written("f", 46);
        let error = guard.check_revision("f", Some(45)).unwrap_err();
        assert_eq!((error.code, error.content_rev), (ErrorCode::ContentRevConflict, Some(46)));
        assert!(guard.check_revision("f", Some(46)).is_ok() && guard.check_revision("g", Some(1)).is_ok());
    }

    #[test]
    fn the_same_call_is_known_whatever_the_order_of_its_fields() {
        let mut guard = Guard::default();
        let answer = json!({"ok": false, "error": {"message": "no"}});
        assert_eq!(guard.failed("file_edit", r#"{"a":1,"b":[2]}"#, Some("f"), &answer), None);
        assert!(guard.failed_before("file_edit", r#"{ "b": [2], "a": 1 }"#));
        assert!(!guard.failed_before("file_edit", r#"{"a":1,"b":[3]}"#));
        guard.failed("file_edit", "{}", Some("f"), &answer);
        assert!(matches!(
            guard.failed("file_edit", "[]", Some("f"), &answer),
            Some(Stopped::TooManyFailures { .. })
        ));
    }
}
