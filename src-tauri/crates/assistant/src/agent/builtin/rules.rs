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
    /// "and leave the rest alone": what is done anyway.
    LeaveRest,
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
    /// Lines, rows, paragraphs or slides by what stands in them.
    WhereText,
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
    Prepend,
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

macro_rules! set {
    () => {
        "(set|change|make|update|edit|modify|replace|rewrite|overwrite|turn|switch|adjust|alter) "
    };
}
macro_rules! to {
    () => {
        "(to say|to read|to be|so that it says|so it says|say|read|to|with|as|into|by|=|:) [:] "
    };
}
macro_rules! should {
    () => {
        "(should be|should read|should say|must be|must read|must say|shall be|shall read) [:] "
    };
}
macro_rules! zh_to {
    () => {
        "(替换成|替换为|设置成|设置为|设定为|修改成|修改为|更改为|更改成|更新为|更新成|调整为|调整成|改写成|改写为|改成|改为|改作|换成|换为|换作|设成|设为|变成|变为|写成|写为|定为|替换|改|换|=|:) [:] "
    };
}
macro_rules! zh_word_to {
    () => {
        "(替换成|替换为|设置成|设置为|设定为|修改成|修改为|更改为|更改成|更新为|更新成|调整为|调整成|改写成|改写为|改成|改为|改作|换成|换为|换作|设成|设为|应该是|应该为|应为|应是) [:] "
    };
}
macro_rules! delete {
    () => {
        "(delete|remove|drop|erase|cut|take out|get rid of|strip out|strip|discard|eliminate|throw out|throw away) "
    };
}
macro_rules! zh_delete {
    () => {
        "(删除掉|删除|删掉|删去|删了|去掉|去除|移除|清除掉|拿掉|撤掉|剔除|删)"
    };
}
macro_rules! zh_page {
    () => {
        "(页幻灯片|张幻灯片|个幻灯片|页ppt|张ppt|页面|页|张)"
    };
}
macro_rules! side {
    () => {
        "(before {=before}|above {=before}|ahead of {=before}|in front of {=before}|after {=after}|below {=after}|under {=after}|beneath {=after}|underneath {=after}|behind {=after}|following {=after})"
    };
}
macro_rules! zh_side {
    () => {
        "[的] (之前 {=before}|前面 {=before}|上面 {=before}|上方 {=before}|前边 {=before}|前 {=before}|之后 {=after}|后面 {=after}|下面 {=after}|下方 {=after}|后边 {=after}|后 {=after})"
    };
}
macro_rules! zh_insert {
    () => {
        "(插入|添加|加入|加上|新增|增加|写入|补上|补充|插|加)"
    };
}
macro_rules! insert {
    () => {
        "(insert|add|put|write|place|type) "
    };
}
/// A line, row or paragraph by its number or address.
macro_rules! place {
    () => {
        "([the] {unit:unit} {n:n}|[the] {n:n} {unit:unit}|{at:at})"
    };
}
macro_rules! places {
    () => {
        "([the] {unit:unit} {n:nums}|[the] {n:nums} {unit:unit})"
    };
}
macro_rules! zh_places {
    () => {
        "([从] [第] {n:n} {unit:unit} (到|至) (最后面|最后|末尾|结尾) {=to_end}|[从] [第] {n:nums} {unit:unit})"
    };
}
/// A place by what stands there.
macro_rules! holds {
    () => {
        "((containing|that contains|that contain|which contains|which contain|with the words|with the word|with the text|with|that says|that say|saying|that mentions|mentioning) {contains:q}|(starting with|that starts with|that start with|which starts with|beginning with|that begins with|which begins with) {begins:q}|(titled|called|named|entitled|with the title) {titled:q})"
    };
}
macro_rules! zh_holds {
    () => {
        "((包含|含有|带有|写着|写有|提到|含|有) {contains:q}|以 {begins:q} (开头|开始)|标题 (为|是|叫做|叫) {titled:q}) 的"
    };
}
macro_rules! which {
    () => {
        "[(all|every|each) {=all} [of] [the] [(occurrence|occurrences|instances|instance|mention|mentions) of]] [[only] the {nth:n} [(occurrence|instance|mention) [of]]] [the] [(text|words|word|phrase|sentence|string|term|heading|title|subtitle|caption|label|name|date|number|value|entry|item|link)]"
    };
}
macro_rules! zh_which {
    () => {
        "[(文中|全文|文档中|文章中) [里] [的] {=all}] [(所有|全部|每个|每处|每一处) {=all}] [第 {nth:n} (个|处|次出现的)] [的] [(文字|文本|词语|字样|词|字|句子|这句话|这句|标题|小标题|日期|数字|数值|名字|姓名|名称)]"
    };
}
macro_rules! zh_all {
    () => {
        "[(全部都|全部|全都|统统|统一|一律|都) {=all}] "
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
    "(slide|page) {slide:n} ['s] [’s] [:]",
    "[(在|给)] 第 {slide:n} (页幻灯片|张幻灯片|页ppt|张ppt|页|张) [(里面|里|中|上)] [的] [(,|:)]",
    "[(在|给)] 最后一 {=last_slide} (页幻灯片|张幻灯片|页|张) [(里面|里|中|上)] [的] [,]",
    // which table of a document or slide
    "(in|of|from|to|on) [the] table {table_name:q} [,]",
    "(in|of|from|to|on) [the] table {table:n} [,]",
    "(in|of|from|to|on) [the] {table:n} table [,]",
    "(in|of|from|to|on) the table {=the_table} [,]",
    "[(在|给)] 表格 {table_name:q} [(里面|里|中|上)] [的] [,]",
    "[(在|给)] 表格 {table:n} [(里面|里|中|上)] [的] [,]",
    "[(在|给)] 第 {table:n} 个表格 [(里面|里|中|上)] [的] [,]",
    "[(在|给)] [数据] 表格 {=the_table} [(里面|里|中|上)] [的] [,]",
    // where to look
    "(in|within) [the] (cells|range|cell) {range:range}",
    "(in|within) {range:range}",
    "[在] {range:range} [(范围|区域)] (里面|里|中|内) [的]",
    "(in|within|from|on) [the] (lines|line) {lines:nums} [,]",
    "(in|within|from|on) [the] {lines:n} line [,]",
    "[在] 第 {lines:nums} 行 (里面|里|中|之间) [的] [,]",
    "[在] 第 {lines:nums} 行 的",
    "(in|of) [the] formulas {=formulas}",
    "[在] 公式 {=formulas} (里面|里|中) [的]",
    "(in|from) [the] [speaker] notes {=notes_too}",
    "[,] (including|and in) [the] [speaker] notes {=notes_too}",
    "[,] (包括|连同|含) 备注 {=notes_too}",
    "(in|of|from) [the] (headers {=headers}|header {=headers}|footers {=footers}|footer {=footers}|footnotes {=footnotes}|notes {=footnotes}|text boxes {=textboxes}|textboxes {=textboxes})",
    "[在] (页眉 {=headers}|页脚 {=footers}|脚注 {=footnotes}|尾注 {=footnotes}|文本框 {=textboxes}) [(里面|里|中|内)] [的]",
    "(everywhere|in the whole document) {=everywhere}",
    "[,] (包括页眉页脚|包括页眉和页脚|包括所有部分) {=everywhere}",
    "(ignoring|regardless of) (white space|whitespace|spaces|quotes) {=loosely}",
    "[,] (忽略空格|忽略空白|忽略引号|不管空格) {=loosely}",
    "[,] [and] (extend|grow|extending|growing) [the] table {=extend_table}",
    "[,] [并] (扩展表格|扩展表|扩大表格) {=extend_table}",
    // how
    "(with|using|as|in) (track changes|tracked changes|a tracked change) {=tracked}",
    "[,] [and] (track it|track the change|track this change|tracking the change) {=tracked}",
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
    "(whose first cell is|which has|holding) ({expect:q}|{expect:w})",
    "[,] (首格为|第一格是|第一格为) ({expect:q}|{expect:w})",
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

mod lines;
mod places;
mod session;
mod slides;
mod word;
mod workbook;

/// All rules, in the order of trial.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    [session::RULES, word::RULES, slides::RULES, workbook::RULES, lines::RULES, places::RULES]
        .into_iter()
        .flatten()
}
