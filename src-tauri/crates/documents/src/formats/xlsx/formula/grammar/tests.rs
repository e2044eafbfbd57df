//! What Excel cannot read is refused, and nothing that it can.

use super::*;
use crate::{
    ApplyContext,
    formats::xlsx::{
        number_format, session::Session, structure::shared::GroupRule, styles::Styles, workbook::Workbook,
    },
};

#[test]
fn what_is_surely_wrong_is_seen() {
    for formula in [
        "1+",
        "SUM(C5;C6)",
        "A1++",
        "=",
        "=A1",
        "A1:",
        ":A1",
        "\"a\"\"",
        "\"\"\"",
        "SUM(1+)",
        "SUM(A1,B1+)",
        "()",
        "(A1,)",
        "(,A1)",
        "1 2",
        "\"a\" \"b\"",
        "A1\"x\"",
        "5(A1)",
        "*A1",
        "A1*/2",
        "A1&",
        "%",
        "#",
        "{1,2;3}",
        "{1,}",
        "{A1}",
        "{1+2}",
        "{{1}}",
        "{}",
        "A1{1}",
        "1,5",
        "A1:5",
        "\"a\":B1",
        "Data!",
        "Data!+1",
        "SUM(A1",
        "A1)",
        "(A1}",
        ".",
        "1.2.3",
        "A1;B1",
        "A1 5",
        "A1>",
        "A1> =B1",
        "A1!",
        "'Data",
        "A1~B1",
        "A1|B1",
        "1abc",
        "A1@",
    ] {
        assert!(check(formula).is_err(), "{formula}");
    }
    assert!(check("SUM(C5;C6)").unwrap_err().hint.unwrap().contains("comma"));
}

#[test]
fn what_excel_reads_passes() {
    for formula in [
        "1",
        "-A1%%",
        "+-+A1",
        "SUM(,A1,)",
        "NOW()",
        "RAND( )",
        "A1:B2 B1:C3",
        "(A1:B2,C3) (C3)",
        "A1:INDEX(A:A,5)",
        "INDEX(A:A,1):INDEX(A:A,2)",
        "SUM((A1,B1),C1)",
        "{1,-2.5;\"a;b\",#N/A}",
        "SUM({1;2}*A1)",
        "{TRUE,FALSE}",
        "Jan:Dec!A1",
        "'My sheet'!A1:B2",
        "[1]Data!$A$1",
        "[1]!Rate*2",
        "'[Book 1.xlsx]Data'!A1",
        "Tbl[Col]",
        "Tbl[[#Totals],[A]:[B]]",
        "[@Qty]*[@[Unit price]]",
        "SUM(Tbl[A]:Tbl[C])",
        "LET(x,1,x+1)",
        "LAMBDA(x,x+1)(2)",
        "_xlpm.x(2)(3)",
        "(LAMBDA(x,x))(1)",
        "A1#",
        "SUM(A1#,Rng#)",
        "@A1:A3",
        "SUM(@Rng,1)",
        "Tbl[@Qty]",
        "#REF!A1",
        "Data!#REF!+1",
        "#REF!#REF!",
        "\"a \"\"b\"\"\"",
        "\"\"",
        "A1<>\"\"",
        "1E+5+.5",
        "A1\n +\tB1",
        "$A:$A,$1:$2",
        "Data!$A$1:$B$2,Data!$D$1",
        "5:7",
        "Data!3:5",
        "IF(A1>=1,,\"\")",
        "cmd|'topic'!A0",
        "_FV(A3,\"High\",TRUE)",
        "A1=-1",
        "2^-1",
        "- 1",
        "Données!A1&매출!B1",
        "TRUE()",
    ] {
        assert_eq!(check(formula), Ok(()), "{formula}");
    }
}

#[test]
fn limits_of_excel_are_kept() {
    let text = |count: usize| format!("\"{}\"", "é".repeat(count));
    let nested = |count: usize| format!("{}1{}", "ABS(".repeat(count), ")".repeat(count));
    let arguments = |count: usize| format!("SUM({})", vec!["1"; count].join(","));
    let long = |count: usize| format!("1{}", "+1".repeat(count));
    for (fits, too_much) in [
        (text(255), text(256)),
        (nested(64), nested(65)),
        (arguments(255), arguments(256)),
        (long(4095), long(4096)),
    ] {
        assert_eq!(check(&fits), Ok(()));
        assert!(check(&too_much).is_err());
    }
}

/// Every formula and number format of the shared workbooks passes: they were opened by Excel.
#[test]
fn what_workbooks_hold_passes() {
    let root = std::env::var_os("STET_SHARED").map(std::path::PathBuf::from).or_else(|| {
        let repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let mut above = repository.canonicalize().ok()?;
        // A worktree lies deeper than the repository.
        while above.pop() {
            let shared = above.join("shared");
            if shared.join("corpus/xlsx").is_dir() {
                return Some(shared);
            }
        }
        None
    });
    let Some(root) = root else {
        println!("no shared workbooks here: nothing was checked");
        return;
    };
    let mut faults = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(root.join("corpus/xlsx")).into_iter().flatten().flatten() {
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        let held = held(&bytes).unwrap_or_default();
        count += held.0.len() + held.1.len();
        let name = entry.file_name();
        for formula in held.0 {
            faults.extend(check(&formula).err().map(|fault| format!("{name:?} {formula}: {}", fault.why)));
        }
        for code in held.1 {
            let fault = number_format::entered::fault(&code);
            faults.extend(fault.map(|why| format!("{name:?} {code}: {why}")));
        }
    }
    println!("{count} formulas and formats, {} faults", faults.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The formulas and number formats of a workbook; nothing of one that cannot be read.
fn held(bytes: &[u8]) -> Option<(Vec<String>, Vec<String>)> {
    let context = ApplyContext::bare();
    let mut session = Session::new(Workbook::open(bytes, &context.limits).ok()?, &context);
    let mut formulas = Vec::new();
    session.each_formula(&mut |text, _| formulas.push(text.to_owned())).ok()?;
    // The cells of a data table have no text.
    formulas.retain(|text| !text.is_empty());
    let mut others = |text: &str, _: &_| {
        formulas.push(text.to_owned());
        None
    };
    session.change_formulas(None, b'!', GroupRule::Uniform, &mut others).ok()?;
    let part = session.book.styles_part().ok()??;
    let styles = Styles::read(&session.book.package.xml(&part).ok()?);
    Some((formulas, styles.custom_codes().map(str::to_owned).collect()))
}
