//! Cell values as a person types them: numbers, dates, formulas, text in quotes.

use serde_json::{Number, Value, json};

use crate::agent::builtin::slots::quoted_at;

/// The value of one cell. Quoted text stays text, except a formula; a leading apostrophe makes anything text, as in Excel.
pub(super) fn cell_value(typed: &str, quoted: bool) -> Value {
    if let Some(text) = typed.strip_prefix('\'') {
        return text.into();
    }
    if typed.starts_with('=') && typed.len() > 1 {
        return json!({ "formula": typed });
    }
    if quoted {
        return typed.into();
    }
    let trimmed = typed.trim();
    let lower = trimmed.to_lowercase();
    match lower.as_str() {
        "empty" | "blank" | "nothing" | "null" | "空" | "空白" | "空值" => return Value::Null,
        "same formula" | "the same formula" | "formula as above" | "沿用公式" | "同上公式" | "公式同上" =>
        {
            return json!({ "fill": "formula" });
        }
        "true" => return true.into(),
        "false" => return false.into(),
        _ => {}
    }
    date(trimmed).or_else(|| number(trimmed)).unwrap_or_else(|| trimmed.into())
}

/// `120`, `-3.5`, `1,200`, `12%`.
fn number(text: &str) -> Option<Value> {
    let (digits, percent) = text.strip_suffix(['%', '％']).map_or((text, false), |digits| (digits, true));
    let plain = if is_grouped(digits) { digits.replace(',', "") } else { digits.to_string() };
    // Leading zeros are an identifier such as a postcode, not a number.
    let unsigned = plain.trim_start_matches(['-', '+']);
    let is_code = unsigned.len() > 1 && unsigned.starts_with('0') && !unsigned.starts_with("0.");
    let only_digits = !unsigned.is_empty() && unsigned.chars().all(|c| c.is_ascii_digit() || c == '.');
    if is_code || !only_digits {
        return None;
    }
    if !percent && let Ok(whole) = plain.trim_start_matches('+').parse::<i64>() {
        return Some(whole.into());
    }
    let value: f64 = plain.parse().ok()?;
    let value = if percent { value / 100.0 } else { value };
    Number::from_f64(value).map(Value::Number)
}

/// Digits in groups of three, as in `1,234,567.8`.
fn is_grouped(text: &str) -> bool {
    let whole = text.split('.').next().unwrap_or_default().trim_start_matches(['-', '+']);
    let groups: Vec<&str> = whole.split(',').collect();
    let all_digits = groups.iter().all(|group| group.chars().all(|c| c.is_ascii_digit()));
    groups.len() > 1
        && all_digits
        && (1..=3).contains(&groups[0].len())
        && groups[1..].iter().all(|g| g.len() == 3)
}

/// `2024-03-01`, `2024/3/1`, `2024年3月1日`, with a time of day or without.
fn date(text: &str) -> Option<Value> {
    let unified = text.replace(['年', '月', '/'], "-").replace('日', " ");
    let (day, time) = match unified.trim().split_once([' ', 'T']) {
        Some((day, time)) => (day.to_string(), Some(time.trim().to_string())),
        None => (unified.trim().to_string(), None),
    };
    let parts: Vec<&str> = day.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return None };
    let numeric = |part: &str, digits: std::ops::RangeInclusive<usize>| -> Option<u32> {
        (digits.contains(&part.len()) && part.chars().all(|c| c.is_ascii_digit()))
            .then(|| part.parse().ok())?
    };
    let (year, month, day) = (numeric(year, 4..=4)?, numeric(month, 1..=2)?, numeric(day, 1..=2)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    match time.filter(|time| !time.is_empty()) {
        None => Some(json!({ "date": date })),
        Some(time) => {
            let fields: Vec<&str> = time.split(':').collect();
            let fields: Option<Vec<u32>> = fields.iter().map(|field| numeric(field, 1..=2)).collect();
            let fields = fields.filter(|fields| (2..=3).contains(&fields.len()))?;
            let clock: Vec<String> = fields.iter().map(|field| format!("{field:02}")).collect();
            Some(json!({ "datetime": format!("{date}T{}", clock.join(":")) }))
        }
    }
}

/// Rows of cells: lines or `;` between rows; tabs, `|` or commas between cells; quotes protect all of them.
pub(super) fn rows(text: &str) -> Vec<Vec<Value>> {
    let rows = split(text, &['\n', ';', '；']);
    let filled = rows.iter().filter(|row| !row.trim().is_empty());
    filled.map(|row| cells(row)).collect()
}

fn cells(row: &str) -> Vec<Value> {
    let row = row.trim();
    let has = |sign: char| split(row, &[sign]).len() > 1;
    let parts = if has('\t') {
        split(row, &['\t'])
    } else if has('|') {
        split(row.trim_start_matches('|').trim_end_matches('|'), &['|'])
    } else {
        split(row, &[',', '，', '、'])
    };
    parts.iter().map(|part| one_cell(part.trim())).collect()
}

fn one_cell(part: &str) -> Value {
    let text: Vec<char> = part.chars().collect();
    match quoted_at(&text, 0) {
        Some((inside, end)) if end == text.len() => cell_value(&inside, true),
        _ if part.is_empty() => Value::Null,
        _ => cell_value(part, false),
    }
}

/// Splits at any of the signs that stands outside quotes and brackets.
fn split(text: &str, signs: &[char]) -> Vec<String> {
    let text: Vec<char> = text.chars().collect();
    let mut parts = vec![String::new()];
    let (mut at, mut depth) = (0, 0usize);
    while at < text.len() {
        if let Some((_, end)) = quoted_at(&text, at) {
            if let Some(part) = parts.last_mut() {
                part.extend(&text[at..end]);
            }
            at = end;
            continue;
        }
        match text[at] {
            '(' | '（' => depth += 1,
            ')' | '）' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match parts.last_mut() {
            Some(_) if depth == 0 && signs.contains(&text[at]) => parts.push(String::new()),
            Some(part) => part.push(text[at]),
            None => {}
        }
        at += 1;
    }
    parts
}
