//! Canonical form of XML for tests: the same for documents that any reader takes for the same.
//!
//! Attributes are sorted, quotes and empty-element tags are one form, references are resolved, comments and the declaration are left
//! out; prefixes and white space are kept. It shares nothing with the engine's own scanner.

use quick_xml::{Reader, events::Event};

/// The canonical text, or the bytes as text when they are no XML.
pub fn canonical(bytes: &[u8]) -> String {
    written(bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned())
}

fn written(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut reader = Reader::from_str(text.trim_start_matches('\u{FEFF}'));
    let mut out = String::new();
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => open(&tag, &mut out)?,
            Event::Empty(tag) => {
                open(&tag, &mut out)?;
                out.push_str(&format!("</{}>", tag.name().as_ref()));
            }
            Event::End(tag) => out.push_str(&format!("</{}>", tag.name().as_ref())),
            Event::Text(text) => out.push_str(&text),
            Event::CData(text) => out.push_str(&text.escape().ok()?),
            Event::GeneralRef(reference) => out.push_str(&format!("&{};", &*reference)),
            Event::Comment(_) | Event::Decl(_) => {}
            Event::PI(_) | Event::DocType(_) => return None,
            Event::Eof => return Some(out),
        }
    }
}

fn open(tag: &quick_xml::events::BytesStart<'_>, out: &mut String) -> Option<()> {
    let mut attributes: Vec<(String, String)> = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.ok()?;
        let key = attribute.key.as_ref().to_owned();
        attributes.push((key, attribute.value.into_owned()));
    }
    attributes.sort();
    out.push_str(&format!("<{}", tag.name().as_ref()));
    for (key, value) in attributes {
        out.push_str(&format!(" {key}=\"{value}\""));
    }
    out.push('>');
    Some(())
}
