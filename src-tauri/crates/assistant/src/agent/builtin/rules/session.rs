//! Undoing, files as such: what can be said whatever document is open.

use super::{Rule, Verb};

pub(super) const RULES: &[Rule] = &[
    Rule {
        verb: Verb::Undo,
        allowed: &[],
        required: &[],
        patterns: &[
            "undo [(that|it|this|the last change|the last edit|last change|my last change|my last edit|the change|the last one)]",
            "(revert|take back|roll back) [(that|it|this|the last change|the last edit|my last change)]",
            "take (that|it|this) back",
            "(撤销|撤消|撤回|回退) [(上一步|上一次|上次|刚才|刚刚)] [的] [(修改|更改|操作|编辑|改动)]",
            "(取消|还原) (上一步|上一次|上次|刚才|刚刚) [的] [(修改|更改|操作|编辑|改动)]",
        ],
    },
    Rule {
        verb: Verb::Redo,
        allowed: &[],
        required: &[],
        patterns: &[
            "redo [(that|it|the last change|the last edit|the change)]",
            "(重做|恢复撤销) [(上一步|刚才)] [的] [(修改|更改|操作)]",
        ],
    },
    Rule {
        verb: Verb::Help,
        allowed: &[],
        required: &[],
        patterns: &[
            "(help|what can you do|what can i say|what do you understand|how does this work|show examples|show me examples) [me]",
            "(帮助|你能做什么|你会什么|怎么用|能做什么|可以做什么|举个例子|举例|示例)",
        ],
    },
    Rule {
        verb: Verb::LeaveRest,
        allowed: &[],
        required: &[],
        patterns: &[
            "(do not|don't|don’t|dont|without) (touch|touching|change|changing|alter|altering|edit|editing|modify|modifying) (anything else|anything other|the rest|the others|others|[any] [of] [the] other (rows|lines|cells|slides|paragraphs|pages|text|columns|sheets|parts))",
            "(leave|keep) [all] (everything else|the rest|the others|[the] other (rows|lines|cells|slides|paragraphs|pages|text|columns|sheets|parts)) (alone|unchanged|as is|as it is|as they are|untouched|the same)",
            "nothing else",
            "(不要|别|请勿|不得|勿) (改动|修改|更改|动|改|碰) (任何其他|其他|其它|其余|别的) [的] [(行|列|单元格|内容|地方|段落|页|幻灯片|文字|部分|数据)]",
            "(其他|其它|其余|别的|剩下的) [的] [(行|列|单元格|内容|地方|段落|页|幻灯片|文字|部分|数据)] [都] (保持不变|保持原样|不要动|不要改|不用动|不用改|不变|不动|不改|别动|别改)",
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
