//! Measurements of what a user waits for, each against a floor measured in the same run.

mod bounds;
pub mod commit;
pub mod docx;
pub mod gateway;
mod memory;
pub mod package;
mod peers;
pub mod pptx;
pub mod start;
pub mod text;
pub mod window;
pub mod xlsx;

pub use bounds::{bound, summary};

/// A subject's name, and what measures it and gives a Markdown table.
pub type Subject = (&'static str, fn() -> String);

/// Everything that can be measured.
pub const SUBJECTS: &[Subject] = &[
    ("commit", commit::commit),
    ("docx", docx::docx),
    ("gateway", gateway::gateway),
    ("package", package::package),
    ("pptx", pptx::pptx),
    ("start", start::start),
    ("text", text::text),
    ("window", window::window),
    ("xlsx", xlsx::xlsx),
];

/// Measures one subject; `None` when there is none of that name.
pub fn run(name: &str) -> Option<String> {
    SUBJECTS.iter().find(|(known, _)| *known == name).map(|(_, measure)| measure())
}
