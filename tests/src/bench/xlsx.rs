//! One cell set and one row inserted in a sheet of 100,000 rows and 20 columns, against the floor of any zip rewriter.
//!
//! The floor is that of `package`: inflate the part, find the place, splice, deflate at level 6, write. The engine does the same, finds
//! which of the 100,000 formulas hang on the cell, computes them, and lets the gate look at the result. The peers recalculate nothing.

use std::{fs, time::Duration};

use documents::{ApplyContext, Edit, Format, Limits};

use super::{
    bound, memory, package,
    peers::{self, Peer},
};
use crate::entries;

const ROWS: usize = 100_000;
const ROUNDS: usize = 5;
const SHEET: &str = "xl/worksheets/sheet1.xml";
/// Columns with numbers; the one behind them sums them up.
const NUMBERS: usize = 19;

/// Measures and gives the table.
pub fn xlsx() -> String {
    let sheet = sheet();
    let part = sheet.len();
    let archive = archive(&sheet);
    drop(sheet);
    let mut table = format!(
        "A sheet of {ROWS} × 20 cells, {} MB of XML ({} MB compressed), a sum in each row, three totals and a second sheet that reads them. Medians of {ROUNDS} rounds, floor and engine in turn (time on the processor).\n\n| what | ms | × floor | bound | peak memory, × part |\n|---|--:|--:|--:|--:|\n",
        part / 1_000_000,
        archive.len() / 1_000_000
    );
    let needle = format!("<c r=\"D50000\" s=\"4\"><v>{}</v></c>", value(50_000, 3));
    let set = edits(r#"[{"op": "xlsx_set_cell", "sheet": "Data", "cell": "D50000", "value": 12.5}]"#);
    let insert = edits(r#"[{"op": "xlsx_insert_rows", "sheet": "Data", "row": 1}]"#);
    let works: [(&str, &str, &dyn Fn() -> usize); 3] = [
        ("floor: inflate, find, splice, deflate 6", "", &|| {
            package::floor_of(&archive, SHEET, |part| package::spliced(part, &needle)).len()
        }),
        ("`xlsx_set_cell`, dependents and gate included", "1.2", &|| apply(&archive, &set)),
        ("`xlsx_insert_rows`, one at the top", "3", &|| apply(&archive, &insert)),
    ];
    let mut times: [Vec<Duration>; 3] = Default::default();
    let mut highest = [None; 3];
    for _ in 0..ROUNDS {
        for (at, (_, _, work)) in works.iter().enumerate() {
            let start = memory::processor_time();
            let (size, rise) = memory::peak(work);
            times[at].push(memory::processor_time() - start);
            highest[at] = highest[at].max(rise);
            if size == 0 {
                return "The edit was refused; nothing was measured.".into();
            }
        }
    }
    let medians = times.map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 2]
    });
    let ratio = |at: usize| medians[at].as_secs_f64() / medians[0].as_secs_f64();
    bound("one cell of a sheet of 2,000,000, × floor", ratio(1), 1.2);
    bound("one row at the top of that sheet, × floor", ratio(2), 3.0);
    let most = highest[1].max(highest[2]).map_or(f64::NAN, |bytes| bytes as f64 / part as f64);
    bound("memory of both, × the sheet's part", most, 4.0);
    for (at, (name, bound, _)) in works.iter().enumerate() {
        table.push_str(&row(name, medians[at], medians[0], bound, highest[at], part));
    }
    for made in [peers::openpyxl, peers::umya].map(|make| make()) {
        table.push_str(&peer_rows(made, &archive, medians[0], part));
    }
    table
}

fn row(name: &str, time: Duration, floor: Duration, bound: &str, memory: Option<u64>, part: usize) -> String {
    let memory = memory.map_or("–".into(), |bytes| format!("{:.2}", bytes as f64 / part as f64));
    let ratio = time.as_secs_f64() / floor.as_secs_f64();
    format!("| {name} | {} | {ratio:.2} | {bound} | {memory} |\n", time.as_millis())
}

fn peer_rows(made: Result<Peer, String>, archive: &[u8], floor: Duration, part: usize) -> String {
    let peer = match made {
        Ok(peer) => peer,
        Err(why) => return format!("| a peer that could not be made here: {why} | – | – | | – |\n"),
    };
    let Ok(folder) = tempfile::tempdir() else { return String::new() };
    let (source, target) = (folder.path().join("in.xlsx"), folder.path().join("out.xlsx"));
    if fs::write(&source, archive).is_err() {
        return format!("| {}: its input could not be written | – | – | | – |\n", peer.name);
    }
    let mut rows = String::new();
    for (what, told) in [("set", "one cell"), ("insert", "one row at the top")] {
        let name = format!("{}, {told} (nothing recalculated)", peer.name);
        rows.push_str(&match peer.run(&source, &target, what) {
            Ok((time, memory)) => row(&name, time, floor, "", Some(memory), part),
            Err(why) => format!("| {name}: {why} | – | – | | – |\n"),
        });
    }
    rows
}

fn edits(json: &str) -> Vec<Edit> {
    serde_json::from_str(json).unwrap_or_default()
}

fn apply(archive: &[u8], edits: &[Edit]) -> usize {
    let context = ApplyContext {
        author: "Bench",
        now: "2026-11-30T14:00:00Z",
        override_protection: false,
        track_changes: None,
        limits: Limits::default(),
        cancel: &|| false,
    };
    documents::apply(Format::Xlsx, archive, edits, &context).map_or(0, |applied| applied.bytes.len())
}

/// Digits that compress like real figures.
fn value(row: usize, column: usize) -> u64 {
    let mixed = (row as u64 * 32 + column as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> 40) % 1_000_000
}

fn sheet() -> Vec<u8> {
    let mut xml = b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><dimension ref=\"A1:T100001\"/><sheetData>".to_vec();
    for row in 1..=ROWS {
        let mut line = format!("<row r=\"{row}\" spans=\"1:20\">");
        let mut sum = 0;
        for column in 0..NUMBERS {
            let letter = char::from(b'A' + column as u8);
            let number = value(row, column);
            sum += number;
            line.push_str(&format!("<c r=\"{letter}{row}\" s=\"4\"><v>{number}</v></c>"));
        }
        // As spreadsheet programs write a column that was filled down.
        let formula = match row {
            1 => format!("<f t=\"shared\" ref=\"T1:T{ROWS}\" si=\"0\">SUM(A1:S1)</f>"),
            _ => "<f t=\"shared\" si=\"0\"/>".to_owned(),
        };
        line.push_str(&format!("<c r=\"T{row}\" s=\"4\">{formula}<v>{sum}</v></c></row>"));
        xml.extend_from_slice(line.as_bytes());
    }
    let last = ROWS + 1;
    let total = |column: usize| (1..=ROWS).map(|row| value(row, column)).sum::<u64>();
    let all: u64 = (0..NUMBERS).map(total).sum();
    let (first, fourth) = (total(0), total(3));
    let totals = format!(
        "<row r=\"{last}\" spans=\"1:20\"><c r=\"A{last}\"><f>SUM(A1:A{ROWS})</f><v>{first}</v></c><c r=\"D{last}\"><f>SUM(D1:D{ROWS})</f><v>{fourth}</v></c><c r=\"T{last}\"><f>SUM(T1:T{ROWS})</f><v>{all}</v></c></row></sheetData></worksheet>"
    );
    xml.extend_from_slice(totals.as_bytes());
    xml
}

/// A workbook around the sheet, with a second one that reads its totals.
fn archive(sheet: &[u8]) -> Vec<u8> {
    let types = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/worksheets/sheet2.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>"#;
    let relationships = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;
    let workbook = r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Data" sheetId="1" r:id="rId1"/><sheet name="Summary" sheetId="2" r:id="rId2"/></sheets></workbook>"#;
    let of_workbook = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet2.xml"/><Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
    let style = r#"<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>"#;
    let styles = format!(
        r#"<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5">{}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>"#,
        style.repeat(5)
    );
    let last = ROWS + 1;
    let summary = format!(
        r#"<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1"><f>Data!D{last}*2</f><v>0</v></c><c r="B1"><f>A1+Data!T{last}</f><v>0</v></c></row></sheetData></worksheet>"#
    );
    entries::archive(&[
        ("[Content_Types].xml", types.as_bytes()),
        ("_rels/.rels", relationships.as_bytes()),
        ("xl/workbook.xml", workbook.as_bytes()),
        ("xl/_rels/workbook.xml.rels", of_workbook.as_bytes()),
        (SHEET, sheet),
        ("xl/worksheets/sheet2.xml", summary.as_bytes()),
        ("xl/styles.xml", styles.as_bytes()),
    ])
}
