//! Setting, deleting and inserting at a place, and replacing text anywhere.

use super::{Rule, Verb, WHERE_TO_LOOK};

pub(super) const RULES: &[Rule] = &[
    Rule {
        verb: Verb::SetUnit,
        allowed: &["sheet", "expect", "tracked", "override", "table", "the_table"],
        required: &[],
        patterns: &[
            concat!(
                "(set|change|replace|make|rewrite|update) [the] {unit:unit} {n:nums} ",
                to!(),
                "{text:b}"
            ),
            concat!(
                "(set|change|replace|make|rewrite|update) [the] {n:nums} {unit:unit} ",
                to!(),
                "{text:b}"
            ),
            concat!("(把|将) [第] {n:nums} {unit:unit} [的] [(内容|文字|文本)] ", zh_to!(), "{text:b}"),
            "(修改|替换|更新) [第] {n:nums} {unit:unit} [的] [(内容|文字|文本)] (为|成|:) [:] {text:b}",
        ],
    },
    Rule {
        verb: Verb::SetAddress,
        allowed: &["tracked", "override", "sheet", "expect"],
        required: &[],
        patterns: &[
            concat!(
                "(set|change|replace|make|rewrite|update) [the] [(text of|text at)] {at:at} ",
                to!(),
                "{text:b}"
            ),
            concat!("(把|将) {at:at} [的] [(内容|文字|文本)] ", zh_to!(), "{text:b}"),
        ],
    },
    Rule {
        verb: Verb::ClearCell,
        allowed: &["sheet", "override"],
        required: &[],
        patterns: &[
            "(clear|empty|blank) [the] [(cells|cell|range)] {cells:range}",
            "(清空|清除) [单元格] {cells:range} [的] [(内容|值)]",
            "(把|将) [单元格] {cells:range} (清空|清除)",
        ],
    },
    Rule {
        verb: Verb::SetCell,
        allowed: &["sheet", "override"],
        required: &[],
        patterns: &[
            concat!(
                "(set|change|make|update|fill|write) [the] [(value of)] [(cells|cell|range)] {cells:range} ",
                to!(),
                "{text:t}"
            ),
            "(put|write|enter|type) ({text:q}|{text:u}) (in|into|to) [the] [(cells|cell|range)] {cells:range}",
            concat!("(把|将) [单元格] {cells:range} [单元格] [的] [(值|内容|数值)] ", zh_to!(), "{text:t}"),
            "[(在|给)] [单元格] {cells:range} [单元格] [(里|中)] (填入|填上|填写|写入|输入|填|写) [:] {text:t}",
            concat!("[cell] {cells:range} (to|=|", "改成|改为|设为|设成|设置为|填) {text:t}"),
        ],
    },
    Rule {
        verb: Verb::DeleteUnit,
        allowed: &["sheet", "expect", "table", "the_table", "tracked", "override"],
        required: &[],
        patterns: &[
            "(delete|remove|drop|erase|cut) [the] {unit:unit} {n:nums}",
            "(delete|remove|drop|erase|cut) [the] {n:nums} {unit:unit}",
            concat!(zh_delete!(), " [第] {n:nums} {unit:unit}"),
            concat!("(把|将) [第] {n:nums} {unit:unit} [(全部|都|整个)] ", zh_delete!()),
        ],
    },
    Rule {
        verb: Verb::DeleteAddress,
        allowed: &["expect", "tracked", "override"],
        required: &[],
        patterns: &[
            "(delete|remove|drop|erase|cut) [the] [paragraph] {at:at} [(to|through|-) {end:at}]",
            concat!(zh_delete!(), " {at:at} [(到|至|-) {end:at}]"),
            concat!("(把|将) {at:at} [(到|至|-) {end:at}] ", zh_delete!()),
        ],
    },
    Rule {
        verb: Verb::InsertUnit,
        allowed: &["sheet", "style", "table", "the_table", "tracked", "override"],
        required: &[],
        patterns: &[
            concat!(
                "(insert|add|put) {text:q} [as] [(a|an)] [new] [(line|row|paragraph)] ",
                side!(),
                " ([the] {unit:unit} {n:n}|the {n:n} {unit:unit}|{at:at})"
            ),
            concat!(
                "(insert|add|put) [(a|an|one|the|this)] [new] [(markdown {=markdown}|line|row|paragraph|text|lines|rows)] ",
                side!(),
                " ([the] {unit:unit} {n:n}|the {n:n} {unit:unit}|{at:at}) (:|saying|with the text|with text|that says|reading|with) [:] {text:b}"
            ),
            concat!(
                side!(),
                " ([the] {unit:unit} {n:n}|the {n:n} {unit:unit}|{at:at}) (insert|add|put) [(a|an|one|the|this)] [new] [(markdown {=markdown}|line|row|paragraph|text)] [:] {text:b}"
            ),
            concat!(
                "(insert|add) [(a|an|one|{count:n})] [(new|blank|empty)] (lines|line|rows|row|paragraphs|paragraph) ",
                side!(),
                " ([the] {unit:unit} {n:n}|the {n:n} {unit:unit}|{at:at})"
            ),
            concat!(
                "[在] ([第] {n:n} {unit:unit}|{at:at})",
                zh_side!(),
                zh_insert!(),
                " [(一|1)] [(行|段|条|个|句|列)] [新] [的] [(行|段落|段|数据|文字|文本|内容|记录|markdown {=markdown})] ([:] {text:q}|: {text:b})"
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
        ],
    },
    Rule {
        verb: Verb::Append,
        allowed: &["sheet", "style", "table", "the_table", "tracked", "override"],
        required: &[],
        patterns: &[
            "append [(a|an|the|this|one)] [new] [(markdown {=markdown}|lines|line|paragraphs|paragraph|rows|row|text)] [(at|to) the end] (:|saying|with) [:] {text:b}",
            "add {text:q} (at|to) the (end|bottom) [of the (document|file|text|sheet)]",
            "add [(a|an|one|the|this)] [new] [(markdown {=markdown}|line|row|paragraph|text)] [(at|to) the (end|bottom) [of the (document|file|text|sheet)]] (:|saying|that says|with) [:] {text:b}",
            "append {text:b}",
            "[在] (文档末尾|文件末尾|全文末尾|表格末尾|文末|末尾|最后面|最后|结尾) [处] (追加|添加|增加|新增|加上|加|写上|插入) [(一|1)] [(行|段|条|句)] [(数据|文字|内容|记录|markdown {=markdown})] [:] {text:b}",
            "(追加|添加|增加|加上|新增) [(一|1)] [(行|段|条|句)] [(段落|数据|文字|内容|记录|markdown {=markdown})] : {text:b}",
            "追加 [(一|1)] [(行|段|条|句)] [(段落|数据|文字|内容|记录|markdown {=markdown})] [:] {text:b}",
        ],
    },
    Rule {
        verb: Verb::Replace,
        allowed: WHERE_TO_LOOK,
        required: &[],
        patterns: &[
            concat!(
                "(replace|change|substitute|rename|turn|swap|correct|fix) ",
                which!(),
                " {find:q} (with|by|to|into|for) {with:q} [(everywhere|throughout) {=all}]"
            ),
            concat!(
                "find ",
                which!(),
                " {find:q} and (replace|change) [(it|them|all {=all})] (with|by|to) {with:q}"
            ),
            "use {with:q} instead of {find:q}",
            "{find:q} (->|→|=>|改成|改为|换成|替换成|替换为) {with:q}",
            concat!("(把|将) ", zh_which!(), " {find:q} [(全部|全都|都|统一) {=all}] ", zh_to!(), "{with:q}"),
            concat!("用 {with:q} (替换掉|替换|代替|取代|换掉) ", zh_which!(), " {find:q}"),
            concat!("(替换|更换) ", zh_which!(), " {find:q} (为|成) {with:q}"),
            concat!("replace ", which!(), " {find:u} (with|by) {with:t}"),
            "(把|将) {find:u} (替换成|替换为|改成|改为|换成|换为) {with:t}",
        ],
    },
    Rule {
        verb: Verb::DeleteText,
        allowed: WHERE_TO_LOOK,
        required: &[],
        patterns: &[
            concat!("(delete|remove|drop|erase|cut|take out) ", which!(), " {find:q}"),
            concat!(zh_delete!(), " ", zh_which!(), " {find:q}"),
            concat!("(把|将) ", zh_which!(), " {find:q} [(全部|全都|都) {=all}] ", zh_delete!()),
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
