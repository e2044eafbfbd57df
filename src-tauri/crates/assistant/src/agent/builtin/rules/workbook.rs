//! Workbooks: sizes, sheets, names, formats, columns.

use super::{Rule, Verb};

pub(super) const RULES: &[Rule] = &[
    Rule {
        verb: Verb::Width,
        allowed: &["sheet"],
        required: &[],
        patterns: &[
            concat!(
                "(set|change) [the] width of [the] (columns|column|cols|col) {cols:cols} ",
                to!(),
                "{size:num}"
            ),
            concat!(
                "(set|make|change) [the] (columns|column|cols|col) {cols:cols} [width] [",
                to!(),
                "] {size:num} [(wide|characters wide|characters)]"
            ),
            concat!("(把|将) {cols:cols} 列 [的] (宽度|列宽|宽) ", zh_to!(), "{size:num}"),
        ],
    },
    Rule {
        verb: Verb::Height,
        allowed: &["sheet"],
        required: &[],
        patterns: &[
            concat!(
                "(set|change) [the] height of [the] (rows|row) {rows:nums} ",
                to!(),
                "{size:num} [points]"
            ),
            concat!(
                "(set|make|change) [the] (rows|row) {rows:nums} [height] [",
                to!(),
                "] {size:num} [points] (high|tall)"
            ),
            concat!("(把|将) 第 {rows:nums} 行 [的] (高度|行高|高) ", zh_to!(), "{size:num} [磅]"),
        ],
    },
    Rule {
        verb: Verb::RenameSheet,
        allowed: &[],
        required: &[],
        patterns: &[
            "rename [the] (sheet|worksheet|tab) {name:name} (to|as|into) {to:name}",
            "rename [the] {name:name} (sheet|worksheet|tab) (to|as|into) {to:name}",
            "(把|将) 工作表 {name:name} (重命名为|重命名成|改名为|改名成|改名叫) {to:name}",
            "重命名 工作表 {name:name} (为|成) {to:name}",
        ],
    },
    Rule {
        verb: Verb::CopySheet,
        allowed: &[],
        required: &[],
        patterns: &[
            "(copy|duplicate) [the] (sheet|worksheet|tab) {name:name} (to|as|into|named) {to:name} [(at|to) position {position:n}]",
            "复制 工作表 {name:name} (为|成|到) {to:name} [到 第 {position:n} (个|位)]",
            "(把|将) 工作表 {name:name} 复制 (为|成|到) {to:name} [到 第 {position:n} (个|位)]",
        ],
    },
    Rule {
        verb: Verb::MoveSheet,
        allowed: &[],
        required: &[],
        patterns: &[
            "move [the] (sheet|worksheet|tab) {name:name} to [the] [(position|place)] {position:n} [(position|place)]",
            "(把|将) 工作表 {name:name} (移动到|移到|挪到) [第] {position:n} [(个位置|个|位)]",
            "移动 工作表 {name:name} 到 第 {position:n} [(个位置|个|位)]",
        ],
    },
    Rule {
        verb: Verb::DeleteSheet,
        allowed: &[],
        required: &[],
        patterns: &[
            "(delete|remove|drop) [the] (sheet|worksheet|tab) {name:name}",
            "(delete|remove|drop) [the] {name:q} (sheet|worksheet|tab)",
            concat!(zh_delete!(), " 工作表 {name:name}"),
            concat!("(把|将) 工作表 {name:name} ", zh_delete!()),
        ],
    },
    Rule {
        verb: Verb::AddSheet,
        allowed: &[],
        required: &[],
        patterns: &[
            "(add|create|insert|make) [(a|an|the)] [new] [empty] (sheet|worksheet|tab) [(named|called)] {name:name} [(at|in|to) position {position:n}]",
            "(新建|添加|增加|新增|创建) [(一个|一张)] [新] [的] 工作表 [(名为|叫)] {name:name} [(到|在) 第 {position:n} (个|位)]",
        ],
    },
    Rule {
        verb: Verb::SetName,
        allowed: &[],
        required: &[],
        patterns: &[
            "(define|create|set) [(the|a)] [defined] name {name:name} (as|to|=|for|refers to) {refers:t}",
            "(定义|设置|创建) 名称 {name:name} (为|=|指向|引用) {refers:t}",
        ],
    },
    Rule {
        verb: Verb::DeleteName,
        allowed: &[],
        required: &[],
        patterns: &[
            "(delete|remove|drop) [the] [defined] name {name:name}",
            "(删除|删掉|移除) 名称 {name:name}",
        ],
    },
    Rule {
        verb: Verb::Unmerge,
        allowed: &["sheet"],
        required: &[],
        patterns: &[
            "(unmerge|split) [the] [(cells|range)] {cells:range}",
            "(取消合并|拆分) [单元格] {cells:range}",
            "(把|将) {cells:range} (取消合并|拆分)",
        ],
    },
    Rule {
        verb: Verb::Merge,
        allowed: &["sheet"],
        required: &[],
        patterns: &[
            "merge [the] [(cells|range)] {cells:range}",
            "合并 [单元格] {cells:range}",
            "(把|将) {cells:range} 合并 [(起来|单元格)]",
        ],
    },
    Rule {
        verb: Verb::Format,
        allowed: &["sheet", "override"],
        required: &[],
        patterns: &[
            "(make|set|format|style|turn|give) [the] [(cells|cell|range)] {cells:range} [(to|as|in|with|a)] {props:props}",
            "format [the] [(cells|cell|range)] {cells:range} as {number_format:q}",
            "(bold {=bold}|italicize {=italic}|underline {=underline}) [the] [(cells|cell|range)] {cells:range}",
            "(fill|shade|highlight|colour|color) [the] [(cells|cell|range)] {cells:range} [(with|in)] {fill:color}",
            "(把|将|给) {cells:range} [(单元格|区域)] [的] [(设置为|设置成|设置|设为|设成|改为|改成|变为|变成|加上|加)] {props:props} [格式]",
        ],
    },
    Rule {
        verb: Verb::DeleteColumns,
        allowed: &["sheet", "override"],
        required: &[],
        patterns: &[
            "(delete|remove|drop) [the] (columns|column|cols|col) {cols:cols}",
            concat!(zh_delete!(), " {cols:cols} 列"),
            concat!("(把|将) {cols:cols} 列 ", zh_delete!()),
        ],
    },
    Rule {
        verb: Verb::InsertColumns,
        allowed: &["sheet", "override"],
        required: &[],
        patterns: &[
            concat!(
                "(insert|add) [(a|an|one)] [{count:n}] [(new|empty|blank)] (columns|column) ",
                side!(),
                " [the] [(column|col)] {cols:cols} [(:|with|saying) [:] {text:b}]"
            ),
            concat!(
                "[在] {cols:cols} 列 [的] (左边 {=before}|左侧 {=before}|右边 {=after}|右侧 {=after}|之前 {=before}|之后 {=after}|前面 {=before}|后面 {=after}|前 {=before}|后 {=after}) ",
                zh_insert!(),
                " [{count:n}] [空] 列 [: {text:b}]"
            ),
        ],
    },
];
