//! Slide jumps that a reader takes by the number in the part's name: kept from pointing behind the last slide.
//!
//! Part names carry no order and no count (19.3.1.38 leaves them free), but LibreOffice 7.4 reads the target `slide45.xml` of a jump as
//! "page 45" and dies when the deck has 44 slides; a deck from another program does the same (NOTES.md, "Jumps"). A target in another
//! spelling (`../slides/slide45.xml`, the same part by RFC 3986) it takes for a plain link. Only jumps that the batch itself brings into
//! that state are spelled so; the slides' own bytes and the part names stay.

use super::session::Session;
use crate::{
    EditError,
    package::{
        PartName,
        xml::{Ns, Splices},
    },
};

/// Respells the jumps whose number the batch left behind the end of the deck.
pub(super) fn keep_in_reach(session: &mut Session<'_, '_>) -> Result<(), EditError> {
    let deck = session.deck()?;
    let count = deck.slides.len();
    let is_new = |part: &PartName| {
        deck.slides.iter().any(|slide| slide.part.same(part) && !session.was_listed(slide.key.id))
    };
    let grew = deck.slides.iter().any(|slide| !session.was_listed(slide.key.id));
    if count >= session.base_count() && !grew {
        return Ok(());
    }
    let mut written = Vec::new();
    for slide in &deck.slides {
        let name = slide.part.relationships_part();
        if !session.package.has(&name) {
            continue;
        }
        let xml = session.package.xml(&name)?;
        let mut splices = Splices::default();
        for element in xml.children_named(xml.root(), Ns::PackageRelationships, "Relationship") {
            let is_slide = xml
                .value(element, Ns::None, "Type")
                .is_some_and(|kind| kind.ends_with("/relationships/slide"));
            let Some(target) = xml.attribute(element, Ns::None, "Target").filter(|_| is_slide) else {
                continue;
            };
            let Some(number) = number_in(&target.value).filter(|number| *number > count) else { continue };
            let is_ours = number <= session.base_count()
                || slide.part.resolve(&target.value).is_some_and(|part| is_new(&part));
            if let Some(folder) =
                slide.part.folder().trim_end_matches('/').rsplit('/').next().filter(|_| is_ours)
            {
                splices.insert(target.value_span.start, format!("../{folder}/"));
            }
        }
        if !splices.is_empty() {
            written.push((name, xml.write(splices)?));
        }
    }
    session.write(written)
}

/// The number in a target that is a bare file name: `slide45.xml`.
fn number_in(target: &str) -> Option<usize> {
    target.strip_prefix("slide")?.strip_suffix(".xml")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bare_names_carry_a_number() {
        assert_eq!(number_in("slide45.xml"), Some(45));
        for other in ["../slides/slide45.xml", "/ppt/slides/slide45.xml", "slide.xml", "slides.xml"] {
            assert_eq!(number_in(other), None, "{other}");
        }
    }
}
