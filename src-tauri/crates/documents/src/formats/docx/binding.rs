//! Data binding (ECMA-376-1, 17.5.2.6): a control's text also lives in a custom XML part, and Word shows that one on opening.
//!
//! Only the paths that Word writes are followed (`/ns0:root[1]/ns0:child[2]/@name`); any other is refused.

use super::{batch::Batch, rewrite::would_damage};
use crate::{
    EditError,
    error::EditErrorKind,
    package::{
        PartName,
        xml::{NodeId, Ns, Splices, Xml, escape_attribute, escape_text},
    },
};

const CORE: &str = "{6C3C8BC8-F283-45AE-878A-BAB7291924A1}";
const EXTENDED: &str = "{6668398D-A668-4E3E-A5EB-62B293D839F1}";

/// Writes the new text to what the control is bound to. A binding that leads nowhere has no effect in Word either.
pub(super) fn follow(
    batch: &mut Batch<'_>,
    xml: &Xml,
    binding: NodeId,
    text: &str,
    at: &str,
) -> Result<(), EditError> {
    if xml.namespace(binding) != Ns::W {
        return Err(would_damage(
            "The text belongs to a control that is bound to formatted data of the document.".into(),
        ));
    }
    let value = |name| xml.value(binding, Ns::W, name).unwrap_or_default().into_owned();
    let (path, mappings, store) = (value("xpath"), value("prefixMappings"), value("storeItemID"));
    let steps = parse_path(&path, &mappings).ok_or_else(|| {
        would_damage(format!(
            "The text is bound to data of the document by a path that is not followed: {path}"
        ))
    })?;
    for part in data_parts(batch, &store)? {
        let Ok(data) = batch.package.xml(&part) else {
            return Err(would_damage(format!(
                "The text is bound to the part {part}, which cannot be edited."
            )));
        };
        let Some(found) = find(&data, &steps) else { continue };
        ask_before_properties(batch, &store)?;
        let mut splices = Splices::default();
        plan(&data, &found, text, &mut splices)?;
        let bytes = data.write(splices)?;
        batch.package.replace(&part, bytes)?;
        warn_of_others(batch, xml, &path, at);
        return Ok(());
    }
    Ok(())
}

/// A document property is more than text: it changes only when that is asked for.
fn ask_before_properties(batch: &mut Batch<'_>, store: &str) -> Result<(), EditError> {
    if !(store.eq_ignore_ascii_case(CORE) || store.eq_ignore_ascii_case(EXTENDED)) {
        return Ok(());
    }
    if !batch.context.override_protection {
        let message = "The text shows a property of the document (its title, author or the like), which would change with it.";
        return Err(EditError::new(EditErrorKind::ReadOnly, message)
            .hint("Ask the user; with `override_protection` the property and the text are changed alike."));
    }
    batch.warn_once(
        "property_changed",
        "A property of the document was changed along with the text that shows it.".into(),
    );
    Ok(())
}

/// Word refreshes the other controls of the same data when it opens the document.
fn warn_of_others(batch: &mut Batch<'_>, xml: &Xml, path: &str, at: &str) {
    let bindings = xml.descendants(xml.root()).filter(|node| xml.local_name(*node) == "dataBinding");
    let same =
        bindings.filter(|node| xml.value(*node, Ns::W, "xpath").is_some_and(|other| other == path)).count();
    if same > 1 {
        let message = "Other places show the same data; Word updates them when it opens the document.";
        batch.warn_at("bound_elsewhere", at, message);
    }
}

/// The parts that a store id names; all data parts when it names none.
fn data_parts(batch: &Batch<'_>, store: &str) -> Result<Vec<PartName>, EditError> {
    let package = &batch.package;
    let root = package.relationships(&PartName::root())?;
    let ending = |word: &str| {
        let found = root.items.iter().find(|relationship| relationship.kind.ends_with(word));
        found.and_then(|relationship| relationship.part()).filter(|part| package.has(part))
    };
    if store.eq_ignore_ascii_case(CORE) {
        return Ok(ending("core-properties").into_iter().collect());
    }
    if store.eq_ignore_ascii_case(EXTENDED) {
        return Ok(ending("extended-properties").into_iter().collect());
    }
    let mut parts = Vec::new();
    for item in package.relationships(&batch.part(0).name)?.of_kind("customXml") {
        let Some(part) = item.part().filter(|part| package.has(part)) else { continue };
        let properties = package.relationships(&part)?.part_of_kind("customXmlProps");
        let id = match properties.filter(|part| package.has(part)).map(|part| package.xml(&part)) {
            Some(Ok(xml)) => xml.value(xml.root(), Ns::Ds, "itemID").map(|id| id.into_owned()),
            Some(Err(_)) | None => None,
        };
        if store.is_empty() || id.is_some_and(|id| id.eq_ignore_ascii_case(store)) {
            parts.push(part);
        }
    }
    Ok(parts)
}

/// One step of a path: namespace name, local name and position, or an attribute at the end.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    Element { namespace: String, name: String, position: usize },
    Attribute { namespace: String, name: String },
}

enum Found {
    Element(NodeId),
    Attribute(NodeId, String, String),
}

fn parse_path(path: &str, mappings: &str) -> Option<Vec<Step>> {
    let namespace_of = |prefix: &str| -> Option<String> {
        let key = format!("xmlns:{prefix}=");
        let at = mappings.find(&key)? + key.len();
        let quote = mappings[at..].chars().next()?;
        let value = &mappings[at + quote.len_utf8()..];
        value.find(quote).map(|end| value[..end].to_owned())
    };
    let qualified = |name: &str| -> Option<(String, String)> {
        let is_name = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        };
        match name.split_once(':') {
            Some((prefix, local)) => is_name(local).then_some((namespace_of(prefix)?, local.to_owned())),
            None => is_name(name).then(|| (String::new(), name.to_owned())),
        }
    };
    let steps = path.strip_prefix('/')?.split('/').filter(|step| *step != "text()");
    let steps: Option<Vec<Step>> = steps
        .map(|step| {
            if let Some(attribute) = step.strip_prefix('@') {
                let (namespace, name) = qualified(attribute)?;
                return Some(Step::Attribute { namespace, name });
            }
            let (name, position) = match step.split_once('[') {
                Some((name, rest)) => (name, rest.strip_suffix(']')?.parse().ok()?),
                None => (step, 1),
            };
            let (namespace, name) = qualified(name)?;
            Some(Step::Element { namespace, name, position })
        })
        .collect();
    steps.filter(|steps| !steps.is_empty())
}

fn find(data: &Xml, steps: &[Step]) -> Option<Found> {
    let is_named = |element: NodeId, namespace: &str, name: &str| {
        let prefix = data.prefix(element).trim_end_matches(':');
        data.local_name(element) == name
            && data.namespace_of_prefix(element, prefix).unwrap_or("") == namespace
    };
    let mut current: Option<NodeId> = None;
    for step in steps {
        match step {
            Step::Attribute { namespace, name } => {
                return current.map(|element| Found::Attribute(element, namespace.clone(), name.clone()));
            }
            Step::Element { namespace, name, position } => {
                let next = match current {
                    None => std::iter::once(data.root())
                        .filter(|root| is_named(*root, namespace, name))
                        .nth(position.checked_sub(1)?),
                    Some(element) => data
                        .children(element)
                        .filter(|child| is_named(*child, namespace, name))
                        .nth(position.checked_sub(1)?),
                };
                current = Some(next?);
            }
        }
    }
    current.map(Found::Element)
}

fn plan(data: &Xml, found: &Found, text: &str, splices: &mut Splices) -> Result<(), EditError> {
    match found {
        Found::Element(element) => {
            if data.children(*element).next().is_some() {
                return Err(would_damage("The text is bound to data that is more than text.".into()));
            }
            let old = data.text(*element);
            let new = spelled_like(&old, text);
            if old == new {
                return Ok(());
            }
            let escaped = escape_text(new)?;
            match data.is_empty_tag(*element) {
                true => super::rewrite::fill_empty_tag(data, *element, &escaped, splices),
                false => splices.replace(data.content(*element), escaped),
            }
            Ok(())
        }
        Found::Attribute(element, namespace, name) => {
            let role = Ns::of(namespace);
            let Some(attribute) = data.attribute(*element, role, name) else { return Ok(()) };
            let escaped = escape_attribute(spelled_like(&attribute.value, text))?.replace('\'', "&apos;");
            splices.replace(attribute.value_span, escaped);
            Ok(())
        }
    }
}

/// Truth values keep the spelling that the data uses.
fn spelled_like<'t>(old: &str, new: &'t str) -> &'t str {
    match (old, new) {
        ("0" | "1", "true") => "1",
        ("0" | "1", "false") => "0",
        _ => new,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_paths_are_followed() {
        let mappings = "xmlns:ns0='http://a' xmlns:ns1=\"http://b\"";
        let steps = parse_path("/ns0:root[1]/ns1:child[2]/@id", mappings).expect("a plain path");
        assert_eq!(steps.len(), 3);
        assert_eq!(
            steps[1],
            Step::Element { namespace: "http://b".into(), name: "child".into(), position: 2 }
        );
        assert_eq!(parse_path("/ns9:root", mappings), None);
        assert_eq!(parse_path("//ns0:root", mappings), None);
        assert_eq!(parse_path("/ns0:root[@a='1']", mappings), None);
    }
}
