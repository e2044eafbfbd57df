//! What is understood: a table of sentences with the verb and slots they are read as.

use super::*;
use crate::agent::builtin::slots::{Place, Unit};

fn files() -> Vec<String> {
    ["report.md", "预算.xlsx", "deck.pptx"].map(String::from).to_vec()
}

/// `Verb slot=value slot=value …` for each command, `?words` for each miss.
fn read_as(message: &str) -> Vec<String> {
    let reading = read(message, &files());
    let place = |place: &Place| match place {
        Place::At(number) => number.to_string(),
        Place::FromEnd(back) => format!("last{back}"),
    };
    let value = |captured: &Captured| match captured {
        Captured::Flag => String::new(),
        Captured::Text { text, .. } => text.replace('\n', "⏎"),
        Captured::Place(one) => place(one),
        Captured::Ranges(ranges) => {
            let one = |(a, b): &(Place, Place)| {
                if a == b { place(a) } else { format!("{}-{}", place(a), place(b)) }
            };
            ranges.iter().map(one).collect::<Vec<_>>().join("+")
        }
        Captured::Unit(unit) => match unit {
            Unit::Line => "line".into(),
            Unit::Paragraph => "paragraph".into(),
            Unit::Slide => "slide".into(),
            Unit::Column => "column".into(),
        },
        Captured::Number(number) => number.to_string(),
        Captured::Properties(all) => {
            all.iter().map(|(k, v)| format!("{k}:{v}")).collect::<Vec<_>>().join("/")
        }
    };
    let command = |command: &Command| {
        let slots = command.captures.names().filter(|name| *name != "gap");
        let slots = slots.map(|name| match command.captures.get(name) {
            Some(Captured::Flag) | None => name.to_string(),
            Some(other) => format!("{name}={}", value(other)),
        });
        std::iter::once(format!("{:?}", command.verb)).chain(slots).collect::<Vec<_>>().join(" ")
    };
    let misses = reading.misses.iter().map(|miss| format!("?{miss}"));
    reading.commands.iter().map(command).chain(misses).collect()
}

#[track_caller]
fn check(cases: &[(&str, &[&str])]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(message, expected)| read_as(message) != *expected)
        .map(|(message, expected)| format!("{message}\n   read {:?}\n   want {expected:?}", read_as(message)))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_list_of_the_skeleton() {
    check(&[
        (r#"replace "X" with "Y""#, &["Replace find=X with=Y"]),
        ("把\"X\"改成\"Y\"", &["Replace find=X with=Y"]),
        ("把“X”改成“Y”", &["Replace find=X with=Y"]),
        ("把「X」换成『Y』", &["Replace find=X with=Y"]),
        ("delete \"X\"", &["DeleteText find=X"]),
        ("删除“X”", &["DeleteText find=X"]),
        ("delete line 12", &["DeleteUnit unit=line n=12"]),
        ("delete lines 3-5", &["DeleteUnit unit=line n=3-5"]),
        ("insert before line 12: new text", &["InsertUnit before unit=line n=12 text=new text"]),
        ("insert after row 12: a, b", &["InsertUnit after unit=line n=12 text=a, b"]),
        ("在第12行前插入 新的一行", &["InsertUnit n=12 unit=line before text=新的一行"]),
        ("append: the end", &["Append text=the end"]),
        ("追加：结尾", &["Append text=结尾"]),
        ("set B4 to 120", &["SetCell cells=B4 text=120"]),
        ("把B4设为120", &["SetCell cells=B4 text=120"]),
        (r#"set the title of slide 3 to "Results""#, &["Title slide=3 text=Results"]),
        ("给第3页换个标题:季度总结", &["Title slide=3 text=季度总结"]),
        ("delete slide 5", &["DeleteUnit unit=slide n=5"]),
        ("删掉第5页", &["DeleteUnit n=5 unit=slide"]),
        (r#"set paragraph 5 to "Hello""#, &["SetUnit unit=paragraph n=5 text=Hello"]),
        ("把第5段改成\"你好\"", &["SetUnit n=5 unit=paragraph text=你好"]),
        ("undo", &["Undo"]),
        ("撤销", &["Undo"]),
    ]);
}

#[test]
fn several_commands_in_one_message() {
    check(&[
        (
            "给第3页换个标题：“新标题”，把第5页删掉。",
            &["Title slide=3 text=新标题", "DeleteUnit n=5 unit=slide"],
        ),
        (
            "给 PPTX 的第 3 页换个标题:季度总结,把第 5 页删掉",
            &["Title kind_pptx slide=3 text=季度总结", "DeleteUnit n=5 unit=slide"],
        ),
        (
            "set B4 to 120, then delete row 7; undo",
            &["SetCell cells=B4 text=120", "DeleteUnit unit=line n=7", "Undo"],
        ),
        (
            r#"Replace "a, b" with "c; d" and delete line 3."#,
            &["Replace find=a, b with=c; d", "DeleteUnit unit=line n=3"],
        ),
        ("append: one\ntwo\ndelete line 3", &["Append text=one⏎two", "DeleteUnit unit=line n=3"]),
    ]);
}
