//! The calculator against hand-made formulas, and against the results that another program recorded for whole workbooks.

use std::collections::HashMap;

use super::{
    eval::{Cells, Outcome, TableShape, compute, unknown},
    source::{Computed, Source, defined_names, table_shapes},
    value::Scalar,
    *,
};
use crate::{
    ApplyContext,
    formats::xlsx::{cells::Value, number_format::DateSystem, workbook::Workbook},
};

/// A sheet made of a few cells.
struct Sheet(HashMap<CellRef, Scalar>);

impl Cells for Sheet {
    fn value(&self, _: SheetKey, cell: CellRef) -> Outcome<Scalar> {
        Ok(self.0.get(&cell).cloned().unwrap_or(Scalar::Empty))
    }

    fn scan(&self, _: SheetKey, area: Area, visit: &mut dyn FnMut(CellRef, Scalar) -> bool) -> Outcome<()> {
        let mut cells: Vec<_> = self.0.iter().filter(|(cell, _)| area.contains(**cell)).collect();
        cells.sort_by_key(|(cell, _)| **cell);
        for (cell, value) in cells {
            if !visit(*cell, value.clone()) {
                break;
            }
        }
        Ok(())
    }

    fn sheet(&self, name: &str) -> Option<SheetKey> {
        (name == "Data").then_some(SheetKey(0))
    }

    fn sheets(&self, _: &str, _: &str) -> Option<Vec<SheetKey>> {
        Some(vec![SheetKey(0)])
    }

    fn name(&self, _: SheetKey, _: Option<&str>, name: &str) -> Option<String> {
        (name == "Rate").then(|| "Data!$B$1".into())
    }

    fn table(&self, _: Option<&str>, _: SheetKey, _: CellRef) -> Option<TableShape> {
        None
    }

    fn dates(&self) -> DateSystem {
        DateSystem::Base1900
    }

    fn hidden(&self, _: SheetKey, _: u32) -> (bool, bool) {
        (false, false)
    }

    fn is_subtotal(&self, _: SheetKey, _: CellRef) -> bool {
        false
    }

    fn sheet_number(&self, _: SheetKey) -> (usize, usize) {
        (1, 1)
    }
}

fn sheet() -> Sheet {
    let cell = |text: &str| CellRef::parse(text).unwrap();
    Sheet(HashMap::from([
        (cell("A1"), 1.0.into()),
        (cell("A2"), 2.0.into()),
        (cell("A3"), 3.0.into()),
        (cell("B1"), 10.0.into()),
        (cell("B2"), 20.0.into()),
        (cell("B3"), 30.0.into()),
        (cell("C1"), "apple".into()),
        (cell("C2"), "Banana".into()),
        (cell("C3"), "apricot".into()),
        (cell("D1"), Scalar::Error(value::ErrorValue::NotAvailable)),
        (cell("E1"), true.into()),
    ]))
}

fn shown(formula: &str, arrays: bool) -> String {
    let at = CellRef::parse("F2").unwrap();
    match compute(&sheet(), SheetKey(0), at, formula, arrays) {
        Ok(matrix) => {
            let rows: Vec<String> = (0..matrix.rows)
                .map(|row| {
                    let cells = matrix.row(row).iter().map(|value| match value {
                        Scalar::Error(error) => error.as_str().to_owned(),
                        value => value.text().unwrap().to_string(),
                    });
                    cells.collect::<Vec<_>>().join(",")
                })
                .collect();
            rows.join(";")
        }
        Err(stop) => format!("{stop:?}"),
    }
}

#[test]
fn formulas_give_what_excel_gives() {
    for (formula, expected) in [
        ("1+2*3", "7"),
        ("-2^2", "4"),
        ("2^3^2", "64"),
        ("10%", "0.1"),
        ("\"a\"&1&TRUE", "a1TRUE"),
        ("A1:A3", "2"),
        ("SUM(A1:A3)*Rate", "60"),
        ("SUM(A1:A3,\"4\",TRUE)", "11"),
        ("0.1+0.2=0.3", "TRUE"),
        ("0.1+0.2-0.3", "0"),
        ("1/0", "#DIV/0!"),
        ("IFERROR(D1,\"none\")", "none"),
        ("IF(A1>1,\"big\",\"small\")", "small"),
        ("IF(A2,1)", "1"),
        ("AVERAGE(A1:B3)", "11"),
        ("COUNT(A1:E3)", "6"),
        ("COUNTA(A1:E3)", "11"),
        ("COUNTBLANK(A1:E3)", "4"),
        ("MAX(A1:B3)-MIN(A1:B3)", "29"),
        ("ROUND(2.5,0)&ROUND(-2.5,0)&ROUND(1.005,2)", "3-31.01"),
        ("ROUND(1234.5678,-2)", "1200"),
        ("INT(-1.5)&TRUNC(-1.5)&MOD(-3,2)", "-2-11"),
        ("SUMIF(A1:A3,\">1\",B1:B3)", "50"),
        ("SUMIFS(B1:B3,A1:A3,\">=2\",C1:C3,\"ap*\")", "30"),
        ("COUNTIF(C1:C3,\"ap*\")", "2"),
        ("COUNTIFS(A1:A3,\"<>2\")", "2"),
        ("SUMPRODUCT(A1:A3,B1:B3)", "140"),
        ("SUMPRODUCT((A1:A3>1)*B1:B3)", "50"),
        ("VLOOKUP(2,A1:C3,3,FALSE)", "Banana"),
        ("VLOOKUP(2.5,A1:B3,2)", "20"),
        ("HLOOKUP(1,A1:B3,2,FALSE)", "2"),
        ("INDEX(B1:B3,MATCH(\"banana\",C1:C3,0))", "20"),
        ("MATCH(25,B1:B3)", "2"),
        ("XLOOKUP(3,A1:A3,C1:C3)", "apricot"),
        ("XLOOKUP(9,A1:A3,C1:C3,\"?\")", "?"),
        ("LOOKUP(2,A1:A3,C1:C3)", "Banana"),
        ("CHOOSE(2,\"a\",\"b\")", "b"),
        ("LEFT(\"hello\",2)&RIGHT(\"hello\",2)&MID(\"hello\",2,3)", "heloell"),
        ("LEN(TRIM(\"  a  b \"))", "3"),
        ("SUBSTITUTE(\"a-b-c\",\"-\",\"+\",2)", "a-b+c"),
        ("FIND(\"l\",\"hello\")&SEARCH(\"L?O\",\"hello\")", "33"),
        ("TEXT(1234.5,\"#,##0.00\")", "1,234.50"),
        ("TEXT(45352,\"yyyy-mm-dd\")", "2024-03-01"),
        ("PROPER(\"john o'neil\")", "John O'Neil"),
        ("DATE(2024,2,30)", "45352"),
        ("YEAR(45352)&MONTH(45352)&DAY(45352)", "202431"),
        ("EDATE(45322,1)", "45351"),
        ("EOMONTH(45352,0)", "45382"),
        ("WEEKDAY(45352)&WEEKDAY(45352,2)", "65"),
        ("DATEDIF(DATE(2020,1,31),DATE(2024,3,1),\"ym\")", "1"),
        ("NETWORKDAYS(45352,45382)", "21"),
        ("ROUND(PMT(0.05/12,360,200000),2)", "-1073.64"),
        ("ROUND(IRR({-100,39,59,55,20}),4)", "0.2809"),
        ("ROUND(NPV(0.1,-10000,3000,4200,6800),2)", "1188.44"),
        ("MEDIAN(A1:A3)&STDEV(A1:A3)", "21"),
        ("LARGE(B1:B3,1)&SMALL(B1:B3,1)&RANK(20,B1:B3)", "30102"),
        ("ISNUMBER(A1)&ISTEXT(C1)&ISBLANK(Z1)&ISERROR(D1)", "TRUETRUETRUETRUE"),
        ("ROW()&COLUMN()&ROWS(A1:B3)&COLUMNS(A1:B3)", "2632"),
        ("SUM(OFFSET(A1,1,0,2,1))", "5"),
        ("INDIRECT(\"B\"&2)", "20"),
        ("ADDRESS(2,3)&ADDRESS(2,3,4)", "$C$2C2"),
        ("SUM(A1:A2 A2:B3)", "2"),
        ("SUM((A1,B1:B2))", "31"),
        ("TEXTJOIN(\"-\",TRUE,C1:C3)", "apple-Banana-apricot"),
        ("AND(A1:A3)&OR(FALSE,E1)&NOT(E1)", "TRUETRUEFALSE"),
        ("SUBTOTAL(9,A1:A3)", "6"),
        ("IFS(A1>1,\"x\",TRUE,\"y\")", "y"),
        ("SWITCH(A2,1,\"one\",2,\"two\",\"many\")", "two"),
        ("A1=\"\"", "FALSE"),
        ("Z1=\"\"", "TRUE"),
        ("Z1=0", "TRUE"),
        ("\"b\">\"A\"", "TRUE"),
        ("NoSuchName", "#NAME?"),
        ("IF(TRUE,1,1/0)", "1"),
        ("CEILING(2.1,0.5)&FLOOR(2.9,0.5)&MROUND(7,3)", "2.52.56"),
    ] {
        assert_eq!(shown(formula, false), expected, "={formula}");
    }
}

#[test]
fn array_formulas_give_all_elements() {
    for (formula, expected) in [
        ("A1:A3*2", "2;4;6"),
        ("A1:A3+{10,20}", "11,21;12,22;13,23"),
        ("TRANSPOSE(A1:A3)", "1,2,3"),
        ("IF(A1:A3>1,B1:B3,0)", "0;20;30"),
        ("SUM(IF(A1:A3>1,B1:B3))", "50"),
        ("_xlfn.UNIQUE({1;2;1})", "1;2"),
        ("_xlfn._xlws.SORT(B1:B3,1,-1)", "30;20;10"),
        ("_xlfn._xlws.FILTER(C1:C3,A1:A3>1)", "Banana;apricot"),
        ("_xlfn.SEQUENCE(2,2)", "1,2;3,4"),
        ("MMULT({1,2;3,4},{1;1})", "3;7"),
    ] {
        assert_eq!(shown(formula, true), expected, "={formula}");
    }
}

#[test]
fn what_is_not_known_is_not_guessed() {
    for formula in ["NOW()", "WEBSERVICE(\"x\")", "[1]Data!A1", "A1+RAND()", "SUM(", "CUBEVALUE(\"a\")"] {
        assert!(shown(formula, false).starts_with("Unknown"), "{formula}");
    }
    assert_eq!(shown("IF(TRUE,1,NOW())", false), "1");
    let _ = unknown::<()>("");
}

#[test]
fn very_long_formulas_do_not_exhaust_the_stack() {
    let long = format!("1{}", "+1".repeat(20_000));
    assert_eq!(shown(&long, false), "20001");
    assert!(shown(&"-".repeat(10_000), false).starts_with("Unknown"));
    let nested = format!("{}1{}", "ABS(".repeat(64), ")".repeat(64));
    assert_eq!(shown(&nested, false), "1");
}

/// Every formula of the shared workbooks, computed from constants alone, against what Excel stored in them (or, where `STET_RESULTS`
/// names a folder of recorded results, against those).
#[test]
fn agrees_with_recorded_results() {
    let root = std::env::var_os("STET_SHARED").map(std::path::PathBuf::from).or_else(|| {
        let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        Some(repository.canonicalize().ok()?.parent()?.join("shared"))
    });
    let Some(root) = root.filter(|root| root.join("corpus").is_dir()) else {
        println!("no shared workbooks here: nothing was compared");
        return;
    };
    let recorded = std::env::var_os("STET_RESULTS").map(std::path::PathBuf::from);
    let mut tally = Tally::default();
    // What was made by generators holds invented results.
    let folders: &[&str] = match recorded {
        Some(_) => &["oracle/open/inputs", "corpus/xlsx", "corpus/crafted"],
        None => &["corpus/xlsx"],
    };
    // A file may lie in several folders; it counts once.
    let mut files = std::collections::BTreeMap::new();
    for folder in folders {
        for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
            files.insert(entry.file_name(), entry.path());
        }
    }
    for path in files.values() {
        compare_workbook(path, recorded.as_deref(), &mut tally);
    }
    println!("{} agree, {} differ, {} not computed", tally.same, tally.differing.len(), tally.unknowns.len());
    for line in tally.differing.iter().chain(&tally.unknowns) {
        println!("  {line}");
    }
    assert!(tally.differing.is_empty());
}

#[derive(Default)]
struct Tally {
    same: usize,
    unknowns: Vec<String>,
    differing: Vec<String>,
}

fn compare_workbook(path: &std::path::Path, recorded: Option<&std::path::Path>, tally: &mut Tally) {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let bytes = std::fs::read(path).unwrap();
    if !["xlsx", "xlsm", "xltx", "xltm"].iter().any(|extension| name.ends_with(extension)) {
        return;
    }
    let Some((trusted, results)) = compute_everything(&bytes) else { return };
    let file = recorded.and_then(|folder| std::fs::read(folder.join(format!("{name}.json"))).ok());
    let file: Option<serde_json::Value> = file.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if file.is_none() && (recorded.is_some() || !trusted) {
        return;
    }
    for (address, stored, computed) in results {
        if file.as_ref().is_some_and(|file| file["results"][&address].is_null()) {
            continue;
        }
        let verdict = match (&computed, &file) {
            (Computed::Unknown(why), _) => {
                tally.unknowns.push(format!("{name} {address}: {why}"));
                continue;
            }
            (Computed::Value(matrix), Some(file)) => {
                agrees(&matrix.get(0, 0).store(), &file["results"][&address])
            }
            (Computed::Value(matrix), None) => matches_stored(&matrix.get(0, 0).store(), &stored),
        };
        let Computed::Value(matrix) = &computed else { continue };
        let other = file.as_ref().map_or(format!("{stored:?}"), |file| file["results"][&address].to_string());
        match verdict {
            Some(true) => tally.same += 1,
            Some(false) => {
                tally.differing.push(format!("{name} {address}: {:?} / {other}", matrix.get(0, 0)))
            }
            None => {}
        }
    }
}

fn matches_stored(value: &Value, stored: &Value) -> Option<bool> {
    Some(match (value, stored) {
        (_, Value::Empty) => return None,
        (Value::Number(a), Value::Number(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-6),
        (a, b) => a == b,
    })
}

type Everything = (bool, Vec<(String, Value, Computed)>);

fn compute_everything(bytes: &[u8]) -> Option<Everything> {
    let context = ApplyContext::bare();
    let mut session = Session::new(Workbook::open(bytes, &context.limits).ok()?, &context);
    let keys: Vec<SheetKey> = session.book.sheets.iter().map(|entry| entry.key).collect();
    for key in keys {
        if session.book.entry(key).unwrap().kind != SheetKind::Chartsheet {
            session.book.load(key).ok()?;
        }
    }
    session.book.load_tables().unwrap();
    let tables = table_shapes(&session).unwrap();
    let names = defined_names(&session.book);
    let index = Index::build(&session.book, &names, &tables, &session.touched, true).unwrap();
    let all: Vec<Address> = index.addresses();
    let source = Source::new(&session, &index, &names, &tables, &all, false).unwrap();
    let (results, _) = source.compute_all(&all).unwrap();
    let tables = session.tables().unwrap();
    let told = all
        .into_iter()
        .filter_map(|address| {
            let name = format!("{}!{}", session.book.entry(address.0).unwrap().name, address.1);
            let cell = session.book.sheet(address.0).ok()?.cell(address.1).ok()??;
            // A rich value stands for an error of a newer kind, such as a blocked spill.
            if cell.span.rich {
                return None;
            }
            Some((name, tables.value(&cell), results.get(&address)?.clone()))
        })
        .collect();
    Some((session.results_are_trusted(), told))
}

/// Whether a result is the recorded one; nothing when none was recorded.
fn agrees(value: &Value, recorded: &serde_json::Value) -> Option<bool> {
    let kind = recorded[0].as_str()?;
    let stored = &recorded[1];
    Some(match value {
        Value::Number(number) => {
            let other = stored.as_f64().or_else(|| stored.as_str()?.parse().ok());
            other
                .is_some_and(|other| (number - other).abs() <= 1e-9 * number.abs().max(other.abs()).max(1e-6))
        }
        Value::Text(text) => stored.as_str() == Some(text),
        Value::Boolean(value) => {
            kind == "b"
                && (stored.as_bool() == Some(*value) || stored.as_f64() == Some(f64::from(u8::from(*value))))
        }
        Value::Error(_) => kind == "e",
        Value::Empty => stored.is_null(),
    })
}
