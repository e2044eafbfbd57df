//! Writing what the page's renderer drops in a form that it draws: moved text, content controls, simple fields, symbol fonts.
//!
//! What was found missing when the renderer was measured is the list below; everything else stays as it is.

use crate::{
    DocumentError, Limits,
    package::{
        Package, PartName,
        xml::{NodeId, NodeKind, Ns, Splices, Xml, XmlError},
    },
};

/// Symbol and Wingdings characters that documents use for bullets and boxes, as Unicode ones that every system can draw.
const SYMBOLS: &[(char, &str)] = &[
    ('\u{F0B7}', "•"),
    ('\u{F0A7}', "▪"),
    ('\u{F0D8}', "➢"),
    ('\u{F0FC}', "✓"),
    ('\u{F0FB}', "✗"),
    ('\u{F0A8}', "☐"),
    ('\u{F0FE}', "☒"),
    ('\u{F06F}', "☐"),
    ('\u{F06E}', "■"),
    ('\u{F071}', "❑"),
    ('\u{F076}', "❖"),
    ('\u{F0E0}', "→"),
    ('\u{F0DF}', "←"),
    ('\u{F0E8}', "➔"),
    ('\u{F02D}', "−"),
    ('\u{F0B0}', "°"),
    ('\u{F0B1}', "±"),
    ('\u{F0B4}', "×"),
    ('\u{F0A3}', "≤"),
    ('\u{F0B3}', "≥"),
    ('\u{F0AE}', "→"),
    ('\u{F06C}', "●"),
    ('\u{F04A}', "☺"),
    ('\u{F028}', "☎"),
    ('\u{F02A}', "✉"),
    ('\u{F061}', "α"),
    ('\u{F062}', "β"),
    ('\u{F06D}', "μ"),
    ('\u{F070}', "π"),
    ('\u{F073}', "σ"),
    ('\u{F057}', "Ω"),
    ('\u{F044}', "Δ"),
];

/// Plans everything for the document's own part.
pub(super) fn body(document: &Xml, splices: &mut Splices) {
    for node in document.descendants(document.root()).filter(|node| document.kind(*node) == NodeKind::Element)
    {
        if document.namespace(node) != Ns::W {
            continue;
        }
        match document.local_name(node) {
            "moveTo" => rename(document, node, "ins", splices),
            "moveFrom" => rename(document, node, "del", splices),
            "t" if moved_away(document, node) => rename(document, node, "delText", splices),
            "sdt" => unwrap_control(document, node, splices),
            "customXml" | "smartTag" | "fldSimple" | "dir" | "bdo" => unwrap(document, node, splices),
            "ins" if document.parent(node).is_some_and(|parent| document.is(parent, Ns::W, "hyperlink")) => {
                unwrap(document, node, splices)
            }
            "altChunk" => splices.delete(document.span(node)),
            "sym" => symbol(document, node, splices),
            _ => {}
        }
    }
}

/// Symbols of lists.
pub(super) fn numbering(package: &mut Package<'_>, main: &PartName) -> Result<(), DocumentError> {
    let part = package.relationships(main)?.part_of_kind("numbering").filter(|part| package.has(part));
    let Some(part) = part else { return Ok(()) };
    let xml = package.xml(&part)?;
    let mut splices = Splices::default();
    for level in xml.descendants_named(xml.root(), Ns::W, "lvlText") {
        let Some(text) = xml.attribute(level, Ns::W, "val") else { continue };
        let drawn: String = text.value.chars().map(drawable).collect();
        if drawn != text.value {
            splices.replace(text.value_span, drawn);
        }
    }
    let changed = splices.apply(xml.bytes()).map_err(super::ours)?;
    package.replace(&part, declared_utf8(changed)).map_err(super::ours)
}

/// A part as UTF-8 that also says so.
pub(in crate::preview) fn utf8(part: &[u8], limits: &Limits) -> Result<Vec<u8>, XmlError> {
    let plain = std::str::from_utf8(part).is_ok() && memchr::memchr(0, &part[..part.len().min(64)]).is_none();
    if plain && !declares_other(part) {
        return Ok(part.to_vec());
    }
    Ok(declared_utf8(Xml::parse(part, limits)?.bytes().to_vec()))
}

fn declares_other(part: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&part[..part.len().min(200)]).to_ascii_lowercase();
    let declaration = head.split("?>").next().filter(|text| text.contains("<?xml"));
    declaration.is_some_and(|text| text.contains("encoding") && !text.contains("utf-8"))
}

/// The same text with a declaration that fits it.
fn declared_utf8(text: Vec<u8>) -> Vec<u8> {
    let body = text.strip_prefix(b"\xEF\xBB\xBF".as_slice()).unwrap_or(&text);
    if !declares_other(body) {
        return body.to_vec();
    }
    let rest = memchr::memmem::find(body, b"?>").map_or(body, |end| &body[end + 2..]);
    [b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>".as_slice(), rest].concat()
}

fn drawable(character: char) -> String {
    // Office writes symbol fonts in the private use area, but some producers write the bare low byte.
    let found = SYMBOLS.iter().find(|(private, _)| *private == character);
    found.map_or_else(|| character.to_string(), |(_, drawn)| (*drawn).to_owned())
}

fn symbol(document: &Xml, node: NodeId, splices: &mut Splices) {
    let code = document.value(node, Ns::W, "char").and_then(|value| u32::from_str_radix(&value, 16).ok());
    // F000 is added to characters of symbol fonts, or left out (17.3.3.30).
    let private = code.and_then(|code| char::from_u32(if code < 0xF000 { code | 0xF000 } else { code }));
    let Some(private) = private else { return };
    let drawn = drawable(private);
    let prefix = document.prefix(node);
    if drawn != private.to_string() {
        splices.replace(document.span(node), format!("<{prefix}t>{drawn}</{prefix}t>"));
    }
}

fn moved_away(document: &Xml, node: NodeId) -> bool {
    document.ancestors(node).take(8).any(|ancestor| document.is(ancestor, Ns::W, "moveFrom"))
}

fn rename(document: &Xml, node: NodeId, local: &str, splices: &mut Splices) {
    let prefix = document.prefix(node).len();
    let name = document.qualified_name(node).len();
    let start = document.span(node).start + 1;
    splices.replace(start + prefix..start + name, local);
    if !document.is_empty_tag(node) {
        let close = document.content(node).end + 2;
        splices.replace(close + prefix..close + name, local);
    }
}

/// Takes an element away and leaves its content, without the properties that only it had.
fn unwrap(document: &Xml, node: NodeId, splices: &mut Splices) {
    if document.is_empty_tag(node) {
        return splices.delete(document.span(node));
    }
    splices.delete(document.start_tag(node));
    splices.delete(document.content(node).end..document.span(node).end);
    for child in document.children(node) {
        if matches!(document.local_name(child), "customXmlPr" | "smartTagPr" | "fldData") {
            splices.delete(document.span(child));
        }
    }
}

/// Leaves only what a content control holds.
fn unwrap_control(document: &Xml, control: NodeId, splices: &mut Splices) {
    let content =
        document.child(control, Ns::W, "sdtContent").filter(|content| !document.is_empty_tag(*content));
    let Some(content) = content else { return splices.delete(document.span(control)) };
    let (outer, inner) = (document.span(control), document.content(content));
    splices.delete(outer.start..inner.start);
    splices.delete(inner.end..outer.end);
}
