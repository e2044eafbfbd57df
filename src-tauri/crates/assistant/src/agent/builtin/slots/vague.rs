//! Words that name a part of a document, or anything at all, instead of quoting its text.
//!
//! "Change the title to Results" asks for no replacement of the words "the title". Whoever means such words puts them in quotes.

const ALONE: &[&str] = &[
    "it",
    "this",
    "that",
    "these",
    "those",
    "them",
    "everything",
    "anything",
    "all",
    "something",
    "他",
    "它",
    "它们",
    "这",
    "这个",
    "那个",
    "这里",
    "那里",
    "全部",
    "所有",
    "一切",
    "全文",
    "内容",
];

const BEFORE: &[&str] = &[
    "the", "a", "an", "this", "that", "these", "those", "my", "our", "your", "its", "their", "every", "each",
    "any", "all", "whole",
];

const PARTS: &[&str] = &[
    "title",
    "titles",
    "subtitle",
    "heading",
    "headings",
    "note",
    "notes",
    "style",
    "font",
    "format",
    "cell",
    "cells",
    "sheet",
    "tab",
    "slide",
    "slides",
    "page",
    "pages",
    "paragraph",
    "paragraphs",
    "line",
    "lines",
    "row",
    "rows",
    "column",
    "columns",
    "section",
    "sections",
    "header",
    "footer",
    "table",
    "chart",
    "document",
    "file",
    "text",
    "word",
    "words",
    "sentence",
    "occurrence",
    "layout",
    "background",
    "width",
    "height",
    "language",
];

const CHINESE_PARTS: &[&str] = &[
    "标题",
    "备注",
    "样式",
    "字体",
    "格式",
    "颜色",
    "单元格",
    "工作表",
    "幻灯片",
    "段落",
    "页眉",
    "页脚",
    "表格",
    "文档",
    "文件",
    "开头",
    "结尾",
    "版式",
    "背景",
    "列宽",
    "行高",
    "那句话",
    "这句话",
    "第",
    "内容",
];

/// Whether unquoted words rather name something than quote it.
pub(super) fn is_vague(words: &str) -> bool {
    let lower = words.to_lowercase();
    if ALONE.contains(&lower.as_str()) || CHINESE_PARTS.iter().any(|part| lower.contains(part)) {
        return true;
    }
    let mut each = lower.split_whitespace();
    each.next().is_some_and(|first| BEFORE.contains(&first))
        || lower.split(|c: char| !c.is_alphanumeric()).any(|word| PARTS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts_are_no_quotations() {
        assert!(
            ["it", "the title", "slide 3", "every word", "标题", "第3段", "这个"].into_iter().all(is_vague)
        );
        assert!(!["colour", "platform algorithm", "苹果", "Q1 2024"].into_iter().any(is_vague));
    }
}
