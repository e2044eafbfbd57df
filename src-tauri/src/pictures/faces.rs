//! One face out of a font collection (OpenType 1.9, "Font Collections"): the drawing library takes single fonts only.

const COLLECTION: &[u8] = b"ttcf";
/// A table record: tag, checksum, offset, length.
const RECORD: usize = 16;
const HEADER: usize = 12;

/// The bytes of one face; a file that is no collection comes back whole. `None` when there is no such face, or it is cut off.
pub(super) fn single(data: &[u8], index: u32) -> Option<Vec<u8>> {
    if !data.starts_with(COLLECTION) {
        return Some(data.to_vec());
    }
    if index >= number(data, 8)? {
        return None;
    }
    let directory = number(data, HEADER + 4 * index as usize)? as usize;
    let tables = usize::from(u16::from_be_bytes(data.get(directory + 4..directory + 6)?.try_into().ok()?));
    let records = data.get(directory + HEADER..directory + HEADER + tables * RECORD)?;
    let mut face = data.get(directory..directory + HEADER + tables * RECORD)?.to_vec();
    for (position, record) in records.chunks_exact(RECORD).enumerate() {
        let (offset, length) = (number(record, 8)? as usize, number(record, 12)? as usize);
        let table = data.get(offset..offset.checked_add(length)?)?;
        let moved = u32::try_from(face.len()).ok()?;
        let field = HEADER + position * RECORD + 8;
        face.get_mut(field..field + 4)?.copy_from_slice(&moved.to_be_bytes());
        face.extend_from_slice(table);
        // Tables begin at multiples of four bytes.
        face.resize(face.len().next_multiple_of(4), 0);
    }
    Some(face)
}

fn number(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(data.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_a_face_out_of_a_collection() {
        // Two faces with one table each; the second holds "two!".
        let mut file = b"ttcf\0\x01\0\0\0\0\0\x02\0\0\0\0\0\0\0\0".to_vec();
        let mut offsets = Vec::new();
        for text in [b"one!", b"two!"] {
            let table = file.len() as u32;
            file.extend_from_slice(text);
            offsets.push(file.len() as u32);
            file.extend_from_slice(b"\0\x01\0\0\0\x01\0\0\0\0\0\0name\0\0\0\0");
            file.extend_from_slice(&table.to_be_bytes());
            file.extend_from_slice(&4u32.to_be_bytes());
        }
        file[12..16].copy_from_slice(&offsets[0].to_be_bytes());
        file[16..20].copy_from_slice(&offsets[1].to_be_bytes());
        let face = single(&file, 1).unwrap();
        assert_eq!(number(&face, HEADER + 8), Some(28));
        assert_eq!(&face[28..32], b"two!");
        assert_eq!(single(&file, 9), None);
        assert_eq!(single(b"\0\x01\0\0", 0).unwrap(), b"\0\x01\0\0");
    }
}
