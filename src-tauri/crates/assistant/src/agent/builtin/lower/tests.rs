//! Plain phrases and the operations they become; `tests/cases/phrases` holds more of them, as people say them.

#[path = "tests/phrases.rs"]
mod phrases;

use documents::Edit;

use super::*;
use crate::agent::builtin::grammar::read;

fn facts() -> Facts {
    Facts {
        lines: 40,
        paragraphs: 30,
        slides: 8,
        table_rows: [(1, 4), (2, 6)].into(),
        sheets: vec![("Data".into(), 20), ("销售表".into(), 9)],
        texts: [(3, "# Title"), (7, "TODO one"), (9, "TODO two"), (12, "Note: bring water")]
            .map(|(number, text)| (number, text.to_string()))
            .into(),
        titles: [(1, "Start"), (3, "Old"), (8, "End")]
            .map(|(slide, title)| (slide, title.to_string()))
            .into(),
        notes: [(2, "Slow.".to_string())].into(),
        rows: [
            (("Data".to_string(), 1), cells(&["Name", "Price", "Count"])),
            (("Data".to_string(), 5), cells(&["Total", "99"])),
        ]
        .into(),
        complete: true,
    }
}

fn cells(texts: &[&str]) -> Vec<(String, String)> {
    ["A", "B", "C"].iter().zip(texts).map(|(column, text)| ((*column).into(), (*text).into())).collect()
}

/// All operations of a message, as compact JSON.
fn lowered(format: Format, message: &str) -> Vec<String> {
    let reading = read(message, &[]);
    let facts = facts();
    let target = Target { format, facts: Some(&facts) };
    let mut told: Vec<String> = reading.misses.iter().map(|miss| format!("? {miss}")).collect();
    let wanted = reading.commands.iter().filter(|command| command.verb != Verb::LeaveRest);
    for command in wanted {
        match lower(command, &target) {
            Ok(ops) => told.extend(ops.iter().map(Value::to_string)),
            Err(Unlowered::Unclear { english, .. }) => told.push(format!("! {english}")),
            Err(why) => told.push(format!("{why:?} {:?}", command.verb)),
        }
    }
    told
}

#[track_caller]
fn check(format: Format, cases: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (message, expected) in cases {
        let found = lowered(format, message);
        if found != *expected {
            wrong.push(format!(
                "{message}\n   is   {}\n   want {}",
                found.join("\n        "),
                expected.join("\n        ")
            ));
        }
        for op in &found {
            let parsed = serde_json::from_str::<Edit>(op);
            if let Err(error) = parsed.as_ref().map(Edit::format) {
                wrong.push(format!("{message}: {op}: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

const TEXT: &[(&str, &[&str])] = &[
    (r#"replace "a" with "b""#, &[r#"{"op":"replace_text","find":"a","replace":"b"}"#]),
    (
        r#"replace all "a" with "b" in lines 3-5"#,
        &[r#"{"op":"replace_text","find":"a","replace":"b","occurrence":"all","start_line":3,"end_line":5}"#],
    ),
    (
        r#"replace the second "a" with "b" ignoring whitespace"#,
        &[r#"{"op":"replace_text","find":"a","replace":"b","occurrence":2,"match":"normalized"}"#],
    ),
    ("把所有“a”改成“b”", &[r#"{"op":"replace_text","find":"a","replace":"b","occurrence":"all"}"#]),
    ("把第2个“a”换成“b”", &[r#"{"op":"replace_text","find":"a","replace":"b","occurrence":2}"#]),
    ("把苹果改成香蕉", &[r#"{"op":"replace_text","find":"苹果","replace":"香蕉"}"#]),
    ("用“b”替换“a”", &[r#"{"op":"replace_text","find":"a","replace":"b"}"#]),
    ("replace colour with color", &[r#"{"op":"replace_text","find":"colour","replace":"color"}"#]),
    (r#"delete every "x""#, &[r#"{"op":"delete_text","find":"x","occurrence":"all"}"#]),
    ("把“x”删掉", &[r#"{"op":"delete_text","find":"x"}"#]),
    (
        "insert after line 3: hello, world",
        &[r#"{"op":"insert_lines","line":3,"text":"hello, world","position":"after"}"#],
    ),
    ("在第三行后面插入：你好", &[r#"{"op":"insert_lines","line":3,"text":"你好","position":"after"}"#]),
    ("insert 2 blank lines before line 4", &[r#"{"op":"insert_lines","line":4,"text":"\n\n"}"#]),
    ("set line 3 to: hello", &[r#"{"op":"replace_lines","start_line":3,"end_line":3,"text":"hello"}"#]),
    ("把第3到5行替换为“你好”", &[r#"{"op":"replace_lines","start_line":3,"end_line":5,"text":"你好"}"#]),
    ("把第3行到第5行改成：你好", &[r#"{"op":"replace_lines","start_line":3,"end_line":5,"text":"你好"}"#]),
    ("delete the last line", &[r#"{"op":"delete_lines","start_line":40,"end_line":40}"#]),
    ("删除最后一行", &[r#"{"op":"delete_lines","start_line":40,"end_line":40}"#]),
    (
        r##"delete line 3 starting with "# ""##,
        &[r##"{"op":"delete_lines","start_line":3,"end_line":3,"expect_prefix":"# "}"##],
    ),
    (
        "delete lines 2, 4 and 6-8",
        &[
            r#"{"op":"delete_lines","start_line":2,"end_line":2}"#,
            r#"{"op":"delete_lines","start_line":4,"end_line":4}"#,
            r#"{"op":"delete_lines","start_line":6,"end_line":8}"#,
        ],
    ),
    ("append: one, two", &[r#"{"op":"append_lines","text":"one, two"}"#]),
    ("在文末追加一行：完", &[r#"{"op":"append_lines","text":"完"}"#]),
    (r#"add "the end" at the end"#, &[r#"{"op":"append_lines","text":"the end"}"#]),
    (
        r#"delete all lines containing "TODO""#,
        &[r#"{"op":"replace_lines_containing","contains":"TODO","text":null}"#],
    ),
    ("把包含“TODO”的行改成“DONE”", &[r#"{"op":"replace_lines_containing","contains":"TODO","text":"DONE"}"#]),
    (
        r#"replace the section "A > B" with: new text"#,
        &[r#"{"op":"replace_section","heading":"A > B","text":"new text"}"#],
    ),
    ("把“概述”一节的内容改成：新的概述", &[r#"{"op":"replace_section","heading":"概述","text":"新的概述"}"#]),
];

const XLSX: &[(&str, &[&str])] = &[
    ("set B4 to 120", &[r#"{"op":"xlsx_set_cell","cell":"B4","value":120}"#]),
    ("set Data!b4 to 1.5", &[r#"{"op":"xlsx_set_cell","sheet":"Data","cell":"B4","value":1.5}"#]),
    (
        "set B4 on sheet Data to =SUM(B1:B3)",
        &[r#"{"op":"xlsx_set_cell","sheet":"Data","cell":"B4","value":{"formula":"=SUM(B1:B3)"}}"#],
    ),
    (
        "把销售表的B4设为2024年3月1日",
        &[r#"{"op":"xlsx_set_cell","sheet":"销售表","cell":"B4","value":{"date":"2024-03-01"}}"#],
    ),
    ("把工作表“Data”的B4改成“007”", &[r#"{"op":"xlsx_set_cell","sheet":"Data","cell":"B4","value":"007"}"#]),
    ("put 12% in C3", &[r#"{"op":"xlsx_set_cell","cell":"C3","value":0.12}"#]),
    (
        "在C3填入 2024-03-01 10:30",
        &[r#"{"op":"xlsx_set_cell","cell":"C3","value":{"datetime":"2024-03-01T10:30"}}"#],
    ),
    (
        "clear B4; 清空B5",
        &[
            r#"{"op":"xlsx_set_cell","cell":"B4","value":null}"#,
            r#"{"op":"xlsx_set_cell","cell":"B5","value":null}"#,
        ],
    ),
    ("set A1:C1 to a, 2, true", &[r#"{"op":"xlsx_set_cells","range":"A1:C1","values":[["a",2,true]]}"#]),
    ("把A1:B2设为 1,2;3,4", &[r#"{"op":"xlsx_set_cells","range":"A1:B2","values":[[1,2],[3,4]]}"#]),
    ("set row 5 to: x, 1", &[r#"{"op":"xlsx_set_cells","range":"A5:B5","values":[["x",1]]}"#]),
    (
        "append row: a, 1,200, =B1*2",
        &[r#"{"op":"xlsx_append_rows","rows":[["a",1,200,{"formula":"=B1*2"}]]}"#],
    ),
    (
        "追加一行：张三 | 30 | 2024-01-02",
        &[r#"{"op":"xlsx_append_rows","rows":[["张三",30,{"date":"2024-01-02"}]]}"#],
    ),
    (
        "insert before row 12: 2024, \"Q1, total\", 99.5",
        &[r#"{"op":"xlsx_insert_rows","row":12,"count":1,"rows":[[2024,"Q1, total",99.5]]}"#],
    ),
    (
        "在第12行前插入一行：2024，新数据",
        &[r#"{"op":"xlsx_insert_rows","row":12,"count":1,"rows":[[2024,"新数据"]]}"#],
    ),
    ("insert 3 rows after row 2", &[r#"{"op":"xlsx_insert_rows","row":3,"count":3}"#]),
    ("insert a column before column C", &[r#"{"op":"xlsx_insert_cols","col":"C"}"#]),
    ("在C列右边插入2列", &[r#"{"op":"xlsx_insert_cols","col":"D","count":2}"#]),
    ("delete rows 3-5 on sheet Data", &[r#"{"op":"xlsx_delete_rows","sheet":"Data","start":3,"end":5}"#]),
    ("删除第7行", &[r#"{"op":"xlsx_delete_rows","start":7}"#]),
    ("delete columns B-D", &[r#"{"op":"xlsx_delete_cols","start":"B","end":"D"}"#]),
    ("删除C列", &[r#"{"op":"xlsx_delete_cols","start":"C"}"#]),
    ("删除第3列", &[r#"{"op":"xlsx_delete_cols","start":3}"#]),
    (
        r#"replace "a" with "b" in formulas"#,
        &[r#"{"op":"xlsx_replace_text","find":"a","replace":"b","in":"formulas"}"#],
    ),
    (
        "把A1:C9里的“a”全部换成“b”",
        &[r#"{"op":"xlsx_replace_text","range":"A1:C9","find":"a","replace":"b","occurrence":"all"}"#],
    ),
    (
        "make A1:C1 bold and centered with yellow fill",
        &[r##"{"op":"xlsx_set_format","range":"A1:C1","bold":true,"align":"center","fill":"#FFFF00"}"##],
    ),
    ("把A1:C1加粗", &[r#"{"op":"xlsx_set_format","range":"A1:C1","bold":true}"#]),
    ("把B2的字体颜色改成红色", &[r##"{"op":"xlsx_set_format","range":"B2","font_color":"#FF0000"}"##]),
    (r#"format B2:B9 as "0.00%""#, &[r#"{"op":"xlsx_set_format","range":"B2:B9","number_format":"0.00%"}"#]),
    ("merge A1:C1", &[r#"{"op":"xlsx_merge_cells","range":"A1:C1"}"#]),
    ("把A1:C1合并", &[r#"{"op":"xlsx_merge_cells","range":"A1:C1"}"#]),
    ("unmerge A1:C1", &[r#"{"op":"xlsx_unmerge_cells","range":"A1:C1"}"#]),
    ("取消合并A1:C1", &[r#"{"op":"xlsx_unmerge_cells","range":"A1:C1"}"#]),
    ("set the width of column B to 20", &[r#"{"op":"xlsx_set_width","cols":"B:B","size":20.0}"#]),
    ("把第3行的行高设为30", &[r#"{"op":"xlsx_set_width","rows":"3:3","size":30.0}"#]),
    ("add a sheet named Summary", &[r#"{"op":"xlsx_add_sheet","sheet":"Summary"}"#]),
    ("新建工作表“汇总”", &[r#"{"op":"xlsx_add_sheet","sheet":"汇总"}"#]),
    ("rename sheet Data to Input", &[r#"{"op":"xlsx_rename_sheet","sheet":"Data","to":"Input"}"#]),
    ("把工作表Data重命名为“输入”", &[r#"{"op":"xlsx_rename_sheet","sheet":"Data","to":"输入"}"#]),
    ("copy sheet Data as Backup", &[r#"{"op":"xlsx_copy_sheet","sheet":"Data","to":"Backup"}"#]),
    ("复制工作表“Data”为“备份”", &[r#"{"op":"xlsx_copy_sheet","sheet":"Data","to":"备份"}"#]),
    ("move sheet Data to position 2", &[r#"{"op":"xlsx_move_sheet","sheet":"Data","position":2}"#]),
    ("把工作表“Data”移到第2位", &[r#"{"op":"xlsx_move_sheet","sheet":"Data","position":2}"#]),
    ("delete sheet Data", &[r#"{"op":"xlsx_delete_sheet","sheet":"Data"}"#]),
    ("删除工作表“Data”", &[r#"{"op":"xlsx_delete_sheet","sheet":"Data"}"#]),
    (
        "define the name Rate as Data!$B$2",
        &[r#"{"op":"xlsx_set_name","name":"Rate","refers_to":"Data!$B$2"}"#],
    ),
    ("删除名称Rate", &[r#"{"op":"xlsx_set_name","name":"Rate","refers_to":null}"#]),
    ("定义名称税率为Data!$B$2", &[r#"{"op":"xlsx_set_name","name":"税率","refers_to":"Data!$B$2"}"#]),
];

const PPTX: &[(&str, &[&str])] = &[
    (
        r#"replace "a" with "b" on slide 2"#,
        &[r#"{"op":"pptx_replace_on_slide","slide":2,"find":"a","replace":"b"}"#],
    ),
    ("把第2页的“a”改成“b”", &[r#"{"op":"pptx_replace_on_slide","slide":2,"find":"a","replace":"b"}"#]),
    (
        r#"replace all "a" with "b" including notes"#,
        &[r#"{"op":"pptx_replace_text","find":"a","replace":"b","occurrence":"all","include_notes":true}"#],
    ),
    ("把“a”改成“b”", &[r#"{"op":"pptx_replace_text","find":"a","replace":"b"}"#]),
    (r#"set the title of slide 3 to "Results""#, &[r#"{"op":"pptx_set_title","slide":3,"text":"Results"}"#]),
    ("set slide 3's title to Results", &[r#"{"op":"pptx_set_title","slide":3,"text":"Results"}"#]),
    (
        "把第三页的标题改成“结果”，删掉第5页",
        &[r#"{"op":"pptx_set_title","slide":3,"text":"结果"}"#, r#"{"op":"pptx_delete_slide","slide":5}"#],
    ),
    ("给最后一页换个标题：谢谢", &[r#"{"op":"pptx_set_title","slide":8,"text":"谢谢"}"#]),
    (
        "set the notes of slide 2 to: speak slowly",
        &[r#"{"op":"pptx_set_notes","slide":2,"text":"speak slowly"}"#],
    ),
    ("把第2页的备注改成：慢慢讲", &[r#"{"op":"pptx_set_notes","slide":2,"text":"慢慢讲"}"#]),
    (
        r#"set shape "Box 1" on slide 2 to "hi""#,
        &[r#"{"op":"pptx_set_text","slide":2,"shape":"Box 1","text":"hi"}"#],
    ),
    ("把第2页的副标题改成“你好”", &[r#"{"op":"pptx_set_text","slide":2,"shape":"subtitle","text":"你好"}"#]),
    (
        "set row 2 column 3 of the table on slide 4 to 99",
        &[r#"{"op":"pptx_set_table_cell","slide":4,"row":2,"col":3,"text":"99"}"#],
    ),
    (
        "把第4页表格的第2行第3列改成“99”",
        &[r#"{"op":"pptx_set_table_cell","slide":4,"row":2,"col":3,"text":"99"}"#],
    ),
    (
        r#"add a slide titled "Next steps" with body "a; b" with notes "n""#,
        &[r#"{"op":"pptx_append_slide","title":"Next steps","body":["a","b"],"notes":"n"}"#],
    ),
    (
        "在最后添加一页幻灯片，标题“下一步”，内容“甲；乙”",
        &[r#"{"op":"pptx_append_slide","title":"下一步","body":["甲","乙"]}"#],
    ),
    (
        r#"insert a slide before slide 3 titled "Break""#,
        &[r#"{"op":"pptx_insert_slide","slide":3,"title":"Break"}"#],
    ),
    ("在第3页后插入一页，标题“休息”", &[r#"{"op":"pptx_insert_slide","slide":4,"title":"休息"}"#]),
    ("在第8页后插入一页，标题“结束”", &[r#"{"op":"pptx_append_slide","title":"结束"}"#]),
    ("duplicate slide 2", &[r#"{"op":"pptx_duplicate_slide","slide":2}"#]),
    ("把第2页复制到第4页", &[r#"{"op":"pptx_duplicate_slide","slide":2,"to":4}"#]),
    ("move slide 2 to 5", &[r#"{"op":"pptx_move_slide","slide":2,"to":5}"#]),
    ("move slide 2 before slide 5", &[r#"{"op":"pptx_move_slide","slide":2,"to":4}"#]),
    ("move the last slide to the start", &[r#"{"op":"pptx_move_slide","slide":8,"to":1}"#]),
    ("把第6页移到第2页之后", &[r#"{"op":"pptx_move_slide","slide":6,"to":3}"#]),
    ("把第2页移到最后", &[r#"{"op":"pptx_move_slide","slide":2,"to":8}"#]),
    (
        "hide slides 2-3",
        &[
            r#"{"op":"pptx_hide_slide","slide":2,"hidden":true}"#,
            r#"{"op":"pptx_hide_slide","slide":3,"hidden":true}"#,
        ],
    ),
    ("隐藏第2页", &[r#"{"op":"pptx_hide_slide","slide":2,"hidden":true}"#]),
    ("显示第2页", &[r#"{"op":"pptx_hide_slide","slide":2,"hidden":false}"#]),
    (r#"delete slide 5 titled "Old""#, &[r#"{"op":"pptx_delete_slide","slide":5,"expect_title":"Old"}"#]),
    (
        "delete slides 2 and 4",
        &[r#"{"op":"pptx_delete_slide","slide":2}"#, r#"{"op":"pptx_delete_slide","slide":4}"#],
    ),
    ("删掉最后一页", &[r#"{"op":"pptx_delete_slide","slide":8}"#]),
    (
        "给 PPTX 的第 3 页换个标题：“季度总结”，把第 5 页删掉。",
        &[
            r#"{"op":"pptx_set_title","slide":3,"text":"季度总结"}"#,
            r#"{"op":"pptx_delete_slide","slide":5}"#,
        ],
    ),
];

const DOCX: &[(&str, &[&str])] = &[
    (r#"set paragraph 5 to "Hello""#, &[r#"{"op":"docx_set_paragraph","index":5,"text":"Hello"}"#]),
    ("把第5段改成“你好”", &[r#"{"op":"docx_set_paragraph","index":5,"text":"你好"}"#]),
    ("set header1.p1 to: Draft", &[r#"{"op":"docx_set_paragraph","at":"header1.p1","text":"Draft"}"#]),
    ("把 t1.r2.c3.p1 改成：新值", &[r#"{"op":"docx_set_paragraph","at":"t1.r2.c3.p1","text":"新值"}"#]),
    (
        r#"insert after paragraph 2: "New" in style "Heading 2""#,
        &[r#"{"op":"docx_insert_paragraph","index":2,"position":"after","text":"New","style":"Heading 2"}"#],
    ),
    (
        "在第2段后插入：甲\n乙",
        &[
            r#"{"op":"docx_insert_paragraph","index":2,"position":"after","text":"乙"}"#,
            r#"{"op":"docx_insert_paragraph","index":2,"position":"after","text":"甲"}"#,
        ],
    ),
    ("append: The end.", &[r#"{"op":"docx_append_paragraph","text":"The end."}"#]),
    ("追加一段：完。", &[r#"{"op":"docx_append_paragraph","text":"完"}"#]),
    ("delete paragraphs 3-4", &[r#"{"op":"docx_delete_paragraph","index":3,"end":4}"#]),
    ("删除最后一段", &[r#"{"op":"docx_delete_paragraph","index":30}"#]),
    ("delete p12", &[r#"{"op":"docx_delete_paragraph","at":"p12"}"#]),
    (
        r#"replace "a" with "b" in the headers"#,
        &[r#"{"op":"docx_replace_text","find":"a","replace":"b","scope":"headers"}"#],
    ),
    ("把页脚里的“a”改成“b”", &[r#"{"op":"docx_replace_text","find":"a","replace":"b","scope":"footers"}"#]),
    (
        "insert markdown after paragraph 3: ## Title",
        &[r###"{"op":"docx_insert_markdown","index":3,"position":"after","text":"## Title"}"###],
    ),
    ("在第3段前插入markdown：- 甲", &[r#"{"op":"docx_insert_markdown","index":3,"text":"- 甲"}"#]),
    (
        r#"set the style of paragraph 5 to "Heading 1""#,
        &[r#"{"op":"docx_set_style","index":5,"style":"Heading 1"}"#],
    ),
    ("把第5段的样式改成“标题 1”", &[r#"{"op":"docx_set_style","index":5,"style":"标题 1"}"#]),
    (
        "set row 2 column 3 of table 1 to 99",
        &[r#"{"op":"docx_set_table_cell","table":1,"row":2,"col":3,"text":"99"}"#],
    ),
    (
        "把表格1的第2行第3列改成“99”",
        &[r#"{"op":"docx_set_table_cell","table":1,"row":2,"col":3,"text":"99"}"#],
    ),
    (
        "insert before row 3 of table 1: a | b",
        &[r#"{"op":"docx_insert_table_row","table":1,"row":3,"cells":["a","b"]}"#],
    ),
    (
        "给表格2添加一行：甲 | 乙",
        &[r#"{"op":"docx_insert_table_row","table":2,"row":7,"cells":["甲","乙"]}"#],
    ),
    ("delete row 3 of table 1", &[r#"{"op":"docx_delete_table_row","table":1,"row":3}"#]),
    ("删除表格1的第3行", &[r#"{"op":"docx_delete_table_row","table":1,"row":3}"#]),
    ("comment on paragraph 5: check this", &[r#"{"op":"docx_add_comment","index":5,"text":"check this"}"#]),
    (
        "给第5段的“数据”添加批注：请核对",
        &[r#"{"op":"docx_add_comment","index":5,"find":"数据","text":"请核对"}"#],
    ),
    ("accept all changes", &[r#"{"op":"docx_accept_changes"}"#]),
    ("接受所有修订", &[r#"{"op":"docx_accept_changes"}"#]),
    (r#"reject changes by "Ann""#, &[r#"{"op":"docx_reject_changes","author":"Ann"}"#]),
    ("拒绝“张三”的修订", &[r#"{"op":"docx_reject_changes","author":"张三"}"#]),
];

#[test]
fn phrases_on_texts() {
    check(Format::Text, TEXT);
}

#[test]
fn phrases_on_workbooks() {
    check(Format::Xlsx, XLSX);
}

#[test]
fn phrases_on_presentations() {
    check(Format::Pptx, PPTX);
}

#[test]
fn phrases_on_word_documents() {
    check(Format::Docx, DOCX);
}

#[test]
fn what_a_format_does_not_know_is_said() {
    assert_eq!(lowered(Format::Text, "set B4 to 3"), ["OtherFormat SetCell"]);
    assert_eq!(lowered(Format::Docx, "delete slide 3"), ["OtherFormat DeleteUnit"]);
    assert!(lowered(Format::Docx, "delete line 3")[0].starts_with("! "));
    assert!(lowered(Format::Docx, "set row 1 column 1 of the table to x")[0].contains("2 tables"));
}
