//! README's ten tasks, run as they are written there.

#![cfg(unix)] // They are lines for a shell.

use super::transcripts::Bench;

/// The lines of the block below "Ten tasks", without its comments.
fn tasks() -> Vec<String> {
    let readme = std::fs::read_to_string(stet_tests::repository().join("README.md")).unwrap();
    let section = readme.split("## Ten tasks").nth(1).unwrap();
    let block = section.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(block.matches("\n# ").count() + usize::from(block.starts_with("# ")), 10, "ten tasks");
    block.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

/// The documents that the tasks speak of.
fn documents(bench: &Bench) {
    bench.write("notes.md", "# Notes\n\nteh end\n");
    bench.write("report.src.md", "# Report\n\nA paragraph.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    let clauses: String =
        (1..=8).map(|number| format!("Clause {number} holds for ninety days.\n\n")).collect();
    bench.write("contract.src.md", &format!("# Contract\n\n{clauses}Clause 9 holds for twelve months.\n"));
    let rows: String = (2013..=2023).map(|year| format!("{year},{}\n", year - 1_000)).collect();
    bench.write("budget.csv", &format!("Year,Amount\n{rows}"));
    let slides: String = (1..=6).map(|number| format!("# Slide {number}\n- a point\n\n")).collect();
    bench.write("deck.src.md", &slides);
    bench.write("ops.json", r#"[{"op":"xlsx_set_cell","cell":"B2","value":7}]"#);
    bench.write("minutes.md", "# Minutes\n\n- one\n- two\n");
    for line in [
        "stet new report.docx --from report.src.md",
        "stet new contract.docx --from contract.src.md",
        "stet new budget.xlsx --from budget.csv",
        "stet new deck.pptx --from deck.src.md",
        "cp deck.pptx deck-as-received.pptx",
    ] {
        let (out, err, status) = bench.run(line);
        assert_eq!(status, 0, "{line}: {out}{err}");
    }
}

#[test]
fn the_ten_tasks_of_the_readme_run_as_written() {
    let bench = Bench::new();
    documents(&bench);
    let tasks = tasks();
    assert!(tasks.len() >= 10);
    let mut said = String::new();
    for line in &tasks {
        let (out, err, status) = bench.run(line);
        // Nobody is there to agree to what is shown.
        let expected = if line.starts_with("stet ask") && !line.contains("--yes") { 3 } else { 0 };
        assert_eq!(status, expected, "{line}\n{out}{err}");
        said += &format!("$ {line}\n{out}{err}");
    }
    let told = |line: &str| bench.run(line).0;
    assert_eq!(std::fs::read_to_string(bench.path("notes.md")).unwrap(), "# Notes\n\nthe end\n");
    assert!(said.contains("holds for two years"), "task 2 shows the difference: {said}");
    assert!(told("stet outline contract.docx").contains("The term is two years."), "task 6");
    assert!(told("stet outline deck.pptx").contains("Results"), "task 5");
    assert!(said.contains("changed: ppt/"), "task 9 tells the parts: {said}");
    assert!(!told("stet outline budget.xlsx --json").contains("2024"), "task 8 took the row of task 4 back");
    assert!(told("stet outline minutes.docx").contains("Minutes"), "task 10");
}
