//! Sentences that work on the document in front: those that come nearest to what was not understood.
//!
//! Each is a sentence of the grammar; a test reads them all.

use std::collections::BTreeSet;

use documents::Format;

use super::Language;
use crate::api::answers::DocumentInfo;

/// How many sentences a reply offers.
const OFFERED: usize = 5;

/// Sentences for the document in front, nearest to `missed` first; without likeness the usual ones.
pub fn examples(files: &[DocumentInfo], language: Language, missed: &str) -> String {
    let Some(front) = files.first() else {
        return language.pick("Open a document first.", "请先打开一个文档。");
    };
    let head = language.pick(
        format!("In {} I understand for example:", front.name),
        format!("对 {}，可以这样说：", front.name),
    );
    let list: Vec<String> = nearest(example_lines(front.format, language), missed)
        .iter()
        .map(|line| format!("- {line}"))
        .collect();
    format!("{head}\n{}\n- {}", list.join("\n"), language.pick("undo", "撤销"))
}

/// The sentences that share most with what was said; equal ones keep their order.
fn nearest(lines: &[&'static str], missed: &str) -> Vec<&'static str> {
    let wanted = marks(missed);
    let mut ranked: Vec<(usize, &'static str)> =
        lines.iter().map(|line| (marks(line).intersection(&wanted).count(), *line)).collect();
    ranked.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    ranked.into_iter().take(OFFERED).map(|(_, line)| line).collect()
}

/// Words that say what a sentence is about: Latin words without the smallest, pairs of Chinese characters.
fn marks(text: &str) -> BTreeSet<String> {
    const EMPTY: &[&str] =
        &["the", "and", "with", "for", "please", "this", "that", "can", "you", "your", "all", "new"];
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter(|word| word.len() > 2 && !EMPTY.contains(word)).map(|word| {
        // "rows" and "row", "slides" and "slide" are about the same.
        word.strip_suffix('s').unwrap_or(word).to_string()
    });
    let chinese: Vec<char> = lower.chars().filter(|c| ('\u{4e00}'..='\u{9fff}').contains(c)).collect();
    let pairs = chinese.windows(2).map(|pair| pair.iter().collect());
    let one = chinese.iter().filter(|c| "行列页段表格".contains(**c)).map(char::to_string);
    words.chain(pairs).chain(one).collect()
}

/// The sentences for a format, the usual ones first.
pub fn example_lines(format: Format, language: Language) -> &'static [&'static str] {
    match (format, language) {
        (Format::Text, Language::English) => &[
            "replace “X” with “Y”",
            "delete lines 3-5",
            "insert before line 12: new text",
            "append: new last line",
            "replace all “X” with “Y” in lines 3-20",
            "set line 3 to: new text",
            "delete all lines containing “TODO”",
            "delete every “X”",
            "replace the section “Overview” with: new text",
            "add “X” at the top",
            "find “X”",
            "make a new file notes.md with: text",
        ],
        (Format::Text, Language::Chinese) => &[
            "把“X”改成“Y”",
            "删除第3到5行",
            "在第12行前插入：新的一行",
            "追加：最后一行",
            "把第3到20行里的所有“X”换成“Y”",
            "把第3行改成：新的内容",
            "删除所有包含“TODO”的行",
            "删除所有“X”",
            "把“概述”一节的内容改成：新的内容",
            "在开头加一行：新的一行",
            "查找“X”",
            "新建文件 notes.md，内容：文字",
        ],
        (Format::Xlsx, Language::English) => &[
            "set B4 to 120",
            "set B9 on sheet “Data” to =SUM(B2:B8)",
            "insert before row 12: 2024, Spring, 99.5",
            "delete row 7",
            "make A1:C1 bold",
            "append row: Pens, 3, 1.20",
            "delete the row containing “Total”",
            "replace all “X” with “Y”",
            "insert a column before column C",
            "delete column C",
            "format column B as percentage",
            "fill A1:C1 with yellow",
            "merge A1:C1",
            "set the width of column B to 20",
            "rename sheet Data to Numbers",
            "add a sheet named Summary",
            "copy sheet Data as Backup",
            "move sheet Data to the end",
            "delete sheet Data",
            "define the name Rate as Data!$B$2",
            "put the sum of B2:B8 in B9",
        ],
        (Format::Xlsx, Language::Chinese) => &[
            "把B4设为120",
            "把工作表“数据”的B9设为=SUM(B2:B8)",
            "在第12行前插入：2024，春季，99.5",
            "删除第7行",
            "把A1:C1加粗",
            "追加一行：钢笔，3，1.20",
            "删除包含“合计”的那一行",
            "把所有“X”换成“Y”",
            "在C列左边插入列",
            "删除C列",
            "把B列设为百分比格式",
            "给A1:C1加上黄色背景",
            "合并A1:C1",
            "把B列宽度设为20",
            "把工作表“数据”重命名为“明细”",
            "新建工作表“汇总”",
            "复制工作表“数据”为“备份”",
            "把工作表“数据”移到最后",
            "删除工作表“数据”",
            "定义名称税率为数据!$B$2",
            "在B9计算B2:B8的总和",
        ],
        (Format::Pptx, Language::English) => &[
            "set the title of slide 3 to “Results”",
            "replace “X” with “Y” on slide 2",
            "delete slide 5",
            "add a slide titled “Next steps” with body “one; two”",
            "insert a slide before slide 3 titled “Break”",
            "move slide 2 to 5",
            "duplicate slide 2",
            "hide slide 4",
            "set the notes of slide 2 to: speak slowly",
            "change the subtitle of slide 1 to “2024”",
            "set the body of slide 2 to: new text",
            "set row 2 column 3 of the table on slide 4 to 99",
            "replace all “X” with “Y” including notes",
        ],
        (Format::Pptx, Language::Chinese) => &[
            "给第3页换个标题：季度总结",
            "把第2页的“X”改成“Y”",
            "删掉第5页",
            "添加一页幻灯片，标题“下一步”，内容“一；二”",
            "在第3页前插入一页，标题“休息”",
            "把第2页移到第5页",
            "复制第2页",
            "隐藏第4页",
            "把第2页的备注改成：慢慢讲",
            "把第1页的副标题改成“2024”",
            "把第2页的正文改成：新的内容",
            "把第4页表格的第2行第3列改成“99”",
            "把所有“X”换成“Y”，包括备注",
        ],
        (Format::Docx, Language::English) => &[
            "replace “X” with “Y”",
            "set paragraph 5 to “New text”",
            "insert after paragraph 2: new paragraph",
            "delete paragraph 7",
            "append: new last paragraph",
            "make paragraph 3 a heading 1",
            "delete the paragraph starting with “X”",
            "replace “X” with “Y” in the headers",
            "insert markdown after paragraph 3: **new**",
            "set row 2 column 3 of table 1 to “99”",
            "insert before row 3 of table 1: a | b",
            "delete row 3 of table 1",
            "comment on paragraph 5: check this",
            "accept all changes",
            "reject changes by “Ann”",
            "replace “X” with “Y” with track changes",
        ],
        (Format::Docx, Language::Chinese) => &[
            "把“X”改成“Y”",
            "把第5段改成“新的内容”",
            "在第2段后插入：新的一段",
            "删除第7段",
            "追加一段：最后一段",
            "把第3段设为标题1",
            "删除以“X”开头的段落",
            "把页眉里的“X”改成“Y”",
            "在第3段前插入markdown：**新**",
            "把表格1的第2行第3列改成“99”",
            "在表格1的第2行后插入一行：甲，乙",
            "删除表格1的第3行",
            "给第5段添加批注：请核对",
            "接受所有修订",
            "拒绝“张三”的修订",
            "用修订模式把“X”改成“Y”",
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::builtin::{grammar::read, lower::fits, rules::Verb};

    const FORMATS: [Format; 4] = [Format::Text, Format::Xlsx, Format::Pptx, Format::Docx];
    const WITHOUT_EDIT: [Verb; 3] = [Verb::Undo, Verb::Find, Verb::NewFile];

    #[test]
    fn every_example_is_understood_and_fits_its_format() {
        for (format, language) in
            FORMATS.iter().flat_map(|one| [(*one, Language::English), (*one, Language::Chinese)])
        {
            for line in example_lines(format, language) {
                let reading = read(line, &[]);
                assert!(reading.misses.is_empty() && reading.commands.len() == 1, "{line}: {reading:?}");
                let command = &reading.commands[0];
                assert!(WITHOUT_EDIT.contains(&command.verb) || fits(command, format), "{line}");
            }
        }
    }

    #[test]
    fn the_nearest_examples_come_first() {
        let first = |format, language, missed| nearest(example_lines(format, language), missed)[0];
        assert_eq!(
            first(Format::Xlsx, Language::English, "give the sheet another name, rename"),
            "rename sheet Data to Numbers"
        );
        assert_eq!(
            first(Format::Xlsx, Language::Chinese, "把表格里的工作表挪一下，移到后面"),
            "把工作表“数据”移到最后"
        );
        assert_eq!(
            first(Format::Pptx, Language::English, "the notes should be longer"),
            "set the notes of slide 2 to: speak slowly"
        );
        assert_eq!(first(Format::Docx, Language::Chinese, "加个批注吧"), "给第5段添加批注：请核对");
        assert_eq!(first(Format::Text, Language::English, "sing me a song"), "replace “X” with “Y”");
    }
}
