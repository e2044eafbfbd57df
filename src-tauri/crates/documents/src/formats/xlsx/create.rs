//! A new workbook from rows: the smallest package that Excel opens, filled by the engine's own operation.

use super::{address::column_letters, apply};
use crate::{ApplyContext, Edit, EditError, edit::CellValue, error::EditErrorKind};

const PARTS: &[(&str, &str)] = &[
    (
        "[Content_Types].xml",
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/><Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/><Override PartName=\"/xl/worksheets/sheet1.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml\"/><Override PartName=\"/xl/styles.xml\" ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml\"/></Types>",
    ),
    (
        "_rels/.rels",
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>",
    ),
    (
        "xl/workbook.xml",
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"><sheets><sheet name=\"Sheet1\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>",
    ),
    (
        "xl/_rels/workbook.xml.rels",
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet\" Target=\"worksheets/sheet1.xml\"/><Relationship Id=\"rId2\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles\" Target=\"styles.xml\"/></Relationships>",
    ),
    (
        "xl/styles.xml",
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><fonts count=\"1\"><font><sz val=\"11\"/><name val=\"Calibri\"/><family val=\"2\"/></font></fonts><fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills><borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs><cellXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/></cellXfs><cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>",
    ),
    (
        "xl/worksheets/sheet1.xml",
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><sheetData/></worksheet>",
    ),
];

/// A workbook with one sheet that holds these rows from A1 on.
pub fn create(rows: &[Vec<CellValue>], context: &ApplyContext<'_>) -> Result<Vec<u8>, EditError> {
    let template = archive(PARTS)?;
    let width = rows.iter().map(Vec::len).max().unwrap_or(0);
    if width == 0 {
        return Ok(template);
    }
    let filled = rows.iter().map(|row| {
        let mut row = row.clone();
        row.resize(width, CellValue::Clear(()));
        row
    });
    let edit = Edit::XlsxSetCells {
        sheet: None,
        cells: None,
        range: Some(format!("A1:{}{}", column_letters(width as u32), rows.len())),
        values: Some(filled.collect()),
    };
    apply(&template, &[edit], context).map(|applied| applied.bytes)
}

/// A zip archive with stored entries (APPNOTE 4.3), dated at the format's epoch as this crate has no clock.
fn archive(parts: &[(&str, &str)]) -> Result<Vec<u8>, EditError> {
    let size = |length: usize| {
        u32::try_from(length)
            .map_err(|_| EditError::new(EditErrorKind::TooLarge, "The workbook is too large."))
    };
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in parts {
        let offset = size(out.len())?;
        let length = size(content.len())?;
        let mut common: Vec<u8> = Vec::new();
        // Version 2.0, no flags, stored, 1980-01-01 00:00.
        for field in [20_u16, 0, 0, 0, 0x0021] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        for field in [crc32fast::hash(content.as_bytes()), length, length] {
            common.extend_from_slice(&field.to_le_bytes());
        }
        common.extend_from_slice(&(name.len() as u16).to_le_bytes());
        common.extend_from_slice(&[0, 0]);
        out.extend_from_slice(b"PK\x03\x04");
        out.extend_from_slice(&common);
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(content.as_bytes());
        directory.extend_from_slice(b"PK\x01\x02\x14\x00");
        directory.extend_from_slice(&common);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let start = size(out.len())?;
    let count = parts.len() as u16;
    let length = size(directory.len())?;
    out.extend_from_slice(&directory);
    out.extend_from_slice(b"PK\x05\x06\x00\x00\x00\x00");
    for field in [count, count] {
        out.extend_from_slice(&field.to_le_bytes());
    }
    for field in [length, start] {
        out.extend_from_slice(&field.to_le_bytes());
    }
    out.extend_from_slice(&[0, 0]);
    Ok(out)
}
