//! New slides: placeholders of the chosen layout, with their texts, and notes (`pptx_append_slide`, `pptx_insert_slide`).

use super::{
    deck::Deck,
    layouts::{Layout, layouts},
    notes,
    outcomes::warn_about_new,
    placeholders::placeholder_markup,
    rewrite::NewParagraph,
    session::{Session, Spot},
    shapes::{Placeholder, Shape, shapes},
    slide_ops::{NewSlide, Room, enlist},
};
use crate::{
    EditError, Place,
    error::EditErrorKind,
    package::{
        PartName,
        xml::{Ns, Xml},
    },
};

const CONTENT_TYPE: &str = "application/vnd.openxmlformats-officedocument.presentationml.slide+xml";

/// What a new slide shall hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'e> {
    pub(super) layout: Option<&'e str>,
    pub(super) title: Option<&'e str>,
    pub(super) body: Option<&'e [String]>,
    pub(super) notes: Option<&'e str>,
}

/// Adds a slide before the slide `before`, or at the end.
pub(super) fn add_slide(
    session: &mut Session<'_, '_>,
    before: Option<usize>,
    wanted: &Wanted<'_>,
) -> Result<(), EditError> {
    let deck = session.deck()?;
    let at = match before {
        Some(position) => session.place(&deck, position, Room::OrBehind, None)?,
        None => deck.slides.len(),
    };
    let layout = choose_layout(session, &deck, at, wanted)?;
    let (bytes, title) = slide_markup(session, &layout, wanted)?;
    let folder = deck.main.folder();
    let part = session.package.unused_name(&format!("{folder}slides/slide"), ".xml");
    session.package.add(&part, bytes, CONTENT_TYPE)?;
    session.package.add_relationship(&part, "slideLayout", &layout.part)?;
    let new = NewSlide {
        part: part.clone(),
        at,
        title: title.clone(),
        hidden: false,
        has_notes: wanted.notes.is_some(),
        beside: None,
    };
    let entry = enlist(session, new)?;
    session.record(Spot::new(&entry.key, ""), None, Some(title), Some("structure"));
    if let Some(body) = wanted.body {
        let spot = body_spot(session, &entry.part)?;
        session.record(Spot::new(&entry.key, spot), None, Some(body.join("\n")), None);
    }
    warn_about_new(session, &entry);
    if let Some(text) = wanted.notes {
        notes::create(session, &entry, text)?;
        session.record(Spot::new(&entry.key, ".notes"), None, Some(text.into()), None);
    }
    Ok(())
}

fn body_spot(session: &Session<'_, '_>, slide: &PartName) -> Result<String, EditError> {
    let xml = session.package.xml(slide)?;
    let all = shapes(&xml);
    Ok(body_of(&all).map(|shape| format!(".shape{}", shape.id)).unwrap_or_default())
}

/// The placeholders that a new slide takes over; date, footer and number come only when they are asked for (D2).
fn is_inherited(placeholder: &Placeholder) -> bool {
    !matches!(placeholder.kind.as_str(), "dt" | "ftr" | "sldNum" | "hdr" | "sldImg")
}

/// The placeholder that takes the body text: a body or content one, else the subtitle.
fn body_of(all: &[Shape]) -> Option<&Shape> {
    let with =
        |word: &str| all.iter().find(|shape| shape.placeholder.as_ref().is_some_and(|ph| ph.word() == word));
    with("body").or_else(|| with("subtitle"))
}

fn title_of(all: &[Shape]) -> Option<&Shape> {
    super::shapes::title(all)
}

/// Whether a layout has the placeholders for what is to be said.
fn fits(xml: &Xml, wanted: &Wanted<'_>) -> bool {
    let all = shapes(xml);
    (wanted.title.is_none() || title_of(&all).is_some()) && (wanted.body.is_none() || body_of(&all).is_some())
}

/// The named layout, or the neighbour's where that fits and is no title slide's, or the master's "title and content".
fn choose_layout(
    session: &Session<'_, '_>,
    deck: &Deck,
    at: usize,
    wanted: &Wanted<'_>,
) -> Result<Layout, EditError> {
    let package = &session.package;
    let neighbour = at.checked_sub(1).or(Some(0)).and_then(|index| deck.slides.get(index));
    let neighbour = match neighbour {
        Some(slide) => package.relationships(&slide.part)?.part_of_kind("slideLayout"),
        None => None,
    };
    let all = layouts(package, deck)?;
    let of_neighbour =
        all.iter().find(|layout| neighbour.as_ref().is_some_and(|part| part.same(&layout.part)));
    if let Some(name) = wanted.layout {
        let layout = named_layout(&all, of_neighbour, name)?;
        return match fits(&package.xml(&layout.part)?, wanted) {
            true => Ok(layout.clone()),
            false => Err(misfit(&layout.name)),
        };
    }
    let same_master = all.iter().filter(|layout| of_neighbour.is_none_or(|own| own.master == layout.master));
    let usual = same_master.clone().filter(|layout| layout.kind == "obj");
    let own = of_neighbour.filter(|layout| !matches!(layout.kind.as_str(), "title" | "secHead")).into_iter();
    for layout in own.chain(usual).chain(same_master) {
        if fits(&package.xml(&layout.part)?, wanted) {
            return Ok(layout.clone());
        }
    }
    Err(EditError::new(EditErrorKind::WouldDamage, "No layout of the deck has placeholders for this text.")
        .hint("Leave `title` or `body` out, or name a layout."))
}

fn misfit(name: &str) -> EditError {
    let message = format!("The layout {name:?} has no placeholder for the title or the body that was given.");
    EditError::new(EditErrorKind::WouldDamage, message).hint("Name another layout, or leave that text out.")
}

fn named_layout<'l>(
    all: &'l [Layout],
    of_neighbour: Option<&Layout>,
    name: &str,
) -> Result<&'l Layout, EditError> {
    let lower = name.trim().to_lowercase();
    let is_part = |layout: &&Layout| layout.part.same(&PartName::new(name));
    let ladder: [Vec<&Layout>; 3] = [
        all.iter().filter(|layout| layout.name == name).collect(),
        all.iter().filter(|layout| layout.name.trim().to_lowercase() == lower).collect(),
        all.iter().filter(is_part).collect(),
    ];
    let found = ladder.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
    let places = |layouts: &mut dyn Iterator<Item = &Layout>| -> Vec<Place> {
        layouts.map(|layout| Place { location: layout.part.to_string(), text: layout.name.clone() }).collect()
    };
    match found.as_slice() {
        [only] => Ok(only),
        [] => {
            let message = format!("The deck has no layout called {name:?}.");
            Err(EditError::new(EditErrorKind::OutOfRange, message)
                .hint("These are the layouts.")
                .matches(places(&mut all.iter())))
        }
        several => {
            // Several masters may have a layout of that name: the neighbour's master decides.
            let is_of_master =
                |layout: &&&Layout| of_neighbour.is_some_and(|own| own.master == layout.master);
            let of_master: Vec<&Layout> = several.iter().filter(is_of_master).copied().collect();
            if let [only] = of_master.as_slice() {
                return Ok(only);
            }
            let message = format!("{} layouts are called {name:?}.", several.len());
            Err(EditError::new(EditErrorKind::MultipleMatches, message)
                .hint("Name the layout by its part, which is given with each.")
                .matches(places(&mut several.iter().copied())))
        }
    }
}

/// A leading tab for each level, as in an outline.
fn body_paragraphs(body: &[String]) -> Vec<NewParagraph> {
    let lines = body.iter().flat_map(|item| item.split('\n'));
    let paragraphs = lines.map(|line| {
        let text = line.trim_end_matches('\r').trim_start_matches('\t');
        let level = line.len() - line.trim_start_matches('\t').len();
        NewParagraph { text: text.into(), level: (level > 0).then_some(level.min(8) as u8) }
    });
    paragraphs.collect()
}

/// The bytes of the slide part, and its title.
fn slide_markup(
    session: &Session<'_, '_>,
    layout: &Layout,
    wanted: &Wanted<'_>,
) -> Result<(Vec<u8>, String), EditError> {
    let strict = session.package.is_strict()?;
    let xml = session.package.xml(&layout.part)?;
    let all = shapes(&xml);
    let (title, body) = (title_of(&all), body_of(&all));
    let frame = empty_slide(strict);
    let limits = session.package.limits();
    let own = Xml::parse(frame.as_bytes(), limits).map_err(|error| {
        EditError::new(EditErrorKind::Internal, format!("The frame of a slide cannot be read: {error}."))
    })?;
    let tree = own.descendants_named(own.root(), Ns::P, "spTree").next().unwrap_or(own.root());
    let mut markup = String::new();
    let mut id = 1;
    for shape in all.iter().filter(|shape| shape.placeholder.as_ref().is_some_and(is_inherited)) {
        id += 1;
        let is_this = |other: Option<&Shape>| other.is_some_and(|other| other.element == shape.element);
        let text = match (wanted.title, wanted.body) {
            (Some(title_text), _) if is_this(title) => NewParagraph::split(&title_text.replace("\r\n", "\n")),
            (_, Some(body_text)) if is_this(body) => body_paragraphs(body_text),
            _ => NewParagraph::split(""),
        };
        markup.push_str(&placeholder_markup(&own, tree, (&xml, shape), id, &text)?);
    }
    let at = own.content(tree).end;
    let bytes = format!("{}{markup}{}", &frame[..at], &frame[at..]).into_bytes();
    let title = wanted.title.filter(|_| title.is_some()).unwrap_or_default();
    Ok((bytes, title.to_owned()))
}

/// A slide without shapes.
fn empty_slide(strict: bool) -> String {
    let (a, r, p) = (Ns::A.uri(strict), Ns::R.uri(strict), Ns::P.uri(strict));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n\
         <p:sld xmlns:a=\"{a}\" xmlns:r=\"{r}\" xmlns:p=\"{p}\"><p:cSld><p:spTree><p:nvGrpSpPr><p:cNvPr id=\"1\" name=\"\"/>\
         <p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"0\" cy=\"0\"/>\
         <a:chOff x=\"0\" y=\"0\"/><a:chExt cx=\"0\" cy=\"0\"/></a:xfrm></p:grpSpPr></p:spTree></p:cSld>\
         <p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>"
    )
}
