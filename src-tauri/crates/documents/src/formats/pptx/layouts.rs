//! Layouts by name, and which placeholders they offer. Reading only.

use crate::package::xml::{Ns, Xml};

/// The name of a layout or master as PowerPoint shows it (`p:cSld@name`).
pub(super) fn layout_name(xml: &Xml) -> String {
    let data = xml.child(xml.root(), Ns::P, "cSld");
    data.and_then(|data| xml.value(data, Ns::None, "name")).map(|name| name.into_owned()).unwrap_or_default()
}
