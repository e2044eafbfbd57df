//! Formatting words for cells: "bold and centered", 加粗居中, "yellow fill", 字体颜色改成红色.

use serde_json::{Value, json};

use super::quotes::quoted_at;
use super::{Candidate, Captured, fold, skip_blanks};

/// Word, field of `xlsx_set_format`, value as JSON text. Longer words stand before their beginnings.
const PROPERTIES: &[(&str, &str, &str)] = &[
    ("not bold", "bold", "false"),
    ("bold", "bold", "true"),
    ("取消加粗", "bold", "false"),
    ("加粗", "bold", "true"),
    ("粗体", "bold", "true"),
    ("not italic", "italic", "false"),
    ("italics", "italic", "true"),
    ("italic", "italic", "true"),
    ("斜体", "italic", "true"),
    ("underlined", "underline", "true"),
    ("underline", "underline", "true"),
    ("下划线", "underline", "true"),
    ("left-aligned", "align", "\"left\""),
    ("left aligned", "align", "\"left\""),
    ("左对齐", "align", "\"left\""),
    ("right-aligned", "align", "\"right\""),
    ("right aligned", "align", "\"right\""),
    ("右对齐", "align", "\"right\""),
    ("centered", "align", "\"center\""),
    ("centred", "align", "\"center\""),
    ("center", "align", "\"center\""),
    ("居中对齐", "align", "\"center\""),
    ("居中", "align", "\"center\""),
    ("wrapped", "wrap", "true"),
    ("wrap text", "wrap", "true"),
    ("自动换行", "wrap", "true"),
    ("no fill", "fill", "\"none\""),
    ("无填充", "fill", "\"none\""),
    ("no borders", "border", "\"none\""),
    ("no border", "border", "\"none\""),
    ("无边框", "border", "\"none\""),
    ("thin borders", "border", "\"thin\""),
    ("thin border", "border", "\"thin\""),
    ("细边框", "border", "\"thin\""),
    ("medium borders", "border", "\"medium\""),
    ("medium border", "border", "\"medium\""),
    ("thick borders", "border", "\"thick\""),
    ("thick border", "border", "\"thick\""),
    ("粗边框", "border", "\"thick\""),
    ("dashed border", "border", "\"dashed\""),
    ("虚线边框", "border", "\"dashed\""),
    ("dotted border", "border", "\"dotted\""),
    ("double border", "border", "\"double\""),
    ("双线边框", "border", "\"double\""),
    ("percentages", "number_format", "\"0%\""),
    ("percentage", "number_format", "\"0%\""),
    ("percent", "number_format", "\"0%\""),
    ("百分比", "number_format", "\"0%\""),
];

const COLORS: &[(&str, &str)] = &[
    ("black", "#000000"),
    ("黑色", "#000000"),
    ("white", "#FFFFFF"),
    ("白色", "#FFFFFF"),
    ("red", "#FF0000"),
    ("红色", "#FF0000"),
    ("green", "#00B050"),
    ("绿色", "#00B050"),
    ("blue", "#0070C0"),
    ("蓝色", "#0070C0"),
    ("yellow", "#FFFF00"),
    ("黄色", "#FFFF00"),
    ("orange", "#FFC000"),
    ("橙色", "#FFC000"),
    ("purple", "#7030A0"),
    ("紫色", "#7030A0"),
    ("gray", "#808080"),
    ("grey", "#808080"),
    ("灰色", "#808080"),
];

const FILL_BEFORE: &[&str] = &[
    "fill color",
    "fill",
    "background color",
    "background",
    "填充颜色",
    "填充",
    "背景颜色",
    "背景色",
    "背景",
    "底色",
];
const FILL_AFTER: &[&str] = &["fill", "background", "highlight", "填充", "背景", "底色"];
const FONT_BEFORE: &[&str] =
    &["font color", "font colour", "text color", "text colour", "字体颜色", "文字颜色", "字体", "文字"];
const FONT_AFTER: &[&str] = &["text", "font", "字体", "文字"];
const FORMAT_BEFORE: &[&str] = &["number format", "format", "数字格式", "格式"];
const TO: &[&str] = &["to", "in", "as", "with", "of", "设置为", "设为", "改成", "改为", "成", "为", "=", ":"];
const AND: &[&str] = &["and", "with", "a", ",", "和", "、", "并", "且", "设为", "设置为"];

/// A list of formatting words; the longest reading only.
pub(super) fn properties(text: &[char], at: usize) -> Vec<Candidate> {
    let mut found: Vec<(&'static str, Value)> = Vec::new();
    let (mut next, mut end) = (at, at);
    while let Some((property, after)) = property(text, next) {
        if found.iter().any(|(name, _)| *name == property.0) {
            break;
        }
        found.push(property);
        end = after;
        next = skip_any(text, after, AND);
    }
    if found.is_empty() { Vec::new() } else { vec![(Captured::Properties(found), end)] }
}

fn property(text: &[char], at: usize) -> Option<((&'static str, Value), usize)> {
    let at = skip_blanks(text, at);
    let plain = PROPERTIES.iter().find_map(|(word, name, value)| {
        let end = word_at(text, at, word)?;
        Some(((*name, serde_json::from_str(value).ok()?), end))
    });
    plain
        .or_else(|| color_before(text, at, FILL_BEFORE, "fill"))
        .or_else(|| color_before(text, at, FONT_BEFORE, "font_color"))
        .or_else(|| color_after(text, at))
        .or_else(|| number_format(text, at))
        .or_else(|| {
            ["borders", "border", "边框"]
                .iter()
                .find_map(|word| Some((("border", json!("thin")), word_at(text, at, word)?)))
        })
}

fn color_before(
    text: &[char],
    at: usize,
    words: &[&str],
    name: &'static str,
) -> Option<((&'static str, Value), usize)> {
    words.iter().find_map(|word| {
        let after = skip_any(text, word_at(text, at, word)?, TO);
        let (color, end) = color_at(text, after)?;
        Some(((name, json!(color)), end))
    })
}

fn color_after(text: &[char], at: usize) -> Option<((&'static str, Value), usize)> {
    let (color, end) = color_at(text, at)?;
    let end = skip_blanks(text, end);
    let followed = |words: &[&str]| words.iter().find_map(|word| word_at(text, end, word));
    if let Some(end) = followed(FILL_AFTER) {
        return Some((("fill", json!(color)), end));
    }
    followed(FONT_AFTER).map(|end| (("font_color", json!(color)), end))
}

fn number_format(text: &[char], at: usize) -> Option<((&'static str, Value), usize)> {
    let word = FORMAT_BEFORE.iter().find_map(|word| word_at(text, at, word))?;
    let (code, end) = quoted_at(text, skip_any(text, word, TO))?;
    Some((("number_format", json!(code)), end))
}

/// A colour by name or `#RRGGBB`.
pub(super) fn color(text: &[char], at: usize) -> Vec<Candidate> {
    let read = color_at(text, at).map(|(color, end)| (Captured::Text { text: color, quoted: false }, end));
    read.into_iter().collect()
}

fn color_at(text: &[char], at: usize) -> Option<(String, usize)> {
    let at = skip_blanks(text, at);
    if text.get(at) == Some(&'#') {
        let digits: String = text[at + 1..].iter().take_while(|c| c.is_ascii_hexdigit()).collect();
        return (digits.len() == 6).then(|| (format!("#{}", digits.to_ascii_uppercase()), at + 7));
    }
    COLORS.iter().find_map(|(word, color)| word_at(text, at, word).map(|end| (color.to_string(), end)))
}

fn word_at(text: &[char], at: usize, word: &str) -> Option<usize> {
    let end = at + word.chars().count();
    let same = text.len() >= end && text[at..end].iter().zip(word.chars()).all(|(a, b)| fold(*a) == b);
    let latin = word.chars().next_back().is_some_and(|c| c.is_ascii_alphabetic());
    let cut = latin && text.get(end).is_some_and(char::is_ascii_alphabetic);
    (same && !cut).then_some(end)
}

fn skip_any(text: &[char], at: usize, words: &[&str]) -> usize {
    let mut at = skip_blanks(text, at);
    while let Some(end) = words.iter().find_map(|word| word_at(text, at, word)) {
        at = skip_blanks(text, end);
    }
    at
}
