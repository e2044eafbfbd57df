//! What the built-in model says, in the user's language: what was done, what was refused and why, and examples that fit the document.

mod examples;

use serde_json::Value;

pub use examples::{example_lines, examples};

use super::plan::{Done, Problem};
use crate::api::answers::DocumentInfo;

/// The language of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    English,
    Chinese,
}

/// More changes than this are counted, not listed.
const CHANGES_TOLD: usize = 8;
const TEXT_TOLD: usize = 60;

impl Language {
    fn pick(self, english: impl Into<String>, chinese: impl Into<String>) -> String {
        match self {
            Language::English => english.into(),
            Language::Chinese => chinese.into(),
        }
    }
}

/// The final message of a turn.
pub fn answer(
    done: &[Done],
    problems: &[Problem],
    help: bool,
    files: &[DocumentInfo],
    language: Language,
) -> String {
    let mut parts: Vec<String> =
        done.iter().filter(|done| done.tool != "file_read").map(|done| told(done, language)).collect();
    parts.extend(problems.iter().map(|problem| problem_told(problem, language)));
    let wants_examples = |problem: &Problem| {
        !matches!(problem, Problem::NoDocument | Problem::WhichDocument(_) | Problem::Unclear { .. })
    };
    let failed_reads = done.iter().filter(|done| done.tool == "file_read" && done.answer["ok"] != true);
    parts.extend(failed_reads.map(|done| refused(done, language)));
    if help || parts.is_empty() || problems.iter().any(wants_examples) {
        let missed = |problem: &Problem| match problem {
            Problem::NotUnderstood(words) | Problem::OtherFormat(words) => Some(words.clone()),
            Problem::Unclear { .. } | Problem::NoDocument | Problem::WhichDocument(_) => None,
        };
        let missed: Vec<String> = problems.iter().filter_map(missed).collect();
        parts.push(examples(files, language, &missed.join(" ")));
    }
    parts.join("\n\n")
}

fn problem_told(problem: &Problem, language: Language) -> String {
    match problem {
        Problem::NotUnderstood(words) => language.pick(
            format!("I did not understand: “{}”. Nothing was changed.", shortened(words)),
            format!("没有听懂：“{}”。什么都没有改。", shortened(words)),
        ),
        Problem::OtherFormat(words) => language.pick(
            format!("“{}” does not fit the open document.", shortened(words)),
            format!("“{}”不适用于打开的文档。", shortened(words)),
        ),
        Problem::Unclear { english, chinese } => language.pick(english, chinese),
        Problem::NoDocument => language.pick("Open a document first.", "请先打开一个文档。"),
        Problem::WhichDocument(words) => language.pick(
            format!("Several open documents fit “{}”; name the file.", shortened(words)),
            format!("有多个打开的文档适用于“{}”，请说出文件名。", shortened(words)),
        ),
    }
}

fn told(done: &Done, language: Language) -> String {
    if done.answer["ok"] != true {
        return refused(done, language);
    }
    if done.tool == "file_search" {
        return found(done, language);
    }
    let name = name_of(&done.answer);
    let (previous, now) = (done.answer["previous_rev"].as_u64(), done.answer["content_rev"].as_u64());
    let revisions = match (previous, now) {
        (Some(previous), Some(now)) if previous != now => {
            language.pick(format!(" (revision {previous} → {now})"), format!("（版本 {previous} → {now}）"))
        }
        _ => String::new(),
    };
    let changes = done.answer["changes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let count = changes.len()
        + done.answer["changes_left_out"].as_u64().map_or(0, |more| usize::try_from(more).unwrap_or(0));
    let head = match (done.answer["status"].as_str().unwrap_or_default(), done.tool.as_str()) {
        ("committed", "file_undo") => language.pick(
            format!("Took the last change of {name} back{revisions}."),
            format!("已撤销 {name} 的上一次修改{revisions}。"),
        ),
        ("committed", "file_redo") => language.pick(
            format!("Did the change of {name} again{revisions}."),
            format!("已重做 {name} 的修改{revisions}。"),
        ),
        ("unchanged", "file_undo") => language.pick(
            format!("Dropped the change of {name} that waited for review."),
            format!("已放弃 {name} 待确认的修改。"),
        ),
        ("committed", "file_restore") => {
            language.pick(format!("Restored {name}{revisions}."), format!("已恢复 {name}{revisions}。"))
        }
        ("committed", "file_write") => language.pick(format!("Made {name}."), format!("已新建 {name}。")),
        ("committed", _) => {
            language.pick(format!("Changed {name}{revisions}:"), format!("已修改 {name}{revisions}："))
        }
        ("staged", _) => language.pick(
            format!("Prepared {} in {name} for your review:", counted(count)),
            format!("已为 {name} 准备好 {count} 处修改，等你确认："),
        ),
        ("dry_run", _) => {
            language.pick(format!("This would change in {name}:"), format!("{name} 将会有这些修改："))
        }
        _ => language.pick(
            format!("Nothing changes in {name}: it is so already."),
            format!("{name} 没有变化：内容已经如此。"),
        ),
    };
    let mut lines = vec![head];
    if done.tool == "file_edit" {
        lines.extend(changes.iter().take(CHANGES_TOLD).map(change_told));
        if count > CHANGES_TOLD {
            let more = count - CHANGES_TOLD.min(changes.len());
            lines.push(language.pick(format!("- … and {more} more"), format!("- ……还有 {more} 处")));
        }
    }
    for warning in done.answer["warnings"].as_array().into_iter().flatten() {
        if let Some(message) = warning["message"].as_str() {
            lines.push(format!("⚠ {message}"));
        }
    }
    lines.join("\n")
}

fn counted(count: usize) -> String {
    if count == 1 { "1 change".into() } else { format!("{count} changes") }
}

fn change_told(change: &Value) -> String {
    let place = change["where"].as_str().unwrap_or_default();
    let quoted = |side: &str| change[side].as_str().map(|text| format!("“{}”", shortened(text)));
    match (quoted("before"), quoted("after")) {
        (Some(before), Some(after)) => format!("- {place}: {before} → {after}"),
        (Some(before), None) => format!("- {place}: − {before}"),
        (None, Some(after)) => format!("- {place}: + {after}"),
        (None, None) => format!("- {place}"),
    }
}

fn found(done: &Done, language: Language) -> String {
    let query = done.arguments["query"].as_str().unwrap_or_default();
    let matches = done.answer["matches"].as_array().map(Vec::as_slice).unwrap_or_default();
    if matches.is_empty() {
        return language.pick(
            format!("“{query}” is not in the open documents."),
            format!("打开的文档里没有“{query}”。"),
        );
    }
    let mut lines = vec![language.pick(
        format!("“{query}” was found in {} places:", matches.len()),
        format!("“{query}”出现在 {} 处：", matches.len()),
    )];
    let line = |found: &Value| {
        format!(
            "- {}: {}",
            found["at"].as_str().unwrap_or_default(),
            shortened(found["text"].as_str().unwrap_or_default())
        )
    };
    lines.extend(matches.iter().take(CHANGES_TOLD).map(line));
    lines.join("\n")
}

fn refused(done: &Done, language: Language) -> String {
    let error = &done.answer["error"];
    let message = error["message"].as_str().unwrap_or("The call failed.");
    let name = name_of(&done.answer);
    let code = error["code"].as_str().unwrap_or_default();
    let (what, advice) = match language {
        Language::English => (format!("Nothing was changed. {message}"), english_advice(code, error)),
        Language::Chinese => {
            (format!("没有做任何修改：{}（{message}）", chinese_code(code)), chinese_advice(code))
        }
    };
    let mut lines = vec![if name.is_empty() { what } else { format!("{name}: {what}") }];
    for place in error["matches"].as_array().into_iter().flatten().take(CHANGES_TOLD) {
        let (at, text) =
            (place["where"].as_str().unwrap_or_default(), place["text"].as_str().unwrap_or_default());
        lines.push(format!("- {at}: {}", shortened(text)));
    }
    lines.extend(advice);
    lines.join("\n")
}

fn english_advice(code: &str, error: &Value) -> Option<String> {
    match code {
        "multiple_matches" => {
            Some("Say which: replace the 2nd “X” with “Y”, or replace all “X” with “Y”.".into())
        }
        "zero_matches" => Some("The words must be exactly as in the document.".into()),
        _ => error["hint"].as_str().map(str::to_string),
    }
}

fn chinese_advice(code: &str) -> Option<String> {
    let advice = match code {
        "multiple_matches" => "请说明是哪一处：把第2个“X”改成“Y”，或者把所有“X”改成“Y”。",
        "zero_matches" => "文字必须与文档里的完全一致。",
        "content_rev_conflict" => "请再说一次，我会按最新的内容来改。",
        "read_only" => "如果确实要改受保护的内容，请加上“忽略保护”。",
        "locked" => "请先在其他程序里关闭它。",
        _ => return None,
    };
    Some(advice.into())
}

fn chinese_code(code: &str) -> &'static str {
    match code {
        "zero_matches" => "没有找到这段文字",
        "multiple_matches" => "找到多处，无法确定是哪一处",
        "prefix_mismatch" => "那里的内容与所说的不一致",
        "out_of_range" => "没有这个位置",
        "content_rev_conflict" => "文件已有新的版本",
        "unsupported_op" => "这种文档不支持这个操作",
        "would_damage" => "这样改会损坏文档的其他内容",
        "read_only" => "内容受保护或文件只读",
        "locked" => "文件正被其他程序占用",
        "too_large" => "文件太大",
        "damaged_document" => "文档已损坏",
        "encrypted_document" => "文档已加密",
        "unsupported_document" => "不支持这种文档",
        "path_not_allowed" => "不允许写到那里",
        "timeout" | "cancelled" => "操作已停止",
        _ => "操作被拒绝",
    }
}

fn name_of(answer: &Value) -> String {
    let path = answer["path"].as_str().unwrap_or_default();
    path.rsplit(['/', '\\']).next().unwrap_or_default().to_string()
}

fn shortened(text: &str) -> String {
    let one_line = text.replace('\n', " ⏎ ");
    if one_line.chars().count() <= TEXT_TOLD {
        return one_line;
    }
    let start: String = one_line.chars().take(TEXT_TOLD).collect();
    format!("{start}…")
}
