//! The four engines, each with a NOTES.md: behaviour, specimen XML, what is kept, what is refused.

pub mod docx;
pub mod pptx;
pub mod text;
pub mod xlsx;
