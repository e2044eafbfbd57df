//! Content types (ECMA-376-2, 7.2.3): what each part is, by an Override for its name or a Default for its extension.

use super::{
    Package, PartName,
    relationships::append_child,
    xml::{Ns, Splices, escape_attribute},
};
use crate::{DocumentError, EditError};

impl Package<'_> {
    /// The content type of a part.
    pub fn content_type(&self, part: &PartName) -> Result<Option<String>, DocumentError> {
        let xml = self.xml(&PartName::content_types())?;
        let named = |kind, attribute, matches: &dyn Fn(&str) -> bool| {
            xml.children_named(xml.root(), Ns::ContentTypes, kind)
                .find(|element| xml.value(*element, Ns::None, attribute).is_some_and(|value| matches(&value)))
                .and_then(|element| {
                    xml.value(element, Ns::None, "ContentType").map(|value| value.into_owned())
                })
        };
        let by_name = named("Override", "PartName", &|value| PartName::new(value).same(part));
        Ok(by_name
            .or_else(|| named("Default", "Extension", &|value| value.eq_ignore_ascii_case(part.extension()))))
    }

    /// Gives a part an Override.
    pub fn set_content_type(&mut self, part: &PartName, content_type: &str) -> Result<(), EditError> {
        self.drop_content_type(part)?;
        let name = PartName::content_types();
        let xml = self.xml(&name)?;
        let attributes = format!(
            "Override PartName=\"/{}\" ContentType=\"{}\"",
            escape_attribute(part.as_str())?,
            escape_attribute(content_type)?
        );
        let bytes = append_child(&xml, &attributes)?;
        self.replace(&name, bytes)
    }

    /// Removes a part's Override.
    pub(super) fn drop_content_type(&mut self, part: &PartName) -> Result<(), EditError> {
        let name = PartName::content_types();
        let xml = self.xml(&name)?;
        let mut splices = Splices::default();
        for element in xml.children_named(xml.root(), Ns::ContentTypes, "Override") {
            if xml.value(element, Ns::None, "PartName").is_some_and(|value| PartName::new(&value).same(part))
            {
                splices.delete(xml.span(element));
            }
        }
        if splices.is_empty() {
            return Ok(());
        }
        let bytes = xml.write(splices)?;
        self.replace(&name, bytes)
    }
}
