//! Previews open whatever the engines can describe: on the samples, and on the shared corpus when it is there.

use documents::{
    Format, Limits, OutlineRequest,
    preview::{
        docx::{CopyRequest, preview_copy},
        sheet::{Book, WindowRequest},
        slides::{drawable, slide_list},
    },
};

use stet_tests::{
    decks::{entries, part},
    words::{Made, p},
};

fn samples() -> Vec<std::path::PathBuf> {
    let folder = stet_tests::repository().join("samples");
    ["Agreement.docx", "Budget.xlsx", "Kickoff.pptx"].map(|name| folder.join(name)).to_vec()
}

/// Draws nothing, but makes everything that a page would ask for.
fn preview(format: Format, bytes: &[u8]) -> Result<usize, documents::DocumentError> {
    let limits = Limits::default();
    match format {
        Format::Text => Ok(0),
        Format::Xlsx => {
            let book = Book::open(bytes, &limits, &|| false)?;
            let window = |sheet| WindowRequest {
                sheet: Some(sheet),
                rows: [1, 200],
                columns: [1, 60],
                with_layout: true,
            };
            (0..book.sheets().len()).map(|sheet| Ok(book.window(&window(sheet))?.cells.len())).sum()
        }
        Format::Docx => {
            let copy = preview_copy(bytes, &CopyRequest { most: 300, keep: Vec::new() }, &limits, &|| false)?;
            Ok(copy.paragraphs.len())
        }
        Format::Pptx => {
            drawable(bytes, &limits)?;
            Ok(slide_list(bytes, &limits, &|| false)?.slides.len())
        }
    }
}

#[test]
fn whatever_can_be_described_can_be_shown() {
    let corpus = stet_tests::corpus(&["docx", "docm", "xlsx", "xlsm", "pptx", "pptm"]);
    println!("previews: {} samples, {} documents of the corpus", samples().len(), corpus.len());
    let mut refused = Vec::new();
    for path in samples().into_iter().chain(corpus) {
        let bytes = std::fs::read(&path).unwrap();
        let format = Format::of_name(&path.to_string_lossy());
        let request = OutlineRequest { range: None, budget: 4_096 };
        let described = documents::outline(format, &bytes, &request, &Limits::default(), &|| false);
        let shown = preview(format, &bytes);
        if let (Ok(_), Err(error)) = (&described, &shown) {
            refused.push(format!("{}: {error}", path.display()));
        }
    }
    assert!(refused.is_empty(), "described but not shown:\n{}", refused.join("\n"));
}

fn docx_copy(bytes: &[u8]) -> documents::preview::docx::PreviewCopy {
    let request = CopyRequest { most: 300, keep: Vec::new() };
    preview_copy(bytes, &request, &Limits::default(), &|| false).unwrap()
}

/// A browser would expand a DTD, so it never gets one: the part is taken out with what names it, and the rest is shown.
#[test]
fn a_word_part_with_a_dtd_is_left_out_and_said() {
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE s [<!ENTITY a \"aaaa\">]><w:styles {ns}>&a;</w:styles>";
    let document = Made::new(&p("shown all the same")).part("styles", "styles.xml", bomb).bytes();
    let copy = docx_copy(&document);
    let messages: Vec<&str> = copy.notices.iter().map(|notice| notice.message.as_str()).collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert!(
        messages[0].starts_with("word/styles.xml is left out of the preview: it declares a DTD"),
        "{messages:?}"
    );
    assert_eq!(copy.paragraphs, [Some("p1".to_owned())]);
    assert!(entries(&copy.bytes).iter().all(|entry| entry.name != "word/styles.xml"));
    assert!(!part(&copy.bytes, "word/_rels/document.xml.rels").contains("styles.xml"));
    assert!(!part(&copy.bytes, "[Content_Types].xml").contains("styles.xml"));
}

#[test]
fn a_sound_document_has_no_notices() {
    for name in ["Agreement.docx", "Budget.xlsx"] {
        let bytes = std::fs::read(stet_tests::repository().join("samples").join(name)).unwrap();
        if name.ends_with("docx") {
            assert!(docx_copy(&bytes).notices.is_empty());
        } else {
            let book = Book::open(&bytes, &Limits::default(), &|| false).unwrap();
            let request = WindowRequest { sheet: None, rows: [1, 9], columns: [1, 9], with_layout: false };
            assert!(book.window(&request).unwrap().notices.is_empty());
        }
    }
}
