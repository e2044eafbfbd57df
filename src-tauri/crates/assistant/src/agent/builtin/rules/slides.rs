//! Presentations.

use super::{Rule, SLIDE_PARTS, Verb};

macro_rules! slide {
    () => {
        "([the] (slide|page) {n:n}|[the] {n:n} (slide|page))"
    };
}
macro_rules! zh_slide {
    () => {
        "[第] {n:n} (页幻灯片|张幻灯片|个幻灯片|页ppt|张ppt|页面|页|张)"
    };
}
macro_rules! to_where {
    () => {
        "(to the [very] end {=end}|to the back {=end}|last {=end}|to the [very] start {=start}|to the beginning {=start}|to the front {=start}|to the top {=start}|first {=start}|the first slide {=start}|the last slide {=end})"
    };
}
macro_rules! zh_move {
    () => {
        "(移动到|移到|移至|挪到|挪至|调整到|调到|放到|提到|排到)"
    };
}
macro_rules! zh_where {
    () => {
        "(最后面 {=end}|最后 {=end}|末尾 {=end}|结尾 {=end}|最前面 {=start}|最前 {=start}|开头 {=start}|首页 {=start})"
    };
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        verb: Verb::DuplicateSlide,
        allowed: &["expect"],
        required: &[],
        patterns: &[
            concat!(
                "(duplicate|copy|clone|repeat) ",
                slide!(),
                " (to the end {=end}|to the start {=start}|to the beginning {=start})"
            ),
            concat!(
                "(duplicate|copy|clone|repeat) ",
                slide!(),
                " [(to|as|at) [(position|place|slide|page)] {to:n}]"
            ),
            concat!(
                "make [(a|one)] (copy|duplicate) of ",
                slide!(),
                " [(to|as|at) [(position|place|slide|page)] {to:n}]"
            ),
            concat!("(复制|拷贝) [(一份|一遍)] ", zh_slide!(), " [到 第 {to:n} (页|张|位)]"),
            concat!(
                "[(把|将)] ",
                zh_slide!(),
                " (复制|拷贝) [(一份|一页|一张|一遍)] [,] [并] (到|放到|放在) ",
                zh_where!()
            ),
            concat!(
                "[(把|将)] ",
                zh_slide!(),
                " (复制|拷贝) [(一份|一页|一张|一遍)] [(到|放到) 第 {to:n} (页|张|位)]"
            ),
        ],
    },
    Rule {
        verb: Verb::MoveSlide,
        allowed: &["expect"],
        required: &[],
        patterns: &[
            concat!("(move|put|shift|bring|make|place) ", slide!(), " ", to_where!()),
            concat!(
                "(move|put|shift|place) ",
                slide!(),
                " (to|at|into) [the] [(position|place|slide|page)] {to:n} [(position|place)]"
            ),
            concat!(
                "(move|put|shift|place) ",
                slide!(),
                " ",
                side!(),
                " [the] [(slide|page)] {to:n} [(slide|page)]"
            ),
            concat!("[(把|将)] ", zh_slide!(), " ", zh_move!(), " ", zh_where!()),
            concat!("[(把|将)] ", zh_slide!(), " ", zh_move!(), " [第] {to:n} ", zh_page!(), zh_side!()),
            concat!("[(把|将)] ", zh_slide!(), " ", zh_move!(), " 第 {to:n} (页幻灯片|页|张|位|个)"),
            "移动 第 {n:n} (页|张) 到 第 {to:n} (页|张|位)",
        ],
    },
    Rule {
        verb: Verb::HideSlide,
        allowed: &["expect"],
        required: &[],
        patterns: &[
            "(hide {=hide}|skip {=hide}|unhide|show|reveal) [the] (slide|slides|page|pages) {n:nums} [again]",
            "(hide {=hide}|skip {=hide}|unhide|show|reveal) [the] {n:nums} (slides|slide|pages|page) [again]",
            "make [the] (slides|slide) {n:nums} (hidden {=hide}|visible) [again]",
            concat!("(取消隐藏|重新显示|显示|隐藏 {=hide}) [第] {n:nums} ", zh_page!()),
            concat!(
                "[(把|将)] [第] {n:nums} ",
                zh_page!(),
                " (取消隐藏|显示出来|重新显示|显示|隐藏起来 {=hide}|隐藏掉 {=hide}|隐藏 {=hide})"
            ),
        ],
    },
    Rule {
        verb: Verb::Title,
        allowed: &["slide", "last_slide", "override"],
        required: &["slide|last_slide"],
        patterns: &[
            concat!(
                "(set|change|make|update|rename|replace|edit|rewrite|modify) [(the|a|its)] [new] (title|headline) ",
                to!(),
                "{text:t}"
            ),
            "(make|set) [the] (title|headline) {text:q}",
            "give [(it|the)] [(a|the)] [new] (title|headline) [(of|:|to)] {text:t}",
            concat!("[the] (title|headline) ", should!(), "{text:t}"),
            "(title|headline) [(of|:)] {text:t}",
            "(retitle|rename|call|name) (to|as|into) {text:t}",
            "(retitle|title|call|name) {text:q}",
            "(换|改|设|加|起|取|写|用) [(一个|一下|个|上)] [新] [的] 标题 [(改为|为|成|是|叫)] [:] {text:t}",
            concat!("[(把|将|给)] [的] 标题 [文字] ", zh_to!(), "{text:t}"),
            "(修改|更改|设置|更新|更换) 标题 (为|成|:) [:] {text:t}",
            "[(把|将|给)] (重命名|改名|命名) (为|成|叫) {text:t}",
        ],
    },
    Rule {
        verb: Verb::Notes,
        allowed: &["slide", "last_slide"],
        required: &["slide|last_slide"],
        patterns: &[
            concat!(
                "(set|change|update|replace|write|make|rewrite|edit) [the] [(speaker|presenter)] notes ",
                to!(),
                "{text:b}"
            ),
            "(write|add {=more}|put) [(a|an|the|these|some)] [(speaker|presenter)] (notes|note) (:|saying|that say|that says|reading) [:] {text:b}",
            "(add {=more}|put|write) {text:q} (to|in|into|as) [the] [(speaker|presenter)] notes",
            concat!("[(把|将|给)] [的] [(演讲者|演讲)] (备注|讲稿) ", zh_to!(), "{text:b}"),
            "(写|设置|修改|更新) [(演讲者|演讲)] (备注|讲稿) [(为|成)] [:] {text:b}",
            "(加上 {=more}|添加 {=more}|增加 {=more}|加 {=more}) [(一条|一些)] [(演讲者|演讲)] 备注 [:] {text:b}",
        ],
    },
    Rule {
        verb: Verb::Shape,
        allowed: &["slide", "last_slide"],
        required: &["slide|last_slide"],
        patterns: &[
            concat!(
                "(set|change|update|replace|rewrite|edit|make) [the] [text] [(of|in)] [the] ((shape|text box|textbox|box) {shape:q}|shape {shape:n}|{shape:q} (shape|text box|textbox)|(body|content|contents|bullets|bullet points|points) {=the_body}|subtitle {=the_subtitle}) [text] ",
                to!(),
                "{text:b}"
            ),
            concat!(
                "[(把|将|给)] [的] ((形状|文本框) {shape:q}|形状 {shape:n}|{shape:q} (形状|文本框)|副标题 {=the_subtitle}|(正文|内容|要点) {=the_body}) [的] [(文字|文本|内容)] ",
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
            concat!(
                "(insert|add|put|create) [(a|one|another)] [new] [(blank|empty)] (slide|page) ",
                side!(),
                " ",
                slide!(),
                " [[:] {title:q}]"
            ),
            "(insert|add|put|create) [(a|one|another)] [new] [(blank|empty)] (slide|page) (at|to) the (start|beginning|front|top) {=start} [of the (deck|presentation)] [[:] {title:q}]",
            concat!(
                "[在] ",
                zh_slide!(),
                zh_side!(),
                zh_insert!(),
                " [(一|1)] [(页|张|个)] [新] [空白] [的] (幻灯片|页|张|ppt) [[:] {title:q}]"
            ),
            concat!(
                "[在] ",
                zh_slide!(),
                zh_side!(),
                zh_insert!(),
                " (一页|一张) [新] [空白] [的] [[:] {title:q}]"
            ),
            "[在] (最前面|最前|开头) {=start} (添加|插入|新增|增加|新建|加) [(一|1)] [(页|张|个)] [新] [空白] [的] (幻灯片|页|ppt) [[:] {title:q}]",
        ],
    },
    Rule {
        verb: Verb::AppendSlide,
        allowed: SLIDE_PARTS,
        required: &[],
        patterns: &[
            "(add|append|create|insert|make) [(a|one|another)] [new] [(blank|empty)] (slide|page) [(at|to) the end [of the (deck|presentation)]] [[:] {title:q}]",
            "[在] [(最后面|最后|末尾|结尾)] (添加|追加|新增|增加|新建|插入|加) (一|1) (页|张|个) [新] [空白] [的] [(幻灯片|ppt|页)] [[:] {title:q}]",
            "[在] [(最后面|最后|末尾|结尾)] (添加|追加|新增|增加|新建) [新] [的] 幻灯片 [[:] {title:q}]",
        ],
    },
];
