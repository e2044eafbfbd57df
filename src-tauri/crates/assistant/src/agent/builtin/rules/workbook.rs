//! Workbooks: sizes, sheets, names, formats, columns.

use super::{Rule, Verb};

/// A sheet by its name or number.
macro_rules! named_sheet {
    () => {
        "([the] (sheet|worksheet|tab) {name:name}|[the] {sheet_number:n} (sheet|worksheet|tab)|[the] {name:name} (sheet|worksheet|tab)|[the] (sheet|worksheet|tab) {name:u})"
    };
}
macro_rules! zh_sheet {
    () => {
        "((工作表|表单|sheet页|sheet) {name:name}|[第] {sheet_number:n} (个工作表|张工作表|个表|张表|个sheet)|{name:q} (工作表|表单|表|sheet)|{name:name} (工作表|表) {=suffix})"
    };
}
macro_rules! columns {
    () => {
        "([the] (columns|column|cols|col) ({cols:cols}|{header:q})|[the] {cols:cols} (columns|column)|[the] {header:q} column)"
    };
}
macro_rules! zh_columns {
    () => {
        "([第] {cols:cols} 列|列 {cols:cols}|{header:q} [这一|这] 列)"
    };
}
macro_rules! cells {
    () => {
        "([the] [(cells|cell|range)] {cells:cells}|[the] (rows|row) {rows:nums}|[the] {rows:nums} (rows|row)|[the] (header|heading|title) row {=header_row}|[the] (columns|column) {cols:cols}|[the] {header:q} column)"
    };
}
macro_rules! zh_cells {
    () => {
        "([单元格] {cells:cells} [(单元格|区域)]|第 {rows:nums} 行|(表头|标题行|首行) {=header_row}|[第] {cols:cols} 列|{header:q} [这一|这] 列)"
    };
}
macro_rules! to_position {
    () => {
        "(to|at|in) [the] [very] (end {=end}|back {=end}|start {=start}|beginning {=start}|front {=start})|(to|at|in) [the] [(position|place)] {position:n} [(position|place)]|(before {=before}|after {=after}|behind {=after}|in front of {=before}) [the] [(sheet|worksheet|tab)] {beside:name} [(sheet|tab)]"
    };
}
macro_rules! zh_to_position {
    () => {
        "(最后面 {=end}|最后 {=end}|末尾 {=end}|最前面 {=start}|最前 {=start}|开头 {=start}|第 {position:n} (个位置|个|位|张)|[工作表] {beside:name} [(工作表|表)] (之前 {=before}|前面 {=before}|前 {=before}|之后 {=after}|后面 {=after}|后 {=after}))"
    };
}

pub(super) const RULES: &[Rule] = &[
    Rule {
        verb: Verb::Width,
        allowed: &["sheet"],
        required: &[],
        patterns: &[
            concat!(
                "(set|change|make|adjust) [the] width (of|for) ",
                columns!(),
                " ",
                to!(),
                "{size:num} [(characters|wide)]"
            ),
            concat!(
                "(set|make|change|adjust) ",
                columns!(),
                " ['s] [width] [",
                to!(),
                "] {size:num} [(wide|characters wide|characters)]"
            ),
            concat!(
                "[(把|将)] ",
                zh_columns!(),
                " [的] (宽度|列宽|宽) ",
                zh_to!(),
                "{size:num} [(个字符|字符)]"
            ),
            concat!("(设置|调整|修改) ", zh_columns!(), " [的] (宽度|列宽) (为|成|到) {size:num}"),
        ],
    },
    Rule {
        verb: Verb::Height,
        allowed: &["sheet"],
        required: &[],
        patterns: &[
            concat!(
                "(set|change|make|adjust) [the] height (of|for) [the] (rows|row) {rows:nums} ",
                to!(),
                "{size:num} [points]"
            ),
            concat!(
                "(set|make|change) [the] (rows|row) {rows:nums} ['s] height ",
                to!(),
                "{size:num} [points]"
            ),
            concat!(
                "(set|make|change) [the] (rows|row) {rows:nums} [height] [",
                to!(),
                "] {size:num} [points] (high|tall)"
            ),
            concat!("[(把|将)] 第 {rows:nums} 行 [的] (高度|行高|高) ", zh_to!(), "{size:num} [磅]"),
            "(设置|调整|修改) 第 {rows:nums} 行 [的] (高度|行高) (为|成|到) {size:num} [磅]",
        ],
    },
    Rule {
        verb: Verb::RenameSheet,
        allowed: &[],
        required: &[],
        patterns: &[
            "rename (the|this) (sheet|worksheet|tab) (to|as|into) {=this_sheet} ({to:name}|{to:w})",
            concat!("(rename|call|retitle) ", named_sheet!(), " (to|as|into) ({to:name}|{to:w})"),
            concat!(named_sheet!(), " (should be|must be|shall be) (called|named) ({to:name}|{to:w})"),
            concat!("(change|set|update) [the] name of ", named_sheet!(), " (to|into) ({to:name}|{to:w})"),
            "(change|set|update) [the] (sheet|worksheet|tab) name {name:name} (to|into) ({to:name}|{to:w})",
            concat!(
                "[(把|将|给)] ",
                zh_sheet!(),
                " [的] [(名称|名字|名)] (重新命名为|重命名为|重命名成|重命名|改名为|改名成|改名叫|改名|更名为|改叫|改成|改为|换成) {to:name}"
            ),
            concat!("[(把|将|给)] ", zh_sheet!(), " [的] [(名称|名字|名)] 命名为 {to:name}"),
            "重命名 工作表 {name:name} (为|成) {to:name}",
            "[(把|将)] (表名|工作表名|工作表名称) {name:name} (改成|改为|换成) {to:name}",
            "[(把|将)] [(这个|这张|该)] 工作表 (重命名为|改名为|命名为) {=this_sheet} {to:name}",
        ],
    },
    Rule {
        verb: Verb::CopySheet,
        allowed: &[],
        required: &[],
        patterns: &[
            concat!(
                "(copy|duplicate|clone) ",
                named_sheet!(),
                " (to|as|into|named|called|under the name) {to:name} [(",
                to_position!(),
                ")]"
            ),
            concat!("(copy|duplicate|clone) ", named_sheet!(), " [(", to_position!(), ")]"),
            concat!("make [a] copy of ", named_sheet!(), " [(to|as|named|called) {to:name}]"),
            concat!(
                "(复制|拷贝) ",
                zh_sheet!(),
                " [(一份|一张)] [,] [并] (命名为|为|成|到|叫) {to:name} [[,] [并] (到|放到|放在) ",
                zh_to_position!(),
                "]"
            ),
            concat!(
                "[(把|将)] ",
                zh_sheet!(),
                " (复制|拷贝) [(一份|一张)] [,] [并] (命名为|为|成|到|叫) {to:name} [[,] [并] (到|放到|放在) ",
                zh_to_position!(),
                "]"
            ),
            concat!("(复制|拷贝) [一份] ", zh_sheet!()),
            concat!("[(把|将)] ", zh_sheet!(), " (复制|拷贝) [(一份|一张)]"),
        ],
    },
    Rule {
        verb: Verb::MoveSheet,
        allowed: &[],
        required: &[],
        patterns: &[
            concat!("(move|put|shift) ", named_sheet!(), " (", to_position!(), ")"),
            concat!("make ", named_sheet!(), " [the] (first {=start}|last {=end}) [(sheet|tab)]"),
            concat!("[(把|将)] ", zh_sheet!(), " (移动到|移到|移至|挪到|放到|放在|排到) ", zh_to_position!()),
            concat!("移动 ", zh_sheet!(), " 到 ", zh_to_position!()),
        ],
    },
    Rule {
        verb: Verb::DeleteSheet,
        allowed: &[],
        required: &[],
        patterns: &[
            concat!(delete!(), "[the] (sheet|worksheet|tab) {name:name}"),
            concat!(
                delete!(),
                "([the] {sheet_number:n} (sheet|worksheet|tab)|[the] {name:name} (sheet|worksheet|tab))"
            ),
            concat!(zh_delete!(), " ", zh_sheet!()),
            concat!("[(把|将)] ", zh_sheet!(), " [整个] ", zh_delete!()),
        ],
    },
    Rule {
        verb: Verb::AddSheet,
        allowed: &[],
        required: &[],
        patterns: &[
            concat!(
                "(add|create|insert|make) [(a|an|the|another)] [new] [(empty|blank)] (sheet|worksheet|tab) [(named|called|titled|with the name)] [:] {name:name} [(",
                to_position!(),
                ")]"
            ),
            concat!(
                "(新建|添加|增加|新增|创建|插入|加) [(一个|一张)] [新] [空白] [的] 工作表 [,] [(名为|名称为|命名为|名字叫|叫做|叫)] {name:name} [,] [(到|在|放到|放在) ",
                zh_to_position!(),
                "]"
            ),
            "(新建|添加|增加|新增|创建) [(一个|一张)] (名为|叫) {name:name} 的 [新] 工作表",
        ],
    },
    Rule {
        verb: Verb::SetName,
        allowed: &[],
        required: &[],
        patterns: &[
            "(define|create|set|add) [(the|a)] [(defined|named)] (name|range) {name:name} (as|to|=|for|refers to|referring to) {refers:t}",
            "name {refers:range} [as] {name:name}",
            "(定义|设置|创建|新建) [(名称|名字)] {name:name} (为|=|指向|引用) {refers:t}",
            "[(把|将)] {refers:range} (命名为|定义为) {name:name}",
        ],
    },
    Rule {
        verb: Verb::DeleteName,
        allowed: &[],
        required: &[],
        patterns: &[
            concat!(delete!(), "[the] [defined] name {name:name}"),
            concat!(delete!(), "[the] named range {name:name}"),
            concat!(zh_delete!(), " [定义的] 名称 {name:name}"),
            concat!("(把|将) 名称 {name:name} ", zh_delete!()),
        ],
    },
    Rule {
        verb: Verb::Unmerge,
        allowed: &["sheet"],
        required: &[],
        patterns: &[
            "(unmerge|split|unjoin) [the] [(cells|cell|range)] {cells:range}",
            "(取消合并|拆分|取消) [单元格] {cells:range} [的] [合并]",
            "[(把|将)] [单元格] {cells:range} [单元格] [的] (取消合并|拆分|合并取消)",
        ],
    },
    Rule {
        verb: Verb::Merge,
        allowed: &["sheet"],
        required: &[],
        patterns: &[
            "(merge|join|combine) [the] [(cells|range)] {cells:range} [(into one|into one cell|together)]",
            "合并 [单元格] {cells:range} [单元格]",
            "[(把|将)] [单元格] {cells:range} [(单元格|区域)] 合并 [(起来|单元格|成一个单元格|为一个单元格)]",
        ],
    },
    Rule {
        verb: Verb::Format,
        allowed: &["sheet", "override"],
        required: &[],
        patterns: &[
            concat!(
                "(make|set|format|style|turn|give|put|display|show) ",
                cells!(),
                " [(to|as|in|with|a)] {props:props}"
            ),
            concat!("format ", cells!(), " as {number_format:q}"),
            concat!("(set|change) [the] number format (of|for) ", cells!(), " ", to!(), "{number_format:q}"),
            concat!(
                "(bold {=bold}|embolden {=bold}|italicize {=italic}|italicise {=italic}|underline {=underline}|wrap [the] text in {=wrap}) ",
                cells!()
            ),
            concat!("(fill|shade|highlight|colour|color) ", cells!(), " [(with|in)] {fill:color}"),
            concat!("(center {=centered}|centre {=centered}) ", cells!()),
            concat!(
                "align ",
                cells!(),
                " [to] [the] (left {=left}|right {=right}|center {=centered}|centre {=centered})"
            ),
            concat!(
                "(set|change|make) [the] (font|text) (color|colour) (of|for|in) ",
                cells!(),
                " ",
                to!(),
                "{font_color:color}"
            ),
            concat!(
                "(set|change|make) [the] (fill|background) [(color|colour)] (of|for|in) ",
                cells!(),
                " ",
                to!(),
                "{fill:color}"
            ),
            concat!("(apply|add|set|use) {props:props} (to|on|for|around) ", cells!()),
            concat!(
                "[(把|将|给|对)] ",
                zh_cells!(),
                " [的] [(设置为|设置成|设置|设为|设成|改为|改成|变为|变成|标为|标成|显示为|加上|加)] {props:props} [格式]"
            ),
            concat!("(加粗 {=bold}|下划线 {=underline}) ", zh_cells!()),
        ],
    },
    Rule {
        verb: Verb::DeleteColumns,
        allowed: &["sheet", "override", "expect"],
        required: &[],
        patterns: &[
            concat!(delete!(), columns!()),
            concat!(zh_delete!(), " ", zh_columns!()),
            concat!("[(把|将)] ", zh_columns!(), " [(全部|都|整列)] ", zh_delete!()),
        ],
    },
    Rule {
        verb: Verb::InsertColumns,
        allowed: &["sheet", "override"],
        required: &[],
        patterns: &[
            concat!(
                "(insert|add) [(a|an|one)] [{count:n}] [(new|empty|blank)] (columns|column) (",
                "before {=before}|left of {=before}|to the left of {=before}|in front of {=before}|after {=after}|right of {=after}|to the right of {=after}|behind {=after}",
                ") ([the] [(column|col)] {cols:cols}|[the] [column] {header:q} [column]) [(:|with|saying) [:] {text:b}]"
            ),
            concat!(
                "[在] ",
                zh_columns!(),
                " [的] (左边 {=before}|左侧 {=before}|左面 {=before}|右边 {=after}|右侧 {=after}|右面 {=after}|之前 {=before}|之后 {=after}|前面 {=before}|后面 {=after}|前 {=before}|后 {=after}) ",
                zh_insert!(),
                " [{count:n}] [(空白|新|空)] 列 [: {text:b}]"
            ),
        ],
    },
];
