//! How much a document may cost before it is refused with `too_large`.
//!
//! Everything is counted while it is inflated or parsed; what a file declares about itself is never trusted.

/// Upper bounds for one document, in bytes unless named otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The file as it lies on disk.
    pub file_bytes: u64,
    /// One part, inflated.
    pub part_bytes: u64,
    /// All parts that were inflated for one operation together.
    pub total_bytes: u64,
    /// Entries in a package.
    pub entries: usize,
    /// Nesting of XML elements; LibreOffice and Word stay far below.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            file_bytes: 512 << 20,
            part_bytes: 512 << 20,
            total_bytes: 1 << 30,
            entries: 65_536,
            depth: 4_096,
        }
    }
}
