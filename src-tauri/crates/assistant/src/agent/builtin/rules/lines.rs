//! Places by their content, and sections of Markdown.

use super::{Rule, Verb};

pub(super) const RULES: &[Rule] = &[
    Rule {
        verb: Verb::WhereText,
        allowed: &["sheet", "tracked", "override", "style"],
        required: &["contains|begins|titled"],
        patterns: &[
            concat!(delete!(), "(the|one|that|this) {=single} {unit:one} ", holds!()),
            concat!(delete!(), "(all|every|each) {=all} [of] [the] {unit:unit} ", holds!()),
            concat!(delete!(), "[the] [{count:n}] {=all} {unit:unit} ", holds!()),
            concat!(delete!(), "(the|that|this) {titled:q} {unit:one}"),
            concat!(set!(), "(the|that|this) {=single} {unit:one} ", holds!(), " ", to!(), "{text:t}"),
            concat!(set!(), "[(all|every|each) {=all}] [the] {unit:unit} ", holds!(), " ", to!(), "{text:t}"),
            concat!(
                insert!(),
                "{text:q} [as] [(a|an)] [new] [(line|row|paragraph)] ",
                side!(),
                " [the] {unit:one} ",
                holds!()
            ),
            concat!(
                insert!(),
                "[(a|an|one|the|this)] [new] [(markdown {=markdown}|line|row|paragraph|text)] ",
                side!(),
                " [the] {unit:one} ",
                holds!(),
                " (:|saying|with the text|that says|reading) [:] {text:b}"
            ),
            concat!(
                side!(),
                " [the] {unit:one} ",
                holds!(),
                " [,] (insert|add|put) [(a|an|one|the|this)] [new] [(line|row|paragraph|text)] [:] {text:b}"
            ),
            concat!(
                insert!(),
                "[(a|an|the)] [new] [(line|row|paragraph|{style:sty})] {text:q} ",
                side!(),
                " [the] ({unit:one}|heading|title) {titled:q}"
            ),
            concat!(
                insert!(),
                "[(a|an|one|the|this)] [new] [(markdown {=markdown}|line|row|paragraph|text)] ",
                side!(),
                " [the] ({unit:one}|heading|title) {titled:q} (:|saying|with the text|that says|reading) [:] {text:b}"
            ),
            concat!(
                "[在] (标题|小标题) {titled:q} ",
                zh_side!(),
                zh_insert!(),
                " [(一|1)] [(行|段|条|个|句)] [新] [的] [(行|段落|段|数据|文字|文本|内容|记录)] ([:] {text:q}|: {text:b})"
            ),
            concat!(
                zh_delete!(),
                " [(所有|全部|每个|每一) {=all}] [的] ",
                zh_holds!(),
                " [(所有|全部) {=all}] [的] [(那|这) {=single}] [(一|1) {=single}] {unit:unit}"
            ),
            concat!(
                "[(把|将)] [(所有|全部|每个|每一) {=all}] [的] ",
                zh_holds!(),
                " [(所有|全部) {=all}] [的] [(那|这) {=single}] [(一|1) {=single}] {unit:unit} [(都|全部) {=all}] ",
                zh_delete!()
            ),
            concat!(
                "(把|将) [(所有|全部|每个|每一) {=all}] [的] ",
                zh_holds!(),
                " [(所有|全部) {=all}] [的] [(那|这) {=single}] [(一|1) {=single}] {unit:unit} [(都|全部) {=all}] ",
                zh_to!(),
                "{text:t}"
            ),
            concat!(
                "[(所有|全部|每个|每一) {=all}] [的] ",
                zh_holds!(),
                " [(所有|全部) {=all}] [的] [(那|这) {=single}] [(一|1) {=single}] {unit:unit} [(都|全部) {=all}] ",
                zh_word_to!(),
                "{text:t}"
            ),
            concat!(
                "[在] ",
                zh_holds!(),
                " [(那|这)] [(一|1)] {unit:unit} ",
                zh_side!(),
                zh_insert!(),
                " [(一|1)] [(行|段|条|个|句)] [新] [的] [(行|段落|段|数据|文字|文本|内容|记录)] ([:] {text:q}|: {text:b})"
            ),
        ],
    },
    Rule {
        verb: Verb::Section,
        allowed: &[],
        required: &[],
        patterns: &[
            concat!(
                set!(),
                "[the] [(text|content|contents|body) of] [the] (section|chapter) {heading:q} [including (the|its) heading {=whole}] ",
                to!(),
                "{text:b}"
            ),
            concat!(
                set!(),
                "[the] {heading:q} (section|chapter) [including (the|its) heading {=whole}] ",
                to!(),
                "{text:b}"
            ),
            concat!(
                set!(),
                "[the] (text|content|contents|everything|what stands) under [the] [heading] {heading:q} [including (the|its) heading {=whole}] ",
                to!(),
                "{text:b}"
            ),
            concat!(
                "(把|将) {heading:q} (这一节|这一章|这部分|一节|一章|章节|小节|部分|节|章) [连同标题 {=whole}] [的] [(内容|正文|文字)] ",
                zh_to!(),
                "{text:b}"
            ),
            concat!(
                "{heading:q} (这一节|这一章|这部分|一节|一章|章节|小节|部分|节|章) [连同标题 {=whole}] [的] [(内容|正文|文字)] ",
                zh_word_to!(),
                "{text:b}"
            ),
            concat!(
                "(把|将) ((章节|小节) {heading:q} [(下面|下)]|标题 {heading:q} (下面|下)) [连同标题 {=whole}] [的] [(内容|正文|文字)] ",
                zh_to!(),
                "{text:b}"
            ),
            concat!(
                "((章节|小节) {heading:q} [(下面|下)]|标题 {heading:q} (下面|下)) [连同标题 {=whole}] [的] [(内容|正文|文字)] ",
                zh_word_to!(),
                "{text:b}"
            ),
        ],
    },
];
