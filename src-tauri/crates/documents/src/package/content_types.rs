//! Content types (ECMA-376-2, 7.2.3): what each part is, by an Override for its name or a Default for its extension.

use std::collections::HashMap;

use super::{
    Package, PartName,
    relationships::append_child,
    xml::{Ns, Splices, Xml, escape_attribute},
};
use crate::{DocumentError, EditError};

/// The table of `[Content_Types].xml`, read once.
#[derive(Debug, Clone, Default)]
pub struct ContentTypes {
    /// By canonical part name.
    overrides: HashMap<String, String>,
    /// By extension in lower case.
    defaults: HashMap<String, String>,
}

impl ContentTypes {
    fn read(xml: &Xml) -> ContentTypes {
        let mut types = ContentTypes::default();
        for element in xml.children(xml.root()) {
            let value = |name| xml.value(element, Ns::None, name).map(|value| value.into_owned());
            let Some(content_type) = value("ContentType") else { continue };
            // Of two entries for one key the first counts, as it does for a reader that looks through the list.
            if xml.is(element, Ns::ContentTypes, "Override") {
                let part = PartName::new(&value("PartName").unwrap_or_default());
                types.overrides.entry(part.canonical()).or_insert(content_type);
            } else if xml.is(element, Ns::ContentTypes, "Default") {
                let extension = value("Extension").unwrap_or_default().to_lowercase();
                types.defaults.entry(extension).or_insert(content_type);
            }
        }
        types
    }

    /// The content type of a part.
    pub fn of(&self, part: &PartName) -> Option<&str> {
        let by_name = self.overrides.get(&part.canonical());
        by_name.or_else(|| self.defaults.get(&part.extension().to_lowercase())).map(String::as_str)
    }
}

impl Package<'_> {
    /// The table of content types as it is now.
    pub fn content_types(&self) -> Result<ContentTypes, DocumentError> {
        Ok(ContentTypes::read(&self.xml(&PartName::content_types())?))
    }

    /// The content type of a part.
    pub fn content_type(&self, part: &PartName) -> Result<Option<String>, DocumentError> {
        Ok(self.content_types()?.of(part).map(str::to_owned))
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
