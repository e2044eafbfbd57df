//! Says which documents this run used.

#[test]
fn says_which_documents_are_used() {
    match stet_tests::shared() {
        Some(shared) => {
            let files = stet_tests::corpus(&["docx", "xlsx", "pptx", "md", "txt"]);
            assert!(!files.is_empty(), "the shared corpus at {} is empty", shared.display());
            println!("documents: own fixtures and {} files of the shared corpus", files.len());
        }
        None => println!("documents: own fixtures only (no shared corpus here)"),
    }
}
