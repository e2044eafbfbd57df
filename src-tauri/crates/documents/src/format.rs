//! Which engine a file belongs to, by its name and its first bytes.
//!
//! The name decides; the bytes can only refuse (a `.docx` that is really an encrypted or a binary file).

use serde::{Deserialize, Serialize};

/// The four engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    Text,
    Xlsx,
    Pptx,
    Docx,
}

impl Format {
    /// The engine for a file name; anything that is not an Office name is text.
    pub fn of_name(name: &str) -> Format {
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
        match extension.as_str() {
            "xlsx" | "xlsm" | "xltx" | "xltm" => Format::Xlsx,
            "pptx" | "pptm" | "potx" | "potm" | "ppsx" | "ppsm" => Format::Pptx,
            "docx" | "docm" | "dotx" | "dotm" => Format::Docx,
            _ => Format::Text,
        }
    }

    /// Whether files of this format are OPC packages.
    pub fn is_package(self) -> bool {
        match self {
            Format::Text => false,
            Format::Xlsx | Format::Pptx | Format::Docx => true,
        }
    }

    /// The word used in outlines and counters.
    pub fn as_str(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Xlsx => "xlsx",
            Format::Pptx => "pptx",
            Format::Docx => "docx",
        }
    }
}
