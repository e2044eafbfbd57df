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

    /// The engine of an operation, by its name's prefix; those of text have none.
    pub fn of_operation(name: &str) -> Format {
        match name.split_once('_') {
            Some(("xlsx", _)) => Format::Xlsx,
            Some(("pptx", _)) => Format::Pptx,
            Some(("docx", _)) => Format::Docx,
            _ => Format::Text,
        }
    }

    /// Whether a name says that the file holds something that is neither text nor one of the three packages. Such a file is not made:
    /// text under the name of a picture or of a PDF opens nowhere.
    pub fn is_foreign_name(name: &str) -> bool {
        const FOREIGN: &[&str] = &[
            "pdf", "doc", "dot", "xls", "xlt", "xlsb", "ppt", "pot", "pps", "odt", "ods", "odp", "odg",
            "rtf", "pages", "numbers", "key", "epub", "zip", "7z", "rar", "gz", "xz", "zst", "tar", "png",
            "jpg", "jpeg", "gif", "bmp", "tif", "tiff", "webp", "avif", "heic", "ico", "mp3", "mp4", "m4a",
            "mov", "avi", "mkv", "wav", "ogg", "exe", "dll", "so", "dylib", "class", "jar", "wasm", "sqlite",
            "db",
        ];
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        FOREIGN.iter().any(|foreign| extension.eq_ignore_ascii_case(foreign))
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
