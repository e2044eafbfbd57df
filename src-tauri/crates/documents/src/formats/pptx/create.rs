//! A new deck from a Markdown outline: a small package of our own, then slides by the ordinary operations.
//!
//! `#` and `##` begin a slide, `---` one without a title; list items and lines are its body (two spaces or a tab for each level), lines
//! with `>` are its notes. Pictures, tables and formatting are not read.

use super::create_parts as parts;
use crate::{
    Applied, ApplyContext, Edit, EditError,
    package::{Package, PartName},
};

const MAIN: &str = "application/vnd.openxmlformats-officedocument.presentationml.";

/// The bytes of a new deck.
pub fn create(outline: &str, ctx: &ApplyContext<'_>) -> Result<Vec<u8>, EditError> {
    let empty = empty_deck(ctx)?;
    let slides = read(outline);
    let Applied { bytes, .. } = super::apply(&empty, &slides, ctx)?;
    Ok(bytes)
}

/// A deck without slides.
fn empty_deck(ctx: &ApplyContext<'_>) -> Result<Vec<u8>, EditError> {
    let source = parts::empty_package();
    let mut package = Package::open(&source, &ctx.limits)?;
    let name = PartName::new;
    let (main, master, theme) = (
        name("ppt/presentation.xml"),
        name("ppt/slideMasters/slideMaster1.xml"),
        name("ppt/theme/theme1.xml"),
    );
    package.add_relationship(&PartName::root(), "officeDocument", &main)?;
    let master_id = package.add_relationship(&main, "slideMaster", &master)?;
    package.add_relationship(&main, "theme", &theme)?;
    package.add(
        &main,
        parts::presentation(&master_id).into_bytes(),
        &format!("{MAIN}presentation.main+xml"),
    )?;
    let mut ids = Vec::new();
    for (index, (kind, title, frames)) in parts::LAYOUTS.iter().enumerate() {
        let layout = name(&format!("ppt/slideLayouts/slideLayout{}.xml", index + 1));
        ids.push(package.add_relationship(&master, "slideLayout", &layout)?);
        package.add_relationship(&layout, "slideMaster", &master)?;
        let markup = parts::layout(kind, title, frames).into_bytes();
        package.add(&layout, markup, &format!("{MAIN}slideLayout+xml"))?;
    }
    package.add_relationship(&master, "theme", &theme)?;
    package.add(&master, parts::master(&ids).into_bytes(), &format!("{MAIN}slideMaster+xml"))?;
    let content_type = "application/vnd.openxmlformats-officedocument.theme+xml";
    package.add(&theme, parts::theme().into_bytes(), content_type)?;
    Ok(package.finish()?.bytes)
}

/// One slide of the outline.
#[derive(Default)]
struct Slide {
    title: Option<String>,
    body: Vec<String>,
    notes: Vec<String>,
}

fn read(outline: &str) -> Vec<Edit> {
    let mut slides: Vec<Slide> = Vec::new();
    for line in outline.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        let text = line.trim_start();
        if let Some(title) = text.strip_prefix("# ").or_else(|| text.strip_prefix("## ")) {
            slides.push(Slide { title: Some(title.trim().into()), ..Slide::default() });
        } else if line == "---" {
            slides.push(Slide::default());
        } else {
            if slides.is_empty() {
                slides.push(Slide::default());
            }
            let Some(slide) = slides.last_mut() else { continue };
            match text.strip_prefix('>') {
                Some(note) => slide.notes.push(note.trim().into()),
                None => slide.body.push(body_line(line)),
            }
        }
    }
    let last = slides.len();
    let edits = slides.into_iter().enumerate().filter(|(index, slide)| {
        // `---` between slides with titles only separates.
        last == 1 || *index == 0 || slide.title.is_some() || !slide.body.is_empty()
    });
    edits.map(|(index, slide)| edit(index, slide)).collect()
}

/// A line of a body with a tab for each level.
fn body_line(line: &str) -> String {
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    let level = indent.matches('\t').count() + indent.matches(' ').count() / 2;
    let bullet = ["- ", "* ", "+ ", "### ", "#### "].iter().find_map(|mark| text.strip_prefix(mark));
    "\t".repeat(level.min(8)) + bullet.unwrap_or(text).trim()
}

fn edit(index: usize, slide: Slide) -> Edit {
    let layout = match (&slide.title, slide.body.is_empty()) {
        (Some(_), true) if index == 0 => "Title Slide",
        (Some(_), true) => "Title Only",
        (None, true) => "Blank",
        (_, false) => "Title and Content",
    };
    Edit::PptxAppendSlide {
        layout: Some(layout.into()),
        title: slide.title,
        body: (!slide.body.is_empty()).then_some(slide.body),
        notes: (!slide.notes.is_empty()).then(|| slide.notes.join("\n")),
    }
}
