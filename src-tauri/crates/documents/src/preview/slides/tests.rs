//! Slides as places and text, on the sample deck.

use super::*;

const KICKOFF: &[u8] = include_bytes!("../../../../../../samples/Kickoff.pptx");

fn deck(bytes: &[u8]) -> SlideList {
    slide_list(bytes, &Limits::default(), &|| false).unwrap()
}

#[test]
fn tells_titles_texts_and_places() {
    let deck = deck(KICKOFF);
    assert_eq!((deck.width, deck.height), (12_192_000, 6_858_000));
    let titles: Vec<&str> = deck.slides.iter().map(|slide| slide.title.as_str()).collect();
    assert_eq!(titles, ["Spring campaign", "What we want", "Who does what", "Open questions"]);
    let body = &deck.slides[1].shapes[1];
    assert_eq!(body.paragraphs.len(), 3);
    // The slide gives no place; the layout gives none; the master does.
    assert_eq!(body.place, Some([838_200, 1_825_625, 10_515_600, 4_351_338]));
    let table = &deck.slides[2].shapes[1];
    assert_eq!((table.kind.as_str(), table.paragraphs.len()), ("table", 12));
}

#[test]
fn right_to_left_text_is_marked_for_drawing_and_nothing_else_is_touched() {
    assert_eq!(drawable(KICKOFF, &Limits::default()).unwrap(), KICKOFF);
    let mut package = Package::open(KICKOFF, &Limits::default()).unwrap();
    let part = PartName::new("ppt/slides/slide2.xml");
    let text = String::from_utf8(package.require(&part).unwrap().to_vec()).unwrap();
    package.replace(&part, text.replace("What we want", "ما نريد").into_bytes()).unwrap();
    let copy = drawable(&package.finish().unwrap().bytes, &Limits::default()).unwrap();
    let package = Package::open(&copy, &Limits::default()).unwrap();
    let text = String::from_utf8(package.require(&part).unwrap().to_vec()).unwrap();
    assert_eq!(text.matches("rtl=\"1\"").count(), 1, "{text}");
}
