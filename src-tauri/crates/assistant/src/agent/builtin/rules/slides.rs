//! Presentations.

use super::{Rule, SLIDE_PARTS, Verb};

pub(super) const RULES: &[Rule] = &[
    Rule {
        verb: Verb::DuplicateSlide,
        allowed: &["expect"],
        required: &[],
        patterns: &[
            "(duplicate|copy|clone) [the] (slide|page) {n:n} [to [(position|place|slide|page)] {to:n}]",
            "(duplicate|copy|clone) [the] {n:n} (slide|page) [to [(position|place|slide|page)] {to:n}]",
            concat!("(复制|拷贝) [第] {n:n} ", zh_page!(), " [到 第 {to:n} (页|张|位)]"),
            concat!(
                "(把|将) [第] {n:n} ",
                zh_page!(),
                " (复制|拷贝) [(一份|一页|一张)] [到 第 {to:n} (页|张|位)]"
            ),
        ],
    },
    Rule {
        verb: Verb::MoveSlide,
        allowed: &["expect"],
        required: &[],
        patterns: &[
            "move [the] (slide|page) {n:n} (to the end {=end}|to the start {=start}|to the beginning {=start}|to the front {=start})",
            "move [the] (slide|page) {n:n} to [the] [(position|place|slide|page)] {to:n} [(position|place)]",
            concat!("move [the] (slide|page) {n:n} ", side!(), " [the] [(slide|page)] {to:n} [(slide|page)]"),
            "move [the] {n:n} (slide|page) (to the end {=end}|to the start {=start}|to the beginning {=start}|to the front {=start})",
            "move [the] {n:n} (slide|page) to [the] [(position|place|slide|page)] {to:n} [(position|place)]",
            concat!("move [the] {n:n} (slide|page) ", side!(), " [the] [(slide|page)] {to:n} [(slide|page)]"),
            concat!(
                "(把|将) [第] {n:n} ",
                zh_page!(),
                " (移动到|移到|挪到|调到|放到) (最后面 {=end}|最后 {=end}|末尾 {=end}|最前面 {=start}|最前 {=start}|开头 {=start})"
            ),
            concat!(
                "(把|将) [第] {n:n} ",
                zh_page!(),
                " (移动到|移到|挪到|调到|放到) [第] {to:n} ",
                zh_page!(),
                zh_side!()
            ),
            concat!(
                "(把|将) [第] {n:n} ",
                zh_page!(),
                " (移动到|移到|挪到|调到|放到) 第 {to:n} (",
                "页幻灯片|页|张|位|个)"
            ),
            "移动 第 {n:n} (页|张) 到 第 {to:n} (页|张|位)",
        ],
    },
    Rule {
        verb: Verb::HideSlide,
        allowed: &["expect"],
        required: &[],
        patterns: &[
            "(hide {=hide}|unhide|show|reveal) [the] (slide|slides|page|pages) {n:nums}",
            "(hide {=hide}|unhide|show|reveal) [the] {n:nums} (slide|page)",
            concat!("(取消隐藏|显示|隐藏 {=hide}) [第] {n:nums} ", zh_page!()),
            concat!(
                "(把|将) [第] {n:nums} ",
                zh_page!(),
                " (取消隐藏|显示出来|隐藏起来 {=hide}|隐藏掉 {=hide}|隐藏 {=hide})"
            ),
        ],
    },
    Rule {
        verb: Verb::Title,
        allowed: &["slide", "last_slide", "override"],
        required: &["slide|last_slide"],
        patterns: &[
            concat!("(set|change|make|update|rename|replace|edit) [(the|a)] [new] title ", to!(), "{text:t}"),
            "give [(it|the)] [(a|the)] [new] title [(of|:)] {text:t}",
            "title [(of|:)] {text:t}",
            "(换|改|设|加|起|取|写) [(一个|个)] [新] [的] 标题 [(为|成|是|叫)] [:] {text:t}",
            concat!("[(把|将|给)] 标题 ", zh_to!(), "{text:t}"),
            "(修改|更改|设置|更新) 标题 (为|成|:) [:] {text:t}",
        ],
    },
    Rule {
        verb: Verb::Notes,
        allowed: &["slide", "last_slide"],
        required: &["slide|last_slide"],
        patterns: &[
            concat!(
                "(set|change|update|replace|write|make) [the] [(speaker|presenter)] notes ",
                to!(),
                "{text:b}"
            ),
            concat!("[(把|将|给)] [演讲者] 备注 ", zh_to!(), "{text:b}"),
            "(写|设置|修改) [演讲者] 备注 [(为|成)] [:] {text:b}",
        ],
    },
    Rule {
        verb: Verb::Shape,
        allowed: &["slide", "last_slide"],
        required: &["slide|last_slide"],
        patterns: &[
            concat!(
                "(set|change|update|replace) [the] [text] [(of|in)] [the] (shape {shape:q}|shape {shape:n}|{shape:q} shape|body {=the_body}|subtitle {=the_subtitle}) [text] ",
                to!(),
                "{text:b}"
            ),
            concat!(
                "(把|将) (形状 {shape:q}|形状 {shape:n}|副标题 {=the_subtitle}|正文 {=the_body}) [的] [(文字|文本|内容)] ",
                zh_to!(),
                "{text:b}"
            ),
        ],
    },
    Rule {
        verb: Verb::InsertSlide,
        allowed: SLIDE_PARTS,
        required: &[],
        patterns: &[
            concat!("(insert|add|put) [(a|one)] [new] (slide|page) ", side!(), " [the] (slide|page) {n:n}"),
            concat!("(insert|add|put) [(a|one)] [new] (slide|page) ", side!(), " [the] {n:n} (slide|page)"),
            concat!(
                "[在] [第] {n:n} ",
                zh_page!(),
                zh_side!(),
                zh_insert!(),
                " [(一|1)] [(页|张)] [新] [的] (幻灯片|页|张|ppt)"
            ),
            concat!("[在] [第] {n:n} ", zh_page!(), zh_side!(), zh_insert!(), " (一页|一张) [新] [的]"),
        ],
    },
    Rule {
        verb: Verb::AppendSlide,
        allowed: SLIDE_PARTS,
        required: &[],
        patterns: &[
            "(add|append|create|insert) [(a|one)] [new] (slide|page) [at the end] [(at|to) the end of the (deck|presentation)]",
            "[在] [(最后|末尾|结尾)] (添加|追加|新增|增加|新建|加) (一|1) (页|张) [新] [的] [(幻灯片|ppt)]",
            "[在] [(最后|末尾|结尾)] (添加|追加|新增|增加|新建) [新] [的] 幻灯片",
        ],
    },
];
