//! Word documents: changes, comments, styles; cells of tables.

use super::{Rule, Verb};

macro_rules! paragraph {
    () => {
        "([the] paragraph {n:n}|[the] {n:n} paragraph|{at:at})"
    };
}
macro_rules! zh_paragraph {
    () => {
        "([第] {n:n} (个段落|段落|自然段|段)|{at:at})"
    };
}
macro_rules! changes {
    () => {
        " [(all|every|any)] [of] [the] [(tracked|track)] (changes|change|revisions|revision|edits) [(by|of|from|made by) ({author:q}|{author:name})] [(in|at|of) ([the] paragraph {n:n}|[the] {n:n} paragraph|{at:at})]"
    };
}
macro_rules! zh_changes {
    () => {
        " [(所有|全部)] [的] [({at:at}|第 {n:n} (段落|段)) [(里面|里|中)] 的] [({author:q}|{author:name}) 的] [(所有|全部)] [的] (修订|更改|修改|改动)"
    };
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        verb: Verb::AcceptChanges,
        allowed: &[],
        required: &[],
        patterns: &[
            concat!("accept", changes!()),
            concat!("(接受|同意)", zh_changes!()),
            "(全部|都) 接受 [(修订|更改)]",
        ],
    },
    Rule {
        verb: Verb::RejectChanges,
        allowed: &[],
        required: &[],
        patterns: &[
            concat!("reject", changes!()),
            concat!("(拒绝|驳回)", zh_changes!()),
            "(全部|都) 拒绝 [(修订|更改)]",
        ],
    },
    Rule {
        verb: Verb::Comment,
        allowed: &[],
        required: &[],
        patterns: &[
            concat!("comment {text:q} on ", paragraph!()),
            concat!(
                "(add|attach|put|leave) [(a|the)] comment {text:q} (to|on|at) [{find:q} (in|of)] ",
                paragraph!()
            ),
            concat!(
                "comment [on] [{find:q} (in|of)] ",
                paragraph!(),
                " [(at|on) {find:q}] (:|saying|with|that says) [:] {text:t}"
            ),
            concat!(
                "(add|attach|put|leave) [a] comment (to|on|at) [{find:q} (in|of)] ",
                paragraph!(),
                " [(at|on) {find:q}] (:|saying|with|that says) [:] {text:t}"
            ),
            concat!(
                "[(给|在|对|为)] ",
                zh_paragraph!(),
                " [的] [{find:q}] [(上|处|后)] (添加|增加|加上|加|写) [一] [(条|个)] (批注|评论|注释) [:] {text:t}"
            ),
            concat!("(批注|评论) ", zh_paragraph!(), " : {text:t}"),
        ],
    },
    Rule {
        verb: Verb::Style,
        allowed: &["tracked", "override"],
        required: &[],
        patterns: &[
            concat!(
                set!(),
                "[the] style (of|for) ",
                paragraph!(),
                " ",
                to!(),
                "({style:q}|{style:sty}|{style:w})"
            ),
            concat!(set!(), paragraph!(), " ['s] [’s] style ", to!(), "({style:q}|{style:sty}|{style:w})"),
            concat!(
                "(style|format) ",
                paragraph!(),
                " (as|with|in) [(a|an|the)] [style] ({style:q}|{style:sty}|{style:w})"
            ),
            concat!(
                "(make|turn|set|change|mark|convert) ",
                paragraph!(),
                " [(into|to|as)] [(a|an|the)] ({style:sty}|style {style:q}|style {style:w}|{style:q} style)"
            ),
            concat!(
                "(apply|give|use) [the] [style] ({style:q}|{style:sty}) [style] (to|for|on) ",
                paragraph!()
            ),
            concat!("give ", paragraph!(), " the style ({style:q}|{style:sty}|{style:w})"),
            concat!(
                "[(把|将)] ",
                zh_paragraph!(),
                " [的] [段落] 样式 ",
                zh_to!(),
                "({style:q}|{style:sty}|{style:w})"
            ),
            concat!("(把|将) ", zh_paragraph!(), " ", zh_to!(), "({style:q}|{style:sty}|{style:name}) 样式"),
            concat!(
                "(把|将) ",
                zh_paragraph!(),
                " (设置为|设置成|设为|设成|变成|变为|改成|改为|作为) {style:sty}"
            ),
            concat!(
                "[(给|对|为)] ",
                zh_paragraph!(),
                " (应用|套用|使用|用) [样式] ({style:q}|{style:sty}) [样式]"
            ),
        ],
    },
    Rule {
        verb: Verb::TableCell,
        allowed: &["slide", "last_slide", "table", "the_table", "table_name", "sheet", "override", "tracked"],
        required: &[],
        patterns: &[
            concat!(
                set!(),
                "[the] [cell] [(in|at|of)] row {row:n} [,] [and] (column|col) {col:n} ",
                to!(),
                "{text:t}"
            ),
            concat!(
                set!(),
                "[the] [cell] [(in|at|of)] [the] {row:n} row [,] [and] [the] {col:n} (column|col) ",
                to!(),
                "{text:t}"
            ),
            "(put|write|enter) ({text:q}|{text:u}) (in|into) [the] [cell] [(in|at|of)] row {row:n} [,] [and] (column|col) {col:n}",
            concat!(
                "[(把|将|在)] 第 {row:n} 行 [的] [,] 第 {col:n} (列|个单元格|格) [的] [(单元格|格)] [的] [(内容|文字|值)] ",
                zh_to!(),
                "{text:t}"
            ),
            "[在] 第 {row:n} 行 [的] [,] 第 {col:n} (列|个单元格|格) [的] [(单元格|格)] [(里|中)] (填入|填上|填写|写入|输入|填|写) [:] {text:t}",
        ],
    },
];
