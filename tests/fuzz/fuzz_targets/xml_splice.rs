//! Any bytes as a part: what parses has sound positions, writes back as it was, and takes text at every text node.
#![no_main]

use documents::{
    Limits,
    package::xml::{NodeKind, Splices, Xml, check_well_formed, escape_attribute, escape_text},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (text, bytes) = input;
    let limits = Limits { depth: 64, ..Limits::default() };
    let Ok(xml) = Xml::parse(bytes, &limits) else { return };
    assert!(check_well_formed(bytes, &limits).is_ok(), "parsed, but not well-formed");
    assert_eq!(xml.write(Splices::default()).expect("writes"), bytes, "a no-op changed bytes");
    let Ok(escaped) = escape_text(text) else { return };
    let value = escape_attribute(text).expect("the same characters");
    let mut splices = Splices::default();
    for node in xml.descendants(xml.root()) {
        match xml.kind(node) {
            NodeKind::Text if xml.parent(node).is_some() => splices.replace(xml.span(node), escaped.clone()),
            NodeKind::Element => {
                for attribute in xml.attributes(node).filter(|attribute| attribute.whole.len() > 64) {
                    splices.replace(attribute.value_span, value.replace('\'', "&apos;"));
                }
                assert!(xml.content(node).start >= xml.start_tag(node).end || xml.is_empty_tag(node));
            }
            _ => {}
        }
    }
    let written = xml.write(splices).expect("text nodes lie apart");
    // Long attributes may have been namespaces.
    if let Ok(again) = Xml::parse(&written, &limits) {
        let first = again.descendants(again.root()).find(|node| again.kind(*node) == NodeKind::Text && again.parent(*node).is_some());
        let expected = text.replace("\r\n", "\n").replace('\r', "\n");
        if let Some(found) = first.and_then(|node| again.text_of(node)) {
            assert!(found.contains(text) || found == expected || text.is_empty(), "{found:?} is not {text:?}");
        }
    } else {
        assert!(check_well_formed(&written, &limits).is_ok(), "a splice broke the part");
    }
});
