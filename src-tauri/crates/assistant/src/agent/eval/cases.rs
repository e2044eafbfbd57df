//! The cases: what is said about which document, and the operations whose result is expected.

use std::{collections::BTreeMap, fs, io, path::Path};

use documents::Format;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::api::{AppError, error::ErrorCode};

/// One case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    pub id: String,
    pub language: String,
    /// `short`, `long`, `structural`, `multi`, `ambiguous`, `stale`, `hostile`.
    pub kind: String,
    pub format: Format,
    pub document: String,
    pub say: String,
    /// Said in a turn before, on the first revision.
    #[serde(default)]
    pub earlier: Option<String>,
    /// What another program does to the document after that.
    #[serde(default)]
    pub meanwhile: Vec<Value>,
    /// In free words, which the built-in model need not understand.
    #[serde(default)]
    pub free: bool,
    pub expect: Vec<Value>,
}

/// The cases with their documents.
#[derive(Debug, Clone, Default)]
pub struct CaseSet {
    pub cases: Vec<Case>,
    documents: BTreeMap<String, Vec<u8>>,
}

#[derive(Deserialize)]
struct CaseFile {
    cases: Vec<Case>,
}

macro_rules! built_in {
    ($name:literal) => {
        (
            $name.to_string(),
            include_bytes!(concat!("../../../../../../tests/cases/eval/documents/", $name)).to_vec(),
        )
    };
}

impl CaseSet {
    /// The set that Stet carries.
    pub fn built_in() -> Result<CaseSet, AppError> {
        let text = include_str!("../../../../../../tests/cases/eval/cases.json");
        let documents = BTreeMap::from([
            built_in!("report.md"),
            built_in!("hostile.md"),
            built_in!("budget.xlsx"),
            built_in!("deck.pptx"),
            built_in!("letter.docx"),
            built_in!("hostile.xlsx"),
            built_in!("hostile.pptx"),
            built_in!("hostile.docx"),
        ]);
        Ok(CaseSet { cases: parse(text)?, documents })
    }

    /// The bytes of a document of the set.
    pub fn document(&self, name: &str) -> Option<Vec<u8>> {
        self.documents.get(name).cloned()
    }

    /// A set in a folder: `cases.json` and `documents/`.
    pub fn load(folder: &Path) -> Result<CaseSet, AppError> {
        let told = |path: &Path, error: &io::Error| {
            AppError::new(ErrorCode::IoError, format!("{} cannot be read: {error}.", path.display()))
        };
        let path = folder.join("cases.json");
        let cases = parse(&fs::read_to_string(&path).map_err(|error| told(&path, &error))?)?;
        let mut documents = BTreeMap::new();
        for case in &cases {
            let path = folder.join("documents").join(&case.document);
            documents.insert(case.document.clone(), fs::read(&path).map_err(|error| told(&path, &error))?);
        }
        Ok(CaseSet { cases, documents })
    }
}

fn parse(text: &str) -> Result<Vec<Case>, AppError> {
    let file: CaseFile = serde_json::from_str(text)
        .map_err(|error| AppError::invalid_arguments(format!("The cases cannot be read: {error}.")))?;
    Ok(file.cases)
}
