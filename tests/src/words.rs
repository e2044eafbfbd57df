//! Word documents in tests: applying operations written as JSON, outlines, and documents made here.

use documents::{
    Applied, ApplyContext, Edit, EditError, Format, Limits, Outline, OutlineRequest, error::EditErrorKind,
};

/// The date that every tracked change of a test bears.
pub const NOW: &str = "2026-11-30T14:00:00Z";

/// How a batch is applied.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    pub override_protection: bool,
    pub track_changes: Option<bool>,
}

/// Applies operations as the document itself asks for (tracked when it says so).
pub fn apply(document: &[u8], ops: &serde_json::Value) -> Result<Applied, EditError> {
    apply_with(document, ops, Options::default())
}

/// Applies operations without or with tracking.
pub fn apply_tracked(document: &[u8], ops: &serde_json::Value, tracked: bool) -> Result<Applied, EditError> {
    apply_with(document, ops, Options { track_changes: Some(tracked), ..Options::default() })
}

/// Applies operations with batch options.
pub fn apply_with(document: &[u8], ops: &serde_json::Value, options: Options) -> Result<Applied, EditError> {
    let ops: Vec<Edit> = serde_json::from_value(ops.clone())
        .map_err(|error| EditError::new(EditErrorKind::InvalidArguments, error.to_string()))?;
    let context = ApplyContext {
        author: "Stet Tester",
        now: NOW,
        override_protection: options.override_protection,
        track_changes: options.track_changes,
        limits: Limits::default(),
        cancel: &|| false,
    };
    documents::apply(Format::Docx, document, &ops, &context)
}

/// The whole outline.
pub fn outline(document: &[u8]) -> Result<Outline, documents::DocumentError> {
    let request = OutlineRequest { range: None, budget: usize::MAX };
    documents::outline(Format::Docx, document, &request, &Limits::default(), &|| false)
}

/// The addresses and texts of all paragraphs.
pub fn texts(document: &[u8]) -> Vec<(String, String)> {
    let nodes = outline(document).map(|outline| outline.nodes).unwrap_or_default();
    nodes.into_iter().filter(|node| node.kind == "paragraph").map(|node| (node.at, node.text)).collect()
}

/// The text at an address.
pub fn text_at(document: &[u8], at: &str) -> Option<String> {
    texts(document).into_iter().find(|(place, _)| place == at).map(|(_, text)| text)
}

/// The namespace declarations of the documents made here.
pub const NAMESPACES: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" \
xmlns:m=\"http://schemas.openxmlformats.org/officeDocument/2006/math\" \
xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\" \
xmlns:wps=\"http://schemas.microsoft.com/office/word/2010/wordprocessingShape\" \
xmlns:v=\"urn:schemas-microsoft-com:vml\" \
xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\" mc:Ignorable=\"w14\"";

/// A document made for a test: the content of its body, and further parts of the main part by relationship kind.
#[derive(Debug, Clone, Default)]
pub struct Made {
    body: String,
    parts: Vec<(String, String, String)>,
}

impl Made {
    /// A document whose body holds this markup (prefix `w`), with section properties behind it.
    pub fn new(body: &str) -> Made {
        Made { body: body.into(), parts: Vec::new() }
    }

    /// The same with a part `word/{name}` of a relationship kind; `{ns}` in its text stands for the declarations.
    pub fn part(mut self, kind: &str, name: &str, content: &str) -> Made {
        self.parts.push((kind.into(), name.into(), content.replace("{ns}", NAMESPACES)));
        self
    }

    /// The same with styles: paragraph styles by id and name, after `Normal`.
    pub fn styles(self, styles: &[(&str, &str)]) -> Made {
        let more: String = styles
            .iter()
            .map(|(id, name)| {
                format!("<w:style w:type=\"paragraph\" w:styleId=\"{id}\"><w:name w:val=\"{name}\"/><w:next w:val=\"Normal\"/></w:style>")
            })
            .collect();
        let text = format!(
            "<w:styles {{ns}}><w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/></w:style>{more}</w:styles>"
        );
        self.part("styles", "styles.xml", &text)
    }

    /// The package.
    #[allow(clippy::unwrap_used)]
    pub fn bytes(&self) -> Vec<u8> {
        let kind_base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        let mut overrides = String::new();
        let mut relationships = String::new();
        for (number, (kind, name, _)) in self.parts.iter().enumerate() {
            let full = if kind.contains("://") { kind.clone() } else { format!("{kind_base}/{kind}") };
            relationships.push_str(&format!(
                "<Relationship Id=\"rId{}\" Type=\"{full}\" Target=\"{name}\"/>",
                number + 1
            ));
            if kind != "customXml" && !kind.contains("://") {
                overrides.push_str(&format!("<Override PartName=\"/word/{name}\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}+xml\"/>"));
            }
        }
        let package = "http://schemas.openxmlformats.org/package/2006";
        let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        let options = zip::write::SimpleFileOptions::default();
        let mut add = |name: &str, text: &str| {
            writer.start_file(name, options).unwrap();
            std::io::Write::write_all(&mut writer, text.as_bytes()).unwrap();
        };
        add(
            "[Content_Types].xml",
            &format!(
                "<Types xmlns=\"{package}/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/><Override PartName=\"/word/document.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/>{overrides}</Types>"
            ),
        );
        add(
            "_rels/.rels",
            &format!(
                "<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"rId1\" Type=\"{kind_base}/officeDocument\" Target=\"word/document.xml\"/></Relationships>"
            ),
        );
        add(
            "word/document.xml",
            &format!("<w:document {NAMESPACES}><w:body>{}<w:sectPr/></w:body></w:document>", self.body),
        );
        add(
            "word/_rels/document.xml.rels",
            &format!("<Relationships xmlns=\"{package}/relationships\">{relationships}</Relationships>"),
        );
        for (_, name, content) in &self.parts {
            add(&format!("word/{name}"), content);
        }
        writer.finish().unwrap().into_inner()
    }
}

/// A paragraph of plain text.
pub fn p(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

/// The body of the main part of a document made here, without its section properties.
pub fn body(document: &[u8]) -> String {
    let text = crate::decks::part(document, "word/document.xml");
    let start = text.find("<w:body>").map_or(0, |at| at + 8);
    let end = text.rfind("<w:sectPr/></w:body>").unwrap_or(text.len());
    text[start..end].to_owned()
}
