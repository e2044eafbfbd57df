//! Setting, deleting and inserting at a place, and replacing text anywhere.

use super::{Rule, Verb, WHERE_TO_LOOK};

macro_rules! saying {
    () => {
        "(:|saying|with the text|with|that says|that reads|reading|containing) [:] "
    };
}
macro_rules! end {
    () => {
        "(at|to) the [very] (end|bottom) [of (the|this) (document|file|text|sheet|table|page)]"
    };
}
macro_rules! top {
    () => {
        "(at|to|in) the [very] (top|start|beginning|front) [of (the|this) (document|file|text|sheet|page)]"
    };
}
macro_rules! thing {
    () => {
        "[(a|an|the|this|one|another)] [new] [(markdown {=markdown}|lines|line|paragraphs|paragraph|rows|row|text|sentence|{style:sty})] "
    };
}
macro_rules! zh_thing {
    () => {
        " [(一|1)] [(行|段|条|句|个)] [新] [的] [(段落|数据|文字|文本|内容|记录|行|段|markdown {=markdown}|{style:sty})] "
    };
}
macro_rules! zh_end {
    () => {
        "(文档的末尾|文档末尾|文档最后|文件末尾|文件最后|全文末尾|表格末尾|表格最后|文末|末尾|最后面|最后|最下面|底部|结尾) [处] "
    };
}
macro_rules! zh_top {
    () => {
        "(文档的开头|文档开头|文件开头|全文开头|文档最前面|开头|最前面|最前|最上面|顶部) [处] "
    };
}
macro_rules! zh_append {
    () => {
        "(追加|添加|增加|新增|加上|补上|写上|插入|写|加)"
    };
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        verb: Verb::SetUnit,
        allowed: &["sheet", "expect", "tracked", "override", "table", "the_table"],
        required: &[],
        patterns: &[
            concat!(set!(), "[(the|all) (text|content) of] ", places!(), " ", to!(), "{text:b}"),
            concat!(places!(), " ", should!(), "{text:b}"),
            concat!(
                "(i'd like|i want|let|have) ",
                places!(),
                " (to say|to read|to be|say|read) [:] {text:b}"
            ),
            concat!(
                "(把|将) ",
                zh_places!(),
                " [的] [(内容|文字|文本)] [(整体|全部|整段|整行)] ",
                zh_to!(),
                "{text:b}"
            ),
            concat!(
                zh_places!(),
                " [的] [(内容|文字|文本)] [(整体|全部|整段|整行)] ",
                zh_word_to!(),
                "{text:b}"
            ),
            "(修改|替换|更新|改写|重写) [第] {n:nums} {unit:unit} [的] [(内容|文字|文本)] (为|成|:) [:] {text:b}",
        ],
    },
    Rule {
        verb: Verb::SetAddress,
        allowed: &["tracked", "override", "sheet", "expect"],
        required: &[],
        patterns: &[
            concat!(set!(), "[the] [(text of|text at)] {at:at} ", to!(), "{text:b}"),
            concat!("(把|将) {at:at} [的] [(内容|文字|文本)] ", zh_to!(), "{text:b}"),
            concat!("{at:at} [的] [(内容|文字|文本)] ", zh_word_to!(), "{text:b}"),
        ],
    },
    Rule {
        verb: Verb::DeleteAddress,
        allowed: &["expect", "tracked", "override"],
        required: &[],
        patterns: &[
            concat!(delete!(), "[the] [(paragraphs|paragraph)] {at:at} [(to|through|-) {end:at}]"),
            concat!(zh_delete!(), " [段落] {at:at} [(到|至|-) {end:at}]"),
            concat!("(把|将) [段落] {at:at} [(到|至|-) {end:at}] ", zh_delete!()),
        ],
    },
    Rule {
        verb: Verb::ClearCell,
        allowed: &["sheet", "override"],
        required: &[],
        patterns: &[
            "(clear|empty|blank) [(the|out)] [(content|contents|value|values) of] [the] [(cells|cell|range)] {cells:cells}",
            concat!(
                delete!(),
                "[(the|all)] [(content|contents|value|values) (of|in)] [the] [(cells|cell|range)] {cells:cells}"
            ),
            "(清空|清除) [单元格] {cells:cells} [单元格] [(里|中)] [的] [(内容|值|数据)]",
            concat!(zh_delete!(), " [单元格] {cells:cells} [单元格] [(里|中)] [的] (内容|值|数据)"),
            "[(把|将)] [单元格] {cells:cells} [单元格] [(里|中)] [的] [(内容|值|数据)] (清空|清除|清掉)",
        ],
    },
    Rule {
        verb: Verb::SetCell,
        allowed: &["sheet", "override"],
        required: &[],
        patterns: &[
            "(put|write|enter|calculate|compute|show) [the] (sum {=sum}|total {=sum}|average {=average}|mean {=average}|maximum {=max}|highest value {=max}|minimum {=min}|lowest value {=min}|count {=number}) of [the] [cells] {source:range} (in|into|to|at) [the] [cell] {cells:cells}",
            "(set|make) [the] [cell] {cells:cells} (to|=) the (sum {=sum}|total {=sum}|average {=average}|mean {=average}|maximum {=max}|minimum {=min}|count {=number}) of [the] [cells] {source:range}",
            "[在] [单元格] {cells:cells} [单元格] [(里|中)] (计算|求出|求|填入|写入|填|显示|放) {source:range} [的] (总和 {=sum}|合计 {=sum}|求和 {=sum}|和 {=sum}|平均值 {=average}|平均数 {=average}|最大值 {=max}|最小值 {=min}|个数 {=number})",
            concat!(
                "(set|change|make|update|edit|fill|write|overwrite|replace) [(the|what is in)] [(value|values|content|contents) (of|in)] [the] [(cells|cell|range)] {cells:cells} ",
                to!(),
                "{text:t}"
            ),
            "(put|write|enter|type|insert) ({text:q}|{text:u}) (in|into|to|at) [the] [(cells|cell|range)] {cells:cells}",
            concat!("[the] [cell] {cells:cells} ", should!(), "{text:t}"),
            concat!(
                "(把|将) [单元格] {cells:cells} [单元格] [(里|中)] [的] [(值|内容|数值|数据)] [都 {=same}] ",
                zh_to!(),
                "{text:t}"
            ),
            concat!(
                "[单元格] {cells:cells} [单元格] [(里|中)] [的] [(值|内容|数值|数据)] [都 {=same}] ",
                zh_word_to!(),
                "{text:t}"
            ),
            "[(在|给|往|把)] [单元格] {cells:cells} [单元格] [(里面|里|中)] [都 {=same}] (填入|填上|填写|填成|填为|写入|写上|输入|填|写) [:] {text:t}",
            concat!("[cell] {cells:cells} (to|=|", "改成|改为|设为|设成|设置为|填) {text:t}"),
        ],
    },
    Rule {
        verb: Verb::DeleteUnit,
        allowed: &["sheet", "expect", "table", "the_table", "tracked", "override"],
        required: &[],
        patterns: &[
            concat!(delete!(), "[all] [of] [everything] [from] ", places!()),
            concat!(zh_delete!(), " ", zh_places!()),
            concat!("[(把|将)] ", zh_places!(), " [(全部|都|整个|整行|整段)] ", zh_delete!()),
            concat!(zh_places!(), " 不要"),
            concat!("不要 ", zh_places!()),
        ],
    },
    Rule {
        verb: Verb::InsertUnit,
        allowed: &["sheet", "style", "table", "the_table", "tracked", "override"],
        required: &[],
        patterns: &[
            concat!(
                insert!(),
                "[(a|an|the)] [new] [(line|row|paragraph|sentence|text|words|{style:sty})] {text:q} [as] [(a|an)] [new] [(line|row|paragraph)] ",
                side!(),
                " ",
                place!()
            ),
            concat!(insert!(), "{text:q} (at|as) {=before} ", place!()),
            concat!(insert!(), thing!(), side!(), " ", place!(), " ", saying!(), "{text:b}"),
            concat!(insert!(), thing!(), "(at|as) {=before} ", place!(), " : {text:b}"),
            concat!(insert!(), thing!(), saying!(), "({text:q}|{text:words}) ", side!(), " ", place!()),
            concat!(
                insert!(),
                thing!(),
                "between [the] {unit:unit} {n:n} and {next:n} {=after} ",
                saying!(),
                "{text:b}"
            ),
            concat!(side!(), " ", place!(), " [,] (insert|add|put) ", thing!(), "[:] {text:b}"),
            concat!(
                "(insert|add) [(a|an|one|{count:n})] [(new|blank|empty)] (lines|line|rows|row|paragraphs|paragraph) (",
                side!(),
                "|(at|as) {=before}) ",
                place!()
            ),
            concat!(
                "[在] 第 {n:n} [(行|段)] (和|与|跟) 第 {next:n} {unit:unit} 之间 {=after} ",
                zh_insert!(),
                zh_thing!(),
                "([:] {text:q}|: {text:b})"
            ),
            concat!(
                "[在] ([第] {n:n} {unit:unit}|{at:at})",
                zh_side!(),
                zh_insert!(),
                zh_thing!(),
                "([:] {text:q}|: {text:b})"
            ),
            concat!(
                "[在] ([第] {n:n} {unit:unit}|{at:at})",
                zh_side!(),
                zh_insert!(),
                " [markdown {=markdown}] {gap:blank} {text:b}"
            ),
            concat!(
                "[在] ([第] {n:n} {unit:unit}|{at:at})",
                zh_side!(),
                zh_insert!(),
                " [{count:n}] [(个|条)] [(空白|空|新)] (行|段落|段)"
            ),
            concat!("(把|将) {text:q} (插入|插|加|放) (到|在) ([第] {n:n} {unit:unit}|{at:at})", zh_side!()),
        ],
    },
    Rule {
        verb: Verb::Prepend,
        allowed: &["sheet", "style", "tracked", "override"],
        required: &[],
        patterns: &[
            concat!(insert!(), thing!(), "{text:q} [as (a|the) [new] (line|row|paragraph)] ", top!()),
            concat!(insert!(), thing!(), top!(), " ", saying!(), "{text:b}"),
            concat!(top!(), " [,] (prepend|add|insert|put|write) ", thing!(), "([:] {text:q}|: {text:b})"),
            concat!("prepend ", thing!(), "{text:q} [", top!(), "]"),
            "prepend [(a|the)] [(line|row|paragraph|text)] [:] {text:b}",
            concat!("[在] ", zh_top!(), zh_insert!(), zh_thing!(), "([:] {text:q}|: {text:b})"),
            concat!("(把|将) {text:q} (插入|加|放) (到|在) ", zh_top!()),
        ],
    },
    Rule {
        verb: Verb::Append,
        allowed: &["sheet", "style", "table", "the_table", "tracked", "override", "extend_table"],
        required: &[],
        patterns: &[
            concat!("append ", thing!(), "[", end!(), "] ", saying!(), "{text:b}"),
            concat!("append ", thing!(), "{text:q} [as (a|the) [new] (line|row|paragraph)] [", end!(), "]"),
            concat!(end!(), " [,] (append|add|insert|put|write) ", thing!(), "([:] {text:q}|: {text:b})"),
            concat!(insert!(), thing!(), "{text:q} [as (a|the) [new] (line|row|paragraph)] ", end!()),
            concat!("(add|insert|put) ", thing!(), "[", end!(), "] ", saying!(), "{text:b}"),
            "add [(a|an|the)] [new] [(line|row|paragraph|sentence|text|{style:sty})] {text:q}",
            "append {text:b}",
            concat!("[在] ", zh_end!(), zh_append!(), zh_thing!(), ": {text:b}"),
            concat!("[在] ", zh_end!(), zh_append!(), zh_thing!(), "{text:b}"),
            concat!("(追加|添加|增加|加上|新增|插入)", zh_thing!(), ": {text:b}"),
            concat!("追加", zh_thing!(), "[:] {text:b}"),
            concat!("(添加|增加|新增)", zh_thing!(), "{text:q}"),
            concat!("(把|将) {text:q} (追加|添加|加|放) (到|在) ", zh_end!()),
        ],
    },
    Rule {
        verb: Verb::Replace,
        allowed: WHERE_TO_LOOK,
        required: &[],
        patterns: &[
            "substitute {with:q} for {find:q}",
            concat!(
                "(replace|change|substitute|rename {=rename}|turn|swap|correct|fix|update|edit|alter|modify) ",
                which!(),
                " {find:q} (with|by|to say|to read|to|into|for) {with:q} [(everywhere|throughout|wherever it appears|in all places) {=all}]"
            ),
            concat!(
                "(find|search for|look for|find and replace|search and replace) ",
                which!(),
                " {find:q} (and|with|by) [(replace|change)] [(it|them|all {=all})] [(with|by|to)] {with:q}"
            ),
            "(use|write|put) {with:q} (instead of|in place of|rather than) {find:q}",
            concat!("[the] [(word|words|text)] {find:q} ", should!(), "{with:q}"),
            "{find:q} (->|→|=>|改成|改为|换成|替换成|替换为|应该改为|应改为|应该是|应为|应是|要改成|改|换) {with:q}",
            concat!("(把|将) ", zh_which!(), " {find:q} ", zh_all!(), zh_to!(), "{with:q}"),
            concat!(zh_which!(), " {find:q} ", zh_all!(), zh_word_to!(), "{with:q}"),
            concat!("用 {with:q} (替换掉|替换|代替|取代|换掉) ", zh_which!(), " {find:q}"),
            concat!("(替换|更换|修改|更改) ", zh_which!(), " {find:q} (为|成) {with:q}"),
            concat!(
                "(查找|找到|找出) ",
                zh_which!(),
                " {find:q} [,] [(并|然后|再)] [(把它|将其|把它们)] ",
                zh_all!(),
                zh_to!(),
                "{with:q}"
            ),
            concat!(
                "(replace|change|substitute|rename {=rename}|turn|swap|correct|fix|update) ",
                which!(),
                " {find:q} (with|by|to|into) {with:t}"
            ),
            concat!("replace ", which!(), " {find:words} (with|by) {with:t}"),
            concat!(
                "(change|substitute|rename {=rename}|turn|swap|correct|fix|update) ",
                which!(),
                " {find:words} (to|into|for|with|by) {with:t}"
            ),
            concat!("(把|将) ", zh_which!(), " {find:q} ", zh_all!(), zh_to!(), "{with:t}"),
            concat!("(把|将) ", zh_which!(), " {find:words} ", zh_all!(), zh_to!(), "{with:t}"),
        ],
    },
    Rule {
        verb: Verb::DeleteText,
        allowed: WHERE_TO_LOOK,
        required: &[],
        patterns: &[
            concat!(delete!(), which!(), " {find:q} [(everywhere|throughout|wherever it appears) {=all}]"),
            concat!(zh_delete!(), " ", zh_which!(), " {find:q}"),
            concat!("[(把|将)] ", zh_which!(), " {find:q} ", zh_all!(), zh_delete!()),
            concat!(delete!(), "[(all|every) {=all}] [the] (word|words|phrase|text) {find:words}"),
        ],
    },
    Rule {
        verb: Verb::Find,
        allowed: &[],
        required: &[],
        patterns: &[
            "(find|search for|search|look for|where is|where does it say) [the] [(text|word|phrase)] {find:q}",
            "(查找|搜索|搜一下|找一下|寻找|找) {find:q}",
        ],
    },
];
