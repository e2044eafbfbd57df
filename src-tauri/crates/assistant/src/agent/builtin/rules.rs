//! The grammar of the built-in model as a table: what can be said, in English and Chinese.
//!
//! The order is the order of trial: the first rule that fits wins. `allowed` names the floating phrases a rule understands, so that
//! no word of the user's is caught and then ignored; `required` the slots without which it is no such command.

/// What a command does; `lower` knows what that means in each format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    Undo,
    Redo,
    Help,
    Restore,
    NewFile,
    AcceptChanges,
    RejectChanges,
    Comment,
    Style,
    TableCell,
    DuplicateSlide,
    MoveSlide,
    HideSlide,
    Title,
    Notes,
    Shape,
    InsertSlide,
    AppendSlide,
    LinesContaining,
    Section,
    Width,
    Height,
    AddSheet,
    RenameSheet,
    CopySheet,
    MoveSheet,
    DeleteSheet,
    SetName,
    DeleteName,
    Merge,
    Unmerge,
    Format,
    DeleteColumns,
    InsertColumns,
    SetUnit,
    SetAddress,
    SetCell,
    ClearCell,
    DeleteUnit,
    DeleteAddress,
    InsertUnit,
    Append,
    Replace,
    DeleteText,
    Find,
}

/// One verb with the ways to say it.
pub struct Rule {
    pub verb: Verb,
    pub allowed: &'static [&'static str],
    pub required: &'static [&'static str],
    pub patterns: &'static [&'static str],
}

macro_rules! to {
    () => {
        "(to say|to read|to be|to|with|as|into|=|:) [:] "
    };
}
macro_rules! zh_to {
    () => {
        "(替换成|替换为|设置成|设置为|修改成|修改为|更新为|改成|改为|换成|换为|设成|设为|写成|变成|=|:) [:] "
    };
}
macro_rules! zh_delete {
    () => {
        "(删除掉|删除|删掉|删去|删了|去掉|移除|去除)"
    };
}
macro_rules! zh_page {
    () => {
        "(页幻灯片|张幻灯片|页ppt|张ppt|页|张)"
    };
}
macro_rules! side {
    () => {
        "(before {=before}|above {=before}|after {=after}|below {=after})"
    };
}
macro_rules! zh_side {
    () => {
        "[的] (之前 {=before}|前面 {=before}|上面 {=before}|上方 {=before}|前 {=before}|之后 {=after}|后面 {=after}|下面 {=after}|下方 {=after}|后 {=after})"
    };
}
macro_rules! zh_insert {
    () => {
        "(插入|添加|加入|加上|新增|增加|写入|加)"
    };
}
macro_rules! which {
    () => {
        "[(all|every|each) {=all} [of] [the] [(occurrence|occurrences|instances) of]] [the {nth:n} [(occurrence|instance) of]] [the] [(text|word|words|phrase|sentence|string)]"
    };
}
macro_rules! zh_which {
    () => {
        "[(文中|全文) [里] [的] {=all}] [(所有|全部|每个|每处) {=all}] [第 {nth:n} (个|处)] [的] [(文字|文本|词语|词|句子|这句话|这句)]"
    };
}

/// Phrases that may stand anywhere in a command.
pub const PHRASES: &[&str] = &[
    // which file
    "[(in|inside|within|of|from|to)] [the] [(file|document)] {file:file} [(,|:)]",
    "[在] {file:file} [(文件|文档)] [(里面|里|中|内|上)] [的] [(,|:)]",
    "[(in|of|on|from)] the (presentation {=kind_pptx}|deck {=kind_pptx}|powerpoint {=kind_pptx}|spreadsheet {=kind_xlsx}|workbook {=kind_xlsx}|word document {=kind_docx}|markdown {=kind_text}|text file {=kind_text}) [(,|:)]",
    "[(在|给)] [(这个|这份)] (pptx {=kind_pptx}|ppt {=kind_pptx}|演示文稿 {=kind_pptx}|excel {=kind_xlsx}|工作簿 {=kind_xlsx}|word文档 {=kind_docx}|word {=kind_docx}|markdown文件 {=kind_text}) [(里面|里|中|内|上)] [的] [(,|:)]",
    // which sheet
    "(on|in|of|from|to) [the] (sheet|worksheet|tab) {sheet:name} [,]",
    "(on|in|of|from|to) [the] {sheet:name} (sheet|worksheet|tab) [,]",
    "[在] 工作表 {sheet:name} [(里面|里|中|内|上)] [的] [,]",
    "[在] {sheet:name} (工作表|表) [(里面|里|中|内|上)] [的] [,]",
    // which slide
    "(on|in|of|from|to|for) [the] (slide|page) {slide:n} [,]",
    "(on|in|of|from|to|for) [the] {slide:n} (slide|page) [,]",
    "(slide|page) {slide:n} ['s] [’s]",
    "[(在|给)] 第 {slide:n} (页幻灯片|张幻灯片|页ppt|张ppt|页|张) [(里面|里|中|上)] [的] [,]",
    "[(在|给)] 最后一 {=last_slide} (页幻灯片|张幻灯片|页|张) [(里面|里|中|上)] [的] [,]",
    // which table of a document or slide
    "(in|of|from|to|on) [the] table {table:n} [,]",
    "(in|of|from|to|on) the table {=the_table} [,]",
    "[(在|给)] 表格 {table:n} [(里面|里|中|上)] [的] [,]",
    "[(在|给)] 第 {table:n} 个表格 [(里面|里|中|上)] [的] [,]",
    "[(在|给)] 表格 {=the_table} [(里面|里|中|上)] [的] [,]",
    // where to look
    "(in|within) [the] (cells|range|cell) {range:range}",
    "(in|within) {range:range}",
    "[在] {range:range} [(范围|区域)] (里面|里|中|内) [的]",
    "(in|within|from) [the] lines {lines:nums}",
    "[在] 第 {lines:nums} 行 (里面|里|中|之间) [的]",
    "(in|of) [the] formulas {=formulas}",
    "[在] 公式 {=formulas} (里面|里|中) [的]",
    "(in|from) [the] [speaker] notes {=notes_too}",
    "(including|and in) [the] [speaker] notes {=notes_too}",
    "[,] (包括|连同|含) 备注 {=notes_too}",
    "(in|of|from) [the] (headers {=headers}|header {=headers}|footers {=footers}|footer {=footers}|footnotes {=footnotes}|notes {=footnotes}|text boxes {=textboxes}|textboxes {=textboxes})",
    "[在] (页眉 {=headers}|页脚 {=footers}|脚注 {=footnotes}|尾注 {=footnotes}|文本框 {=textboxes}) [(里面|里|中|内)] [的]",
    "(everywhere|in the whole document) {=everywhere}",
    "[,] (包括页眉页脚|包括页眉和页脚|包括所有部分) {=everywhere}",
    "(ignoring|regardless of) (white space|whitespace|spaces|quotes) {=loosely}",
    "[,] (忽略空格|忽略空白|忽略引号) {=loosely}",
    // how
    "(with|using|as|in) (track changes|tracked changes) {=tracked}",
    "[(以|用|使用)] (修订模式|修订方式|修订标记) [的方式] {=tracked} [,]",
    "(overriding|ignoring|despite) [the] protection {=override}",
    "[,] (忽略保护|无视保护) {=override} [,]",
    "[(in|with|using)] [the] style {style:q}",
    "[,] [(用|使用)] 样式 [(为|是)] {style:q} [,]",
    // what a new slide holds
    "[,] [and] [with] [(a|the)] (titled|title|called|named) [:] ({title:q}|{title:w})",
    "[,] [and] [with] [the] (body|bullets|content|points) [:] ({body:q}|{body:w})",
    "[,] [and] [with] [the] [speaker] notes [:] {slide_notes:q}",
    "[,] [and] [(using|with|in)] [the] layout [:] {layout:q}",
    "[,] [and] [(using|with|in)] [the] {layout:q} layout",
    "[,] 标题 [(为|是|叫)] [:] ({title:q}|{title:w})",
    "[,] (内容|正文|要点) [(为|是)] [:] ({body:q}|{body:w})",
    "[,] 备注 [(为|是)] [:] {slide_notes:q}",
    "[,] [(用|使用|采用)] (版式|布局) [(为|是)] [:] {layout:q}",
    // what must be there
    "(titled|called|named) {expect:q}",
    "(starting with|which starts with|that starts with|beginning with) {expect:q}",
    "[,] 以 {expect:q} 开头 [的]",
    "[,] 标题 [(为|是)] {expect:q} [的]",
];

const SLIDE_PARTS: &[&str] = &["title", "body", "slide_notes", "layout", "slide"];
const WHERE_TO_LOOK: &[&str] = &[
    "sheet",
    "slide",
    "last_slide",
    "range",
    "lines",
    "formulas",
    "notes_too",
    "headers",
    "footers",
    "footnotes",
    "textboxes",
    "everywhere",
    "loosely",
    "tracked",
    "override",
];

/// All rules, in the order of trial.
pub const RULES: &[Rule] = &[
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
    Rule {
        verb: Verb::AcceptChanges,
        allowed: &[],
        required: &[],
        patterns: &[
            "accept [(all|the|every)] [the] [(tracked|track)] (changes|change) [(by|of|from) ({author:q}|{author:name})] [(in|at|of) ({at:at}|[the] paragraph {n:n})]",
            "接受 [(所有|全部)] [的] [({author:q}|{author:name}) 的] [(所有|全部)] [({at:at}|第 {n:n} 段) [(里|中)] 的] (修订|更改)",
        ],
    },
    Rule {
        verb: Verb::RejectChanges,
        allowed: &[],
        required: &[],
        patterns: &[
            "reject [(all|the|every)] [the] [(tracked|track)] (changes|change) [(by|of|from) ({author:q}|{author:name})] [(in|at|of) ({at:at}|[the] paragraph {n:n})]",
            "拒绝 [(所有|全部)] [的] [({author:q}|{author:name}) 的] [(所有|全部)] [({at:at}|第 {n:n} 段) [(里|中)] 的] (修订|更改)",
        ],
    },
    Rule {
        verb: Verb::Comment,
        allowed: &[],
        required: &[],
        patterns: &[
            "comment [on] [{find:q} (in|of)] ([the] paragraph {n:n}|[the] {n:n} paragraph|{at:at}) [(at|on) {find:q}] (:|saying|with) [:] {text:t}",
            "add [a] comment (to|on|at) [{find:q} (in|of)] ([the] paragraph {n:n}|[the] {n:n} paragraph|{at:at}) [(at|on) {find:q}] (:|saying|with) [:] {text:t}",
            "[(给|在|对)] (第 {n:n} (段落|段)|{at:at}) [的] [{find:q}] [(上|处|后)] (添加|增加|加上|加|写) [一] [(条|个)] (批注|评论) [:] {text:t}",
        ],
    },
    Rule {
        verb: Verb::Style,
        allowed: &[],
        required: &[],
        patterns: &[
            concat!(
                "(set|change) [the] style of ([the] paragraph {n:n}|[the] {n:n} paragraph|{at:at}) ",
                to!(),
                "({style:q}|{style:w})"
            ),
            concat!(
                "(set|change) ([the] paragraph {n:n}|[the] {n:n} paragraph|{at:at}) ['s] style ",
                to!(),
                "({style:q}|{style:w})"
            ),
            "(style|format) (paragraph {n:n}|the {n:n} paragraph|{at:at}) as ({style:q}|{style:w})",
            "(make|set) (paragraph {n:n}|the {n:n} paragraph|{at:at}) [(a|to)] style ({style:q}|{style:w})",
            concat!("[(把|将)] (第 {n:n} (段落|段)|{at:at}) [的] 样式 ", zh_to!(), "({style:q}|{style:w})"),
            concat!("(把|将) (第 {n:n} (段落|段)|{at:at}) ", zh_to!(), "({style:q}|{style:name}) 样式"),
        ],
    },
    Rule {
        verb: Verb::TableCell,
        allowed: &["slide", "last_slide", "table", "the_table", "sheet", "override", "tracked"],
        required: &[],
        patterns: &[
            concat!(
                "(set|change|make|update|put) [the] [cell] [in] row {row:n} [,] [and] (column|col) {col:n} ",
                to!(),
                "{text:t}"
            ),
            concat!(
                "(把|将) 第 {row:n} 行 [的] [,] 第 {col:n} (列|个单元格|格) [的] [(内容|文字|值)] ",
                zh_to!(),
                "{text:t}"
            ),
        ],
    },
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
