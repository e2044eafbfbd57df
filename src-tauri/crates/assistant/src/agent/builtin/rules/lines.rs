//! Lines by their content, and sections of Markdown.

use super::{Rule, Verb};

pub(super) const RULES: &[Rule] = &[
    Rule {
        verb: Verb::LinesContaining,
        allowed: &[],
        required: &[],
        patterns: &[
            "(delete|remove|drop) [(all|every|each)] [the] (lines|line) (containing|that contain|that contains|which contain|with) {contains:q}",
            concat!(
                "(replace|change|set) [(all|every|each)] [the] (lines|line) (containing|that contain|that contains|which contain|with) {contains:q} ",
                to!(),
                "{text:t}"
            ),
            concat!(
                zh_delete!(),
                " [(所有|全部)] [的] (包含|含有|带有|含) {contains:q} 的 [(所有|全部)] [的] 行"
            ),
            concat!(
                "(把|将) [(所有|全部)] [的] (包含|含有|带有|含) {contains:q} 的 [(所有|全部)] [的] 行 [都] ",
                zh_delete!()
            ),
            concat!(
                "(把|将) [(所有|全部)] [的] (包含|含有|带有|含) {contains:q} 的 [(所有|全部)] [的] 行 [都] ",
                zh_to!(),
                "{text:t}"
            ),
        ],
    },
    Rule {
        verb: Verb::Section,
        allowed: &[],
        required: &[],
        patterns: &[
            concat!(
                "(replace|set|rewrite|change) [the] [(text|content|contents|body) of] [the] section {heading:q} [including (the|its) heading {=whole}] ",
                to!(),
                "{text:b}"
            ),
            concat!(
                "(replace|set|rewrite|change) [the] {heading:q} section [including (the|its) heading {=whole}] ",
                to!(),
                "{text:b}"
            ),
            concat!(
                "(把|将) {heading:q} (这一节|这一章|一节|一章|章节|小节|部分|节|章) [连同标题 {=whole}] [的] [(内容|正文|文字)] ",
                zh_to!(),
                "{text:b}"
            ),
            concat!(
                "(把|将) (章节|小节|标题) {heading:q} [(下面|下)] [连同标题 {=whole}] [的] [(内容|正文|文字)] ",
                zh_to!(),
                "{text:b}"
            ),
        ],
    },
];
