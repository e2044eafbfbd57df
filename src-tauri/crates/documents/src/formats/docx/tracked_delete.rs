//! Deleting whole paragraphs as tracked changes: their runs in `w:del`, their marks as deleted.

use super::{
    batch::Target,
    delete::section_of,
    index::{is_shadow_branch, visible_descendants},
    markup::Names,
    ranges::marks_in,
    removal::{Removal, refuse_half_fields},
    rewrite::{fill_empty_tag, would_damage},
    tracking::{Cuts, Tracking},
};
use crate::{
    EditError,
    package::xml::{NodeId, Ns, Splices, Xml},
};

/// Plans the tracked deletion of paragraphs.
pub(super) fn paragraphs(
    target: &Target,
    removals: &[Removal],
    tracking: &Tracking<'_>,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let xml = &target.loaded.xml;
    let gone: Vec<_> = removals.iter().map(|removal| removal.range(xml)).collect();
    refuse_half_fields(target, &gone)?;
    for removal in removals {
        let paragraph = removal.node();
        if section_of(xml, paragraph).is_some() && matches!(removal, Removal::Whole(_)) {
            return Err(would_damage(
                "The paragraph ends a section; that is not deleted as a tracked change.".into(),
            )
            .hint("Change its text to nothing instead of deleting it."));
        }
        if marks_in(xml, paragraph).iter().any(|mark| mark.key.0.starts_with("move")) {
            return Err(would_damage("The text holds an end of a tracked move.".into())
                .hint("Accept or reject the move first."));
        }
        // The mark first: it may have to stand at the very place where the first run begins.
        if matches!(removal, Removal::Whole(_)) {
            mark_paragraph(xml, paragraph, "del", tracking, splices);
        }
        runs(xml, paragraph, tracking, splices);
    }
    Ok(())
}

/// Wraps the runs of a paragraph; what the same author inserted goes at once.
pub(super) fn runs(xml: &Xml, paragraph: NodeId, tracking: &Tracking<'_>, splices: &mut Splices) {
    let is_closed = |node: NodeId| {
        is_shadow_branch(xml, node)
            || xml.namespace(node) == Ns::W
                && matches!(xml.local_name(node), "del" | "moveFrom" | "txbxContent" | "pPr")
            // Inside a run or an equation nothing is wrapped on its own.
            || xml.parent(node).is_some_and(|parent| is_wrapped_whole(xml, parent))
    };
    let runs: Vec<NodeId> =
        visible_descendants(xml, paragraph, is_closed).filter(|node| is_wrapped_whole(xml, *node)).collect();
    let follows = |a: &NodeId, b: &NodeId| xml.next_sibling(*a) == Some(*b);
    for group in runs.chunk_by(follows) {
        let kept = |run: &NodeId| holds_reference_mark(xml, *run);
        for stretch in group.split(kept).filter(|stretch| !stretch.is_empty()) {
            wrap(xml, stretch, tracking, splices);
        }
    }
}

fn is_wrapped_whole(xml: &Xml, node: NodeId) -> bool {
    xml.is(node, Ns::W, "r") || xml.is(node, Ns::M, "oMath") || xml.is(node, Ns::M, "oMathPara")
}

/// The marks of comments and of a note's own number are anchors and stay.
fn holds_reference_mark(xml: &Xml, run: NodeId) -> bool {
    xml.children(run).any(|child| {
        xml.namespace(child) == Ns::W
            && matches!(
                xml.local_name(child),
                "commentReference" | "annotationRef" | "footnoteRef" | "endnoteRef"
            )
    })
}

fn wrap(xml: &Xml, runs: &[NodeId], tracking: &Tracking<'_>, splices: &mut Splices) {
    let (Some(first), Some(last)) = (runs.first(), runs.last()) else { return };
    let is_own = xml.ancestors(*first).take_while(|node| !xml.is(*node, Ns::W, "p")).any(|node| {
        xml.is(node, Ns::W, "ins")
            && xml.value(node, Ns::W, "author").is_some_and(|author| author == tracking.author)
    });
    let whole = xml.span(*first).start..xml.span(*last).end;
    if is_own {
        splices.delete(whole);
        return;
    }
    let paragraph = xml.ancestors(*first).find(|node| xml.is(*node, Ns::W, "p")).unwrap_or(*first);
    let names = Names::at(xml, paragraph);
    splices.insert(
        whole.start,
        format!("<{}del{}>", names.element, tracking.attributes(&names, Cuts::default())),
    );
    for text in runs.iter().flat_map(|run| xml.children(*run)) {
        let new_name = match (xml.namespace(text), xml.local_name(text)) {
            (Ns::W, "t") => "delText",
            (Ns::W, "instrText") => "delInstrText",
            _ => continue,
        };
        rename(xml, text, new_name, splices);
    }
    splices.insert(whole.end, format!("</{}del>", names.element));
}

/// Gives an element another local name.
pub(super) fn rename(xml: &Xml, element: NodeId, new_name: &str, splices: &mut Splices) {
    let (span, content) = (xml.span(element), xml.content(element));
    let (prefix, length) = (xml.prefix(element).len(), xml.qualified_name(element).len());
    let start = span.start + 1;
    splices.replace(start + prefix..start + length, new_name);
    if !xml.is_empty_tag(element) {
        let start = content.end + 2;
        splices.replace(start + prefix..start + length, new_name);
    }
}

/// Marks a paragraph's end as deleted or inserted. `w:id='…'` remembers that its `w:rPr` is ours, `w:date='…'` that its `w:pPr` is.
pub(super) fn mark_paragraph(
    xml: &Xml,
    paragraph: NodeId,
    kind: &str,
    tracking: &Tracking<'_>,
    splices: &mut Splices,
) {
    let names = Names::at(xml, paragraph);
    let properties = xml.child(paragraph, Ns::W, "pPr");
    let mark = properties.and_then(|properties| xml.child(properties, Ns::W, "rPr"));
    if mark.is_some_and(|mark| xml.child(mark, Ns::W, kind).is_some()) {
        return;
    }
    let cuts = Cuts { before: mark.is_none(), after: properties.is_none() };
    let element = tracking.mark(kind, &names, cuts);
    match (properties, mark) {
        (_, Some(mark)) if xml.is_empty_tag(mark) => fill_empty_tag(xml, mark, &element, splices),
        (_, Some(mark)) => {
            // `ins` comes before `del` (ECMA-376-1, 17.3.1.29).
            let inserted = xml.child(mark, Ns::W, "ins");
            let at = inserted.map_or(xml.content(mark).start, |inserted| xml.span(inserted).end);
            splices.insert(at, element);
        }
        (Some(properties), None) if xml.is_empty_tag(properties) => {
            fill_empty_tag(xml, properties, &names.wrap("rPr", &element), splices);
        }
        (Some(properties), None) => {
            let after = xml
                .children(properties)
                .find(|child| xml.is(*child, Ns::W, "sectPr") || xml.is(*child, Ns::W, "pPrChange"));
            let at = after.map_or(xml.content(properties).end, |after| xml.span(after).start);
            splices.insert(at, names.wrap("rPr", &element));
        }
        (None, None) => {
            let new = names.wrap("pPr", &names.wrap("rPr", &element));
            match xml.is_empty_tag(paragraph) {
                true => fill_empty_tag(xml, paragraph, &new, splices),
                false => splices.insert(xml.content(paragraph).start, new),
            }
        }
    }
}
