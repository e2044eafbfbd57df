//! TypeScript shapes of types that live in `documents`, which knows nothing of TypeScript.
//!
//! They are never built; a test compares their field names with what `documents` really serialises.

use ts_rs::TS;

#[derive(TS)]
#[ts(optional_fields, rename = "Change")]
pub struct ChangeShape {
    pub op: usize,
    pub r#where: String,
    pub before: Option<String>,
    pub after: Option<String>,
    pub detail: Option<String>,
}

#[derive(TS)]
#[ts(optional_fields, rename = "Warning")]
pub struct WarningShape {
    pub code: String,
    pub r#where: Option<String>,
    pub message: String,
}

#[derive(TS)]
#[ts(rename = "PackageReport")]
pub struct PackageReportShape {
    pub parts: usize,
    pub changed: Vec<String>,
    pub added: Vec<String>,
    pub removed: Vec<String>,
}

#[derive(TS)]
#[ts(rename = "Place")]
pub struct PlaceShape {
    pub r#where: String,
    pub text: String,
}

#[derive(TS)]
#[ts(rename = "Format", rename_all = "snake_case")]
pub enum FormatShape {
    Text,
    Xlsx,
    Pptx,
    Docx,
}

/// A node's further fields differ by format (contract, section 4).
#[derive(TS)]
#[ts(rename = "OutlineNode")]
pub struct NodeShape {
    pub at: String,
    pub kind: String,
    pub text: String,
    #[ts(flatten)]
    pub more: std::collections::HashMap<String, serde_json::Value>,
}
