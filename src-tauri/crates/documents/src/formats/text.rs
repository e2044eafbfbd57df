//! The text engine: Markdown, code, CSV and any other text, edited by byte offsets in the file's own encoding.
//!
//! It keeps the byte-order mark, every untouched line's ending, the final-newline state and bytes that mean nothing. It knows no
//! file names: what a file is called decides nothing here. See NOTES.md beside its modules.

mod batch;
mod buffer;
mod charset;
mod describe;
mod detect;
mod edits;
mod markdown;
mod nearest;
mod search;

pub use describe::{Description, Endings, decode, describe, outline};

use crate::{Applied, ApplyContext, DocumentError, Edit, EditError, Limits};

/// Applies a batch to the bytes of a text document.
pub fn apply(bytes: &[u8], ops: &[Edit], ctx: &ApplyContext<'_>) -> Result<Applied, EditError> {
    let buffer = open(bytes, &ctx.limits)?;
    let mut batch = batch::Batch::new(buffer, ctx);
    for (index, edit) in ops.iter().enumerate() {
        batch.apply(index, edit).map_err(|error| error.at_op(index))?;
    }
    batch.finish()
}

/// The bytes of a new text, which must be readable as one.
pub fn create(text: &str) -> Result<Vec<u8>, EditError> {
    batch::readable(text.as_bytes(), &charset::Charset::Utf8)?;
    Ok(text.as_bytes().to_vec())
}

fn open<'a>(bytes: &'a [u8], limits: &Limits) -> Result<buffer::Buffer<'a>, DocumentError> {
    if bytes.len() as u64 > limits.file_bytes {
        let (size, limit) = (bytes.len() >> 20, limits.file_bytes >> 20);
        return Err(DocumentError::TooLarge(format!("The file has {size} MiB; the limit is {limit} MiB.")));
    }
    Ok(buffer::Buffer::new(bytes, detect::detect(bytes)?))
}

#[cfg(test)]
mod odd_tests;
#[cfg(test)]
mod tests;
