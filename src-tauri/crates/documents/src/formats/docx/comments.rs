//! Comments with all their parts: the comment, its anchors, and the side parts that a document uses (ECMA-376-1, 17.13.4; MS-DOCX).

use super::{
    batch::{Batch, EditKind, Spotted, Target},
    index::{StoryKind, inner_range},
    markup::{Names, normalized, paragraphs_of},
    replace::choose_in,
    rewrite::{fill_empty_tag, would_damage},
    run::{RunEdits, write_run},
    story::PartKind,
    styles::StyleKind,
    view::{AtomKind, View},
};
use crate::{
    EditError,
    package::{
        PartName,
        xml::{NodeId, Ns, Splices, Xml, escape_attribute},
    },
};

const CONTENT_TYPE: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml";

/// Adds a comment at a paragraph, or at a text in it.
pub(super) fn add_comment(
    batch: &mut Batch<'_>,
    index: Option<usize>,
    at: Option<&str>,
    find: Option<&str>,
    text: &str,
) -> Result<(), EditError> {
    let target = batch.paragraph(index, at)?;
    if target.story_kind() != StoryKind::Body {
        return Err(would_damage("Word allows comments only in the body of a document.".into())
            .hint("Comment on a paragraph of the body instead."));
    }
    batch.check_protection(EditKind::Comment)?;
    let xml = &target.loaded.xml;
    let view = View::of(xml, &target.loaded.index, target.entry().node);
    let range = match find {
        None => None,
        Some(find) => Some(choose_in(&target.entry().at, &view.text, &normalized(find))?),
    };
    let id = batch.next_annotation_id()?.to_string();
    let reference_style = character_style(batch, "annotation reference")?;
    let mut splices = Splices::default();
    plan_anchors(&target, &view, range, &Anchors::new(xml, &target, &id, &reference_style), &mut splices)?;
    let start = target.entry().start;
    batch.commit(target.part, &target.loaded, splices)?;
    add_to_parts(batch, &id, text, &reference_style)?;
    batch.report(Spotted::Kept { part: target.part, start }, None, Some(text.to_owned()), Some("comment"));
    Ok(())
}

/// `w:rStyle` of a built-in character style, when the document has it.
fn character_style(batch: &mut Batch<'_>, name: &str) -> Result<Option<String>, EditError> {
    let styles = batch.styles()?;
    styles.find(name, StyleKind::Character).map(|style| escape_attribute(&style.id)).transpose()
}

/// The three elements that anchor a comment.
struct Anchors {
    start: String,
    end: String,
    reference: String,
}

impl Anchors {
    fn new(xml: &Xml, target: &Target, id: &str, style: &Option<String>) -> Anchors {
        let names = Names::at(xml, target.entry().node);
        let mark = |name: &str| {
            format!("<{}{name}{} {}id=\"{id}\"/>", names.element, names.declaration, names.attribute)
        };
        let properties = style
            .as_ref()
            .map_or_else(String::new, |style| names.wrap("rPr", &names.valued("rStyle", style)));
        Anchors {
            start: mark("commentRangeStart"),
            end: mark("commentRangeEnd"),
            reference: names.wrap("r", &format!("{properties}{}", mark("commentReference"))),
        }
    }
}

fn plan_anchors(
    target: &Target,
    view: &View,
    range: Option<std::ops::Range<usize>>,
    anchors: &Anchors,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let xml = &target.loaded.xml;
    let paragraph = target.entry().node;
    let Some(range) = range else {
        let all = format!("{}{}", anchors.end, anchors.reference);
        if xml.is_empty_tag(paragraph) {
            fill_empty_tag(xml, paragraph, &format!("{}{all}", anchors.start), splices);
        } else {
            let inner = inner_range(xml, paragraph);
            splices.insert(inner.start, anchors.start.as_str());
            splices.insert(inner.end, all);
        }
        return Ok(());
    };
    let touched = view.touched(&range);
    let atoms = &view.atoms[touched];
    let (Some(first), Some(last)) = (atoms.first(), atoms.last()) else {
        return Err(would_damage("There is no text to comment on.".into()));
    };
    if first.kind == AtomKind::Wall || last.kind == AtomKind::Wall {
        return Err(would_damage("The text begins or ends inside an equation or the like.".into())
            .hint("Comment on the whole paragraph, without `find`."));
    }
    let mut runs: Vec<(NodeId, RunEdits)> = vec![(first.run, RunEdits::default())];
    runs[0].1.anchor(first.node, range.start - first.range.start, &anchors.start);
    if last.run != first.run {
        runs.push((last.run, RunEdits::default()));
    }
    // The mark itself does not belong into someone's insertion, a link or a control.
    let is_direct = xml.parent(last.run) == Some(paragraph);
    let end = if is_direct { format!("{}{}", anchors.end, anchors.reference) } else { anchors.end.clone() };
    if let Some((_, edits)) = runs.last_mut() {
        edits.anchor(last.node, range.end - last.range.start, &end);
    }
    for (run, edits) in &runs {
        write_run(xml, *run, edits, None, splices)?;
    }
    if !is_direct {
        let child_of_paragraph = xml.ancestors(last.run).find(|node| xml.parent(*node) == Some(paragraph));
        let at = child_of_paragraph.map_or(xml.content(paragraph).end, |node| xml.span(node).end);
        splices.insert(at, anchors.reference.as_str());
    }
    Ok(())
}

/// Writes the comment into the comments part and the parts beside it.
fn add_to_parts(
    batch: &mut Batch<'_>,
    id: &str,
    text: &str,
    reference_style: &Option<String>,
) -> Result<(), EditError> {
    let part = match batch.part_of(PartKind::Comments) {
        Some(part) => part,
        None => create_comments_part(batch)?,
    };
    let side = SideParts::of(batch)?;
    let loaded = batch.load(part)?;
    let xml = &loaded.xml;
    let root = xml.root();
    let names = Names::at(xml, root);
    let paragraph_id = side.needs_ids().then(|| unused_hex(&[xml.bytes()], 0x1000_0000));
    let author = if batch.context.author.is_empty() { "Stet" } else { batch.context.author };
    let initials: String = author.split_whitespace().filter_map(|word| word.chars().next()).collect();
    let text_style =
        batch.styles()?.find("annotation text", StyleKind::Paragraph).map(|style| style.id.clone());
    let content = comment_paragraphs(
        xml,
        &names,
        text,
        text_style.as_deref(),
        reference_style.as_deref(),
        paragraph_id.as_deref(),
    )?;
    let a = &names.attribute;
    let comment = format!(
        "<{0}comment{1} {a}id=\"{id}\" {a}author=\"{2}\" {a}date=\"{3}\" {a}initials=\"{4}\">{content}</{0}comment>",
        names.element,
        names.declaration,
        escape_attribute(author)?,
        escape_attribute(batch.context.now)?,
        escape_attribute(&initials)?
    );
    let mut splices = Splices::default();
    match xml.is_empty_tag(root) {
        true => fill_empty_tag(xml, root, &comment, &mut splices),
        false => splices.insert(xml.content(root).end, comment),
    }
    batch.commit(part, &loaded, splices)?;
    if let Some(paragraph_id) = paragraph_id {
        side.add(batch, &paragraph_id)?;
    }
    side.add_person(batch, author)
}

/// The paragraphs of a new comment; the last carries the id by which the side parts know it.
fn comment_paragraphs(
    xml: &Xml,
    names: &Names,
    text: &str,
    text_style: Option<&str>,
    reference_style: Option<&str>,
    paragraph_id: Option<&str>,
) -> Result<String, EditError> {
    let properties = match text_style {
        Some(style) => names.wrap("pPr", &names.valued("pStyle", &escape_attribute(style)?)),
        None => String::new(),
    };
    let mark_style =
        reference_style.map_or_else(String::new, |style| names.wrap("rPr", &names.valued("rStyle", style)));
    let own_mark = names.wrap("r", &format!("{mark_style}{}", names.empty("annotationRef")));
    let id_attribute = |id: &str| match xml.attribute_prefix_for(xml.root(), Ns::W14) {
        Some(prefix) => format!(" {prefix}paraId=\"{id}\""),
        None => format!(" xmlns:w14=\"{}\" w14:paraId=\"{id}\"", Ns::W14.uri(false)),
    };
    let texts = paragraphs_of(&normalized(text));
    let mut content = String::new();
    for (position, text) in texts.iter().enumerate() {
        let id = paragraph_id.filter(|_| position + 1 == texts.len()).map_or_else(String::new, id_attribute);
        let mark = if position == 0 { own_mark.as_str() } else { "" };
        let run = names.run("", text)?;
        content.push_str(&format!("<{0}p{id}>{properties}{mark}{run}</{0}p>", names.element));
    }
    Ok(content)
}

fn create_comments_part(batch: &mut Batch<'_>) -> Result<usize, EditError> {
    let main = batch.part(0).name.clone();
    let name = match batch.package.has(&PartName::new(&format!("{}comments.xml", main.folder()))) {
        false => PartName::new(&format!("{}comments.xml", main.folder())),
        true => batch.package.unused_name(&format!("{}comments", main.folder()), ".xml"),
    };
    let strict = batch.package.is_strict()?;
    let content = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<w:comments xmlns:w=\"{}\"/>",
        Ns::W.uri(strict)
    );
    batch.package.add(&name, content.into_bytes(), CONTENT_TYPE)?;
    batch.package.add_relationship(&main, "comments", &name)?;
    batch.refresh_parts()?;
    batch
        .part_of(PartKind::Comments)
        .ok_or_else(|| would_damage("The comments part could not be added.".into()))
}

/// The parts beside the comments that a document has.
struct SideParts {
    extended: Option<PartName>,
    ids: Option<PartName>,
    extensible: Option<PartName>,
    people: Option<PartName>,
}

impl SideParts {
    fn of(batch: &Batch<'_>) -> Result<SideParts, EditError> {
        let relationships = batch.package.relationships(&batch.part(0).name)?;
        let part = |kind: &str| relationships.part_of_kind(kind).filter(|part| batch.package.has(part));
        Ok(SideParts {
            extended: part("commentsExtended"),
            ids: part("commentsIds"),
            extensible: part("commentsExtensible"),
            people: part("people"),
        })
    }

    fn needs_ids(&self) -> bool {
        self.extended.is_some() || self.ids.is_some()
    }

    fn add(&self, batch: &mut Batch<'_>, paragraph_id: &str) -> Result<(), EditError> {
        if let Some(part) = &self.extended {
            append(batch, part, Ns::W15, "w15", |prefix| {
                format!("{prefix}commentEx {prefix}paraId=\"{paragraph_id}\" {prefix}done=\"0\"")
            })?;
        }
        let Some(part) = &self.ids else { return Ok(()) };
        let known: Vec<_> = [Some(part), self.extensible.as_ref()]
            .into_iter()
            .flatten()
            .filter_map(|part| batch.package.read(part).ok().flatten())
            .collect();
        let bytes: Vec<&[u8]> = known.iter().map(|bytes| bytes.as_slice()).collect();
        let durable = unused_hex(&bytes, 0x2000_0000);
        append(batch, part, Ns::W16Cid, "w16cid", |prefix| {
            format!("{prefix}commentId {prefix}paraId=\"{paragraph_id}\" {prefix}durableId=\"{durable}\"")
        })?;
        if let Some(part) = &self.extensible {
            let now = escape_attribute(batch.context.now)?;
            append(batch, part, Ns::W16Cex, "w16cex", |prefix| {
                format!("{prefix}commentExtensible {prefix}durableId=\"{durable}\" {prefix}dateUtc=\"{now}\"")
            })?;
        }
        Ok(())
    }

    fn add_person(&self, batch: &mut Batch<'_>, author: &str) -> Result<(), EditError> {
        let Some(part) = &self.people else { return Ok(()) };
        let xml = batch.package.xml(part)?;
        let is_known = xml
            .children_named(xml.root(), Ns::W15, "person")
            .any(|person| xml.value(person, Ns::W15, "author").is_some_and(|known| known == author));
        if is_known {
            return Ok(());
        }
        let escaped = escape_attribute(author)?;
        append_element(batch, part, Ns::W15, "w15", |prefix| {
            format!(
                "<{prefix}person{{}} {prefix}author=\"{escaped}\"><{prefix}presenceInfo {prefix}providerId=\"None\" {prefix}userId=\"{escaped}\"/></{prefix}person>"
            )
        })
    }
}

/// Adds an empty element to the root of a side part.
fn append(
    batch: &mut Batch<'_>,
    part: &PartName,
    namespace: Ns,
    fallback: &str,
    element: impl Fn(&str) -> String,
) -> Result<(), EditError> {
    append_element(batch, part, namespace, fallback, |prefix| {
        let text = element(prefix);
        let (name, attributes) = text.split_once(' ').unwrap_or((&text, ""));
        format!("<{name}{{}} {attributes}/>")
    })
}

/// Adds an element whose text holds `{}` where a namespace declaration may have to stand.
fn append_element(
    batch: &mut Batch<'_>,
    part: &PartName,
    namespace: Ns,
    fallback: &str,
    element: impl Fn(&str) -> String,
) -> Result<(), EditError> {
    let xml = batch.package.xml(part)?;
    let root = xml.root();
    let text = match xml.attribute_prefix_for(root, namespace) {
        Some(prefix) => element(&prefix).replacen("{}", "", 1),
        None => {
            let declaration = format!(" xmlns:{fallback}=\"{}\"", namespace.uri(false));
            element(&format!("{fallback}:")).replacen("{}", &declaration, 1)
        }
    };
    let mut splices = Splices::default();
    match xml.is_empty_tag(root) {
        true => fill_empty_tag(&xml, root, &text, &mut splices),
        false => splices.insert(xml.content(root).end, text),
    }
    let bytes = xml.write(splices)?;
    batch.package.replace(part, bytes)
}

/// Eight hexadecimal digits that occur nowhere in the parts: below 0x80000000 as paragraph ids must be (MS-DOCX, 2.6.2.3).
fn unused_hex(parts: &[&[u8]], from: u32) -> String {
    let is_used = |id: &str| parts.iter().any(|part| memchr::memmem::find(part, id.as_bytes()).is_some());
    let mut number = from;
    loop {
        number += 1;
        let id = format!("{number:08X}");
        if !is_used(&id) {
            return id;
        }
    }
}

/// Removes comments whose anchors are gone, from the comments part and the parts beside it.
pub(super) fn remove(batch: &mut Batch<'_>, ids: &[String]) -> Result<(), EditError> {
    let Some(part) = batch.part_of(PartKind::Comments).filter(|_| !ids.is_empty()) else { return Ok(()) };
    let loaded = batch.load(part)?;
    let xml = &loaded.xml;
    let mut splices = Splices::default();
    let mut paragraph_ids: Vec<String> = Vec::new();
    for comment in xml.children_named(xml.root(), Ns::W, "comment") {
        if xml.value(comment, Ns::W, "id").is_some_and(|id| ids.iter().any(|gone| *gone == id)) {
            let paragraphs = xml.descendants_named(comment, Ns::W, "p");
            paragraph_ids.extend(
                paragraphs
                    .filter_map(|paragraph| Some(xml.value(paragraph, Ns::W14, "paraId")?.into_owned())),
            );
            splices.delete(xml.span(comment));
        }
    }
    if splices.is_empty() {
        return Ok(());
    }
    batch.warn_once(
        "comment_removed",
        "The comments that belonged only to the deleted text were removed too.".into(),
    );
    batch.commit(part, &loaded, splices)?;
    remove_side_entries(batch, &paragraph_ids)
}

fn remove_side_entries(batch: &mut Batch<'_>, paragraph_ids: &[String]) -> Result<(), EditError> {
    let side = SideParts::of(batch)?;
    if let Some(part) = &side.extended {
        remove_entries(batch, part, Ns::W15, "commentEx", "paraId", paragraph_ids, "")?;
    }
    if let Some(part) = &side.ids {
        let durable =
            remove_entries(batch, part, Ns::W16Cid, "commentId", "paraId", paragraph_ids, "durableId")?;
        if let Some(part) = &side.extensible {
            remove_entries(batch, part, Ns::W16Cex, "commentExtensible", "durableId", &durable, "")?;
        }
    }
    Ok(())
}

/// Removes entries by a key and gives what another attribute of them said.
fn remove_entries(
    batch: &mut Batch<'_>,
    part: &PartName,
    namespace: Ns,
    element: &str,
    key: &str,
    keys: &[String],
    also: &str,
) -> Result<Vec<String>, EditError> {
    let xml = batch.package.xml(part)?;
    let mut splices = Splices::default();
    let mut said = Vec::new();
    for entry in xml.children_named(xml.root(), namespace, element) {
        let is_gone = xml
            .value(entry, namespace, key)
            .is_some_and(|value| keys.iter().any(|gone| gone.eq_ignore_ascii_case(&value)));
        if is_gone {
            said.extend(xml.value(entry, namespace, also).map(|value| value.into_owned()));
            splices.delete(xml.span(entry));
        }
    }
    if !splices.is_empty() {
        let bytes = xml.write(splices)?;
        batch.package.replace(part, bytes)?;
    }
    Ok(said)
}
