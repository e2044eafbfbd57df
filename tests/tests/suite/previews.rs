//! Previews open whatever the engines can describe: on the samples, and on the shared corpus when it is there.

use documents::{
    Format, Limits, OutlineRequest,
    preview::{
        docx::{CopyRequest, preview_copy},
        sheet::{Book, WindowRequest},
        slides::{drawable, slide_list},
    },
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
