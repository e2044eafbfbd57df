//! Undoing, files as such: what can be said whatever document is open.

use super::{Rule, Verb};

pub(super) const RULES: &[Rule] = &[
    Rule {
        verb: Verb::Undo,
        allowed: &[],
        required: &[],
        patterns: &[
            "undo [(that|it|this|the last change|the last edit|last change|my last change|the change)]",
            "revert [(that|it|the last change|the last edit)]",
            "(撤销|撤消|撤回|回退) [(上一步|上一次|上次|刚才|刚刚)] [的] [(修改|更改|操作|编辑|改动)]",
        ],
    },
    Rule {
        verb: Verb::Redo,
        allowed: &[],
        required: &[],
        patterns: &[
            "redo [(that|it|the last change|the last edit|the change)]",
            "重做 [(上一步|刚才)] [的] [(修改|更改|操作)]",
        ],
    },
    Rule {
        verb: Verb::Help,
        allowed: &[],
        required: &[],
        patterns: &[
            "(help|what can you do|what can i say|how does this work) [me]",
            "(帮助|你能做什么|你会什么|怎么用|能做什么|可以做什么)",
        ],
    },
    Rule {
        verb: Verb::Restore,
        allowed: &[],
        required: &[],
        patterns: &[
            "(restore|go back to|roll back to|revert to) [the] [snapshot] {snapshot:snap}",
            "(恢复到|还原到|回到|回退到|恢复) [快照] {snapshot:snap}",
        ],
    },
    Rule {
        verb: Verb::NewFile,
        allowed: &[],
        required: &[],
        patterns: &[
            "(create|make|write) [(a|an|the)] [new] (file|document) [(named|called)] {path:path} [(with|containing|saying)] [:] {text:b}",
            "(新建|创建|建立) [一个] [新] [的] (文件|文档) [名为] {path:path} [,] [(内容为|内容是|内容)] [:] {text:b}",
        ],
    },
];
