//! Word documents: changes, comments, styles; cells of tables.

use super::{Rule, Verb};

pub(super) const RULES: &[Rule] = &[
    Rule {
        verb: Verb::AcceptChanges,
        allowed: &[],
        required: &[],
        patterns: &[
            "accept [(all|the|every)] [the] [(tracked|track)] (changes|change) [(by|of|from) ({author:q}|{author:name})] [(in|at|of) ({at:at}|[the] paragraph {n:n})]",
            "接受 [(所有|全部)] [的] [({author:q}|{author:name}) 的] [(所有|全部)] [({at:at}|第 {n:n} 段) [(里|中)] 的] (修订|更改)",
        ],
    },
    Rule {
        verb: Verb::RejectChanges,
        allowed: &[],
        required: &[],
        patterns: &[
            "reject [(all|the|every)] [the] [(tracked|track)] (changes|change) [(by|of|from) ({author:q}|{author:name})] [(in|at|of) ({at:at}|[the] paragraph {n:n})]",
            "拒绝 [(所有|全部)] [的] [({author:q}|{author:name}) 的] [(所有|全部)] [({at:at}|第 {n:n} 段) [(里|中)] 的] (修订|更改)",
        ],
    },
    Rule {
        verb: Verb::Comment,
        allowed: &[],
        required: &[],
        patterns: &[
            "comment [on] [{find:q} (in|of)] ([the] paragraph {n:n}|[the] {n:n} paragraph|{at:at}) [(at|on) {find:q}] (:|saying|with) [:] {text:t}",
            "add [a] comment (to|on|at) [{find:q} (in|of)] ([the] paragraph {n:n}|[the] {n:n} paragraph|{at:at}) [(at|on) {find:q}] (:|saying|with) [:] {text:t}",
            "[(给|在|对)] (第 {n:n} (段落|段)|{at:at}) [的] [{find:q}] [(上|处|后)] (添加|增加|加上|加|写) [一] [(条|个)] (批注|评论) [:] {text:t}",
        ],
    },
    Rule {
        verb: Verb::Style,
        allowed: &[],
        required: &[],
        patterns: &[
            concat!(
                "(set|change) [the] style of ([the] paragraph {n:n}|[the] {n:n} paragraph|{at:at}) ",
                to!(),
                "({style:q}|{style:w})"
            ),
            concat!(
                "(set|change) ([the] paragraph {n:n}|[the] {n:n} paragraph|{at:at}) ['s] style ",
                to!(),
                "({style:q}|{style:w})"
            ),
            "(style|format) (paragraph {n:n}|the {n:n} paragraph|{at:at}) as ({style:q}|{style:w})",
            "(make|set) (paragraph {n:n}|the {n:n} paragraph|{at:at}) [(a|to)] style ({style:q}|{style:w})",
            concat!("[(把|将)] (第 {n:n} (段落|段)|{at:at}) [的] 样式 ", zh_to!(), "({style:q}|{style:w})"),
            concat!("(把|将) (第 {n:n} (段落|段)|{at:at}) ", zh_to!(), "({style:q}|{style:name}) 样式"),
        ],
    },
    Rule {
        verb: Verb::TableCell,
        allowed: &["slide", "last_slide", "table", "the_table", "sheet", "override", "tracked"],
        required: &[],
        patterns: &[
            concat!(
                "(set|change|make|update|put) [the] [cell] [in] row {row:n} [,] [and] (column|col) {col:n} ",
                to!(),
                "{text:t}"
            ),
            concat!(
                "(把|将) 第 {row:n} 行 [的] [,] 第 {col:n} (列|个单元格|格) [的] [(内容|文字|值)] ",
                zh_to!(),
                "{text:t}"
            ),
        ],
    },
];
