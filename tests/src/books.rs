//! Workbooks made for tests: parts given as markup, everything around them filled in; and what an edited one holds.

use documents::{Applied, ApplyContext, Edit, EditError, Format, Limits, Node, OutlineRequest};

use crate::entries;

/// The namespaces of a sheet or workbook part.
pub const NAMESPACES: &str = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";
const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A workbook that is being put together.
#[derive(Default)]
pub struct Book {
    sheets: Vec<(String, String)>,
    parts: Vec<(String, Vec<u8>)>,
    types: String,
    links: String,
    before: String,
    after: String,
}

impl Book {
    /// A workbook without sheets yet.
    pub fn new() -> Book {
        Book::default()
    }

    /// A sheet by its name and what stands inside `worksheet`.
    pub fn sheet(mut self, name: &str, inside: &str) -> Book {
        self.sheets.push((name.to_owned(), inside.to_owned()));
        self
    }

    /// One more part, with its content type.
    pub fn part(mut self, name: &str, content_type: &str, content: &str) -> Book {
        if !content_type.is_empty() {
            self.types.push_str(&format!("<Override PartName=\"/{name}\" ContentType=\"{content_type}\"/>"));
        }
        self.parts.push((name.to_owned(), content.as_bytes().to_vec()));
        self
    }

    /// Relationships of a part: ids, kinds and targets.
    pub fn links(self, part: &str, links: &[(&str, &str, &str)]) -> Book {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        self.part(&format!("{folder}/_rels/{name}.rels"), "", &relationships(links, ""))
    }

    /// One more relationship of the workbook.
    pub fn link(mut self, id: &str, kind: &str, target: &str) -> Book {
        self.links.push_str(&link(id, kind, target));
        self
    }

    /// Markup of the workbook part before and behind its sheets.
    pub fn around(mut self, before: &str, after: &str) -> Book {
        (self.before, self.after) = (before.to_owned(), after.to_owned());
        self
    }

    /// The archive.
    pub fn bytes(self) -> Vec<u8> {
        let mut types = format!(
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"xml\" ContentType=\"application/xml\"/><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"vml\" ContentType=\"application/vnd.openxmlformats-officedocument.vmlDrawing\"/><Default Extension=\"png\" ContentType=\"image/png\"/><Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/>{}",
            self.types
        );
        let (mut list, mut links, mut parts) = (String::new(), self.links, Vec::new());
        for (at, (name, inside)) in self.sheets.iter().enumerate() {
            let number = at + 1;
            types.push_str(&format!("<Override PartName=\"/xl/worksheets/sheet{number}.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/>"));
            list.push_str(&format!("<sheet name=\"{name}\" sheetId=\"{number}\" r:id=\"rId{number}\"/>"));
            links.push_str(&link(
                &format!("rId{number}"),
                "worksheet",
                &format!("worksheets/sheet{number}.xml"),
            ));
            let sheet = format!("<worksheet {NAMESPACES}>{inside}</worksheet>");
            parts.push((format!("xl/worksheets/sheet{number}.xml"), sheet.into_bytes()));
        }
        let workbook =
            format!("<workbook {NAMESPACES}>{}<sheets>{list}</sheets>{}</workbook>", self.before, self.after);
        let root = relationships(&[("rId1", "officeDocument", "xl/workbook.xml")], "");
        types.push_str("</Types>");
        parts.push(("xl/workbook.xml".into(), workbook.into_bytes()));
        parts.push(("xl/_rels/workbook.xml.rels".into(), relationships(&[], &links).into_bytes()));
        parts.extend(self.parts);
        let mut all: Vec<(&str, &[u8])> =
            vec![("[Content_Types].xml", types.as_bytes()), ("_rels/.rels", root.as_bytes())];
        all.extend(parts.iter().map(|(name, content)| (name.as_str(), content.as_slice())));
        entries::archive(&all)
    }
}

fn link(id: &str, kind: &str, target: &str) -> String {
    let kind = if kind.contains("://") { kind.to_owned() } else { format!("{RELATIONSHIPS}/{kind}") };
    format!("<Relationship Id=\"{id}\" Type=\"{kind}\" Target=\"{target}\"/>")
}

fn relationships(links: &[(&str, &str, &str)], more: &str) -> String {
    let items: String = links.iter().map(|(id, kind, target)| link(id, kind, target)).collect();
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{items}{more}</Relationships>"
    )
}

/// Applies operations written as JSON.
pub fn apply(book: &[u8], ops: &serde_json::Value, override_protection: bool) -> Result<Applied, EditError> {
    let ops: Vec<Edit> = serde_json::from_value(ops.clone()).map_err(|error| {
        EditError::new(documents::error::EditErrorKind::InvalidArguments, error.to_string())
    })?;
    let context = ApplyContext {
        author: "Test",
        now: "2026-11-30T14:00:00Z",
        override_protection,
        track_changes: None,
        limits: Limits::default(),
        cancel: &|| false,
    };
    documents::apply(Format::Xlsx, book, &ops, &context)
}

/// The outline of a range, or of all of it.
pub fn outline(book: &[u8], range: Option<&str>) -> Vec<Node> {
    let request = OutlineRequest { range: range.map(str::to_owned), budget: usize::MAX };
    documents::outline(Format::Xlsx, book, &request, &Limits::default(), &|| false)
        .map(|outline| outline.nodes)
        .unwrap_or_default()
}

/// What a cell shows, and its formula.
pub fn cell(book: &[u8], at: &str) -> (String, String) {
    let node = outline(book, None).into_iter().find(|node| node.at == at && node.kind == "cell");
    let Some(node) = node else { return Default::default() };
    let formula =
        node.more.get("formula").and_then(|formula| formula.as_str()).unwrap_or_default().to_owned();
    (node.text, formula)
}

/// A part as text; empty when there is none.
pub fn part(book: &[u8], name: &str) -> String {
    let found =
        entries::entries(book).unwrap_or_default().into_iter().find(|entry| entry.name == name.as_bytes());
    found.map(|entry| String::from_utf8_lossy(&entry.content).into_owned()).unwrap_or_default()
}

/// The names of all parts.
pub fn names(book: &[u8]) -> Vec<String> {
    let entries = entries::entries(book).unwrap_or_default();
    entries.into_iter().map(|entry| String::from_utf8_lossy(&entry.name).into_owned()).collect()
}
