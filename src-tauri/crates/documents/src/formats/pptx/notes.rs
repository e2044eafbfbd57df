//! Notes of a slide: set, or made with their part, and with a notes master where the deck has none (OPC graph of 13.3.4, 13.3.5).

use super::{
    app_properties::{Counted, ListChange, updated},
    deck::{SlideEntry, notes_of},
    layouts::first_master,
    markup::relationship_prefix,
    parts::{Parts, Plan},
    rewrite::{NewParagraph, new_paragraph},
    session::{Session, Spot},
    shapes::shapes,
    stories::notes_story,
};
use crate::{
    EditError,
    error::EditErrorKind,
    package::{
        PartName,
        xml::{Ns, Splices},
    },
};

const NOTES: &str = "application/vnd.openxmlformats-officedocument.presentationml.notesSlide+xml";
const NOTES_MASTER: &str = "application/vnd.openxmlformats-officedocument.presentationml.notesMaster+xml";
const THEME: &str = "application/vnd.openxmlformats-officedocument.theme+xml";

/// `pptx_set_notes`.
pub(super) fn set_notes(session: &mut Session<'_, '_>, slide: usize, text: &str) -> Result<(), EditError> {
    let deck = session.deck()?;
    let entry = session.slide(&deck, slide)?;
    let text = text.replace("\r\n", "\n");
    let spot = Spot::new(&entry.key, ".notes");
    let Some(part) = notes_of(&session.package, &entry.part)? else {
        if text.is_empty() {
            return Ok(());
        }
        create(session, &entry, &text)?;
        let counted = Counted { notes: 1, ..Counted::of(deck.slides.len(), ListChange::None) };
        let written = updated(&session.package, &counted)?;
        session.write(written.into_iter().collect())?;
        session.record(spot, None, Some(text), None);
        return Ok(());
    };
    let parts = Parts::of(&session.package);
    let Some(story) = notes_story(&parts, &entry.part)? else {
        let message = format!("The notes part {part} of the slide has no place for text.");
        return Err(EditError::new(EditErrorKind::WouldDamage, message)
            .hint("Add a notes placeholder to the notes page in PowerPoint."));
    };
    let mut plan = Plan::default();
    story.set(&parts, &NewParagraph::split(&text), &mut plan)?;
    let written = plan.finish(&parts)?;
    if !written.is_empty() {
        session.write(written)?;
        session.record(spot, Some(story.text), Some(text), None);
    }
    Ok(())
}

/// Makes the notes part of a slide that has none.
pub(super) fn create(session: &mut Session<'_, '_>, entry: &SlideEntry, text: &str) -> Result<(), EditError> {
    let master = notes_master(session)?;
    let deck = session.deck()?;
    let strict = session.package.is_strict()?;
    let mut paragraphs = String::new();
    for paragraph in NewParagraph::split(&text.replace("\r\n", "\n")) {
        paragraphs.push_str(&new_paragraph("a:", "", &paragraph)?);
    }
    let master_xml = session.package.xml(&master)?;
    let of_master = shapes(&master_xml);
    let index = |kind: &str| {
        let placeholder = of_master.iter().filter_map(|shape| shape.placeholder.as_ref());
        placeholder.clone().find(|ph| ph.kind == kind).map_or(0, |ph| ph.index)
    };
    let indexed = |kind: &str| match index(kind) {
        0 => String::new(),
        index => format!(" idx=\"{index}\""),
    };
    let markup = notes_markup(strict, &indexed("sldImg"), &indexed("body"), &paragraphs);
    let folder = deck.main.folder();
    let part = session.package.unused_name(&format!("{folder}notesSlides/notesSlide"), ".xml");
    session.package.add(&part, markup.into_bytes(), NOTES)?;
    session.package.add_relationship(&part, "notesMaster", &master)?;
    session.package.add_relationship(&part, "slide", &entry.part)?;
    session.package.add_relationship(&entry.part, "notesSlide", &part)?;
    Ok(())
}

fn notes_markup(strict: bool, image_index: &str, body_index: &str, paragraphs: &str) -> String {
    let (a, r, p) = (Ns::A.uri(strict), Ns::R.uri(strict), Ns::P.uri(strict));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n\
         <p:notes xmlns:a=\"{a}\" xmlns:r=\"{r}\" xmlns:p=\"{p}\"><p:cSld><p:spTree>{TREE_HEAD}\
         <p:sp><p:nvSpPr><p:cNvPr id=\"2\" name=\"Slide Image Placeholder 1\"/><p:cNvSpPr><a:spLocks noGrp=\"1\" noRot=\"1\" noChangeAspect=\"1\"/></p:cNvSpPr>\
         <p:nvPr><p:ph type=\"sldImg\"{image_index}/></p:nvPr></p:nvSpPr><p:spPr/></p:sp>\
         <p:sp><p:nvSpPr><p:cNvPr id=\"3\" name=\"Notes Placeholder 2\"/><p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr>\
         <p:nvPr><p:ph type=\"body\"{body_index}/></p:nvPr></p:nvSpPr><p:spPr/>\
         <p:txBody><a:bodyPr/><a:lstStyle/>{paragraphs}</p:txBody></p:sp></p:spTree></p:cSld>\
         <p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:notes>"
    )
}

/// The beginning of every shape tree.
const TREE_HEAD: &str = "<p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr>\
     <a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" cy=\"0\"/><a:chOff x=\"0\" y=\"0\"/><a:chExt cx=\"0\" cy=\"0\"/></a:xfrm></p:grpSpPr>";

/// The deck's notes master; a new one, with a theme of its own and its entry in the presentation, where there is none.
fn notes_master(session: &mut Session<'_, '_>) -> Result<PartName, EditError> {
    let deck = session.deck()?;
    let there = session.package.relationships(&deck.main)?.part_of_kind("notesMaster");
    if let Some(master) = there.filter(|part| session.package.has(part)) {
        return Ok(master);
    }
    let strict = session.package.is_strict()?;
    let folder = deck.main.folder();
    let part = session.package.unused_name(&format!("{folder}notesMasters/notesMaster"), ".xml");
    let page = page_size(session, &deck.main)?;
    session.package.add(&part, notes_master_markup(strict, page).into_bytes(), NOTES_MASTER)?;
    let theme = copy_theme(session, folder)?;
    session.package.add_relationship(&part, "theme", &theme)?;
    let id = session.package.add_relationship(&deck.main, "notesMaster", &part)?;
    let xml = session.package.xml(&deck.main)?;
    let (r, declared) = relationship_prefix(&xml, xml.root(), strict);
    let p = xml.prefix(xml.root());
    let list =
        format!("<{p}notesMasterIdLst><{p}notesMasterId {r}id=\"{id}\"{declared}/></{p}notesMasterIdLst>");
    let mut splices = Splices::default();
    match (xml.child(xml.root(), Ns::P, "sldMasterIdLst"), xml.children(xml.root()).next()) {
        (Some(masters), _) => splices.insert(xml.span(masters).end, list),
        (None, Some(first)) => splices.insert(xml.span(first).start, list),
        (None, None) => splices.insert(xml.content(xml.root()).end, list),
    }
    let bytes = xml.write(splices)?;
    session.package.replace(&deck.main, bytes)?;
    Ok(part)
}

/// The size of a notes page (`p:notesSz`), in EMU.
fn page_size(session: &Session<'_, '_>, main: &PartName) -> Result<(i64, i64), EditError> {
    let xml = session.package.xml(main)?;
    let size = xml.child(xml.root(), Ns::P, "notesSz");
    let number = |name| {
        let value = size.and_then(|size| xml.value(size, Ns::None, name));
        value.and_then(|value| value.trim().parse::<i64>().ok()).filter(|value| *value > 0)
    };
    Ok((number("cx").unwrap_or(6_858_000), number("cy").unwrap_or(9_144_000)))
}

/// A copy of the slide master's theme, for a theme belongs to one master (13.2.1).
fn copy_theme(session: &mut Session<'_, '_>, folder: &str) -> Result<PartName, EditError> {
    let deck = session.deck()?;
    let package = &mut session.package;
    let master = first_master(package, &deck)?;
    let theme = match &master {
        Some(master) => package.relationships(master)?.part_of_kind("theme"),
        None => None,
    };
    let Some(theme) = theme.filter(|part| package.has(part)) else {
        return Err(EditError::new(
            EditErrorKind::WouldDamage,
            "The deck has no theme to make a notes master with.",
        ));
    };
    let copy = package.unused_name(&format!("{folder}theme/theme"), ".xml");
    let bytes = package.require(&theme)?.to_vec();
    package.add(&copy, bytes, THEME)?;
    let links = theme.relationships_part();
    if package.has(&links) {
        let bytes = package.require(&links)?.to_vec();
        let content_type = "application/vnd.openxmlformats-package.relationships+xml";
        package.add(&copy.relationships_part(), bytes, content_type)?;
    }
    Ok(copy)
}

/// A notes master with the slide's image above and the notes below it.
fn notes_master_markup(strict: bool, (width, height): (i64, i64)) -> String {
    let (a, r, p) = (Ns::A.uri(strict), Ns::R.uri(strict), Ns::P.uri(strict));
    let margin = width / 10;
    let inner = width - 2 * margin;
    let (image_top, image_height) = (height / 8, height * 3 / 8);
    let (text_top, text_height) = (height * 17 / 32, height * 13 / 32);
    let levels: String = (1..=9)
        .map(|level| {
            let left = (level - 1) * 457_200;
            format!(
                "<a:lvl{level}pPr marL=\"{left}\" algn=\"l\" defTabSz=\"914400\" rtl=\"0\" eaLnBrk=\"1\" latinLnBrk=\"0\" hangingPunct=\"1\">\
                 <a:defRPr sz=\"1200\" kern=\"1200\"><a:solidFill><a:schemeClr val=\"tx1\"/></a:solidFill><a:latin typeface=\"+mn-lt\"/>\
                 <a:ea typeface=\"+mn-ea\"/><a:cs typeface=\"+mn-cs\"/></a:defRPr></a:lvl{level}pPr>"
            )
        })
        .collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n\
         <p:notesMaster xmlns:a=\"{a}\" xmlns:r=\"{r}\" xmlns:p=\"{p}\"><p:cSld><p:bg><p:bgRef idx=\"1001\"><a:schemeClr val=\"bg1\"/></p:bgRef></p:bg>\
         <p:spTree>{TREE_HEAD}\
         <p:sp><p:nvSpPr><p:cNvPr id=\"2\" name=\"Slide Image Placeholder 1\"/><p:cNvSpPr><a:spLocks noGrp=\"1\" noRot=\"1\" noChangeAspect=\"1\"/></p:cNvSpPr>\
         <p:nvPr><p:ph type=\"sldImg\" idx=\"2\"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x=\"{margin}\" y=\"{image_top}\"/>\
         <a:ext cx=\"{inner}\" cy=\"{image_height}\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom><a:noFill/>\
         <a:ln w=\"12700\"><a:solidFill><a:prstClr val=\"black\"/></a:solidFill></a:ln></p:spPr></p:sp>\
         <p:sp><p:nvSpPr><p:cNvPr id=\"3\" name=\"Notes Placeholder 2\"/><p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr>\
         <p:nvPr><p:ph type=\"body\" sz=\"quarter\" idx=\"3\"/></p:nvPr></p:nvSpPr><p:spPr><a:xfrm><a:off x=\"{margin}\" y=\"{text_top}\"/>\
         <a:ext cx=\"{inner}\" cy=\"{text_height}\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr>\
         <p:txBody><a:bodyPr vert=\"horz\" lIns=\"91440\" tIns=\"45720\" rIns=\"91440\" bIns=\"45720\" rtlCol=\"0\"/><a:lstStyle/><a:p/></p:txBody></p:sp>\
         </p:spTree></p:cSld><p:clrMap bg1=\"lt1\" tx1=\"dk1\" bg2=\"lt2\" tx2=\"dk2\" accent1=\"accent1\" accent2=\"accent2\" accent3=\"accent3\" \
         accent4=\"accent4\" accent5=\"accent5\" accent6=\"accent6\" hlink=\"hlink\" folHlink=\"folHlink\"/><p:notesStyle>{levels}</p:notesStyle></p:notesMaster>"
    )
}
