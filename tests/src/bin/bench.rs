//! `cargo run --release -p stet-tests --bin bench -- SUBJECT… [--check]`: measures, and prints Markdown tables of ratios.
//!
//! Ratios within one run mean something on any machine; seconds do not. `all` stands for every subject; with `--check` a promise
//! missed by more than a third is an error.

use std::process::ExitCode;

use stet_tests::bench::{SUBJECTS, run, summary};

#[allow(clippy::print_stdout, clippy::print_stderr)] // The tables are what this program is for.
fn main() -> ExitCode {
    let (options, mut subjects): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    if subjects.iter().any(|subject| subject == "all") {
        subjects = SUBJECTS.iter().map(|(name, _)| (*name).to_owned()).collect();
    }
    if subjects.is_empty() || options.iter().any(|option| option != "--check") {
        let names: Vec<&str> = SUBJECTS.iter().map(|(name, _)| *name).collect();
        eprintln!("subjects: all, {}", names.join(", "));
        return ExitCode::from(2);
    }
    for subject in subjects {
        match run(&subject) {
            Some(table) => println!("## {subject}\n\n{table}"),
            None => {
                eprintln!("there is no subject {subject}");
                return ExitCode::from(2);
            }
        }
    }
    let (table, missed) = summary();
    println!("## promises\n\n{table}");
    if options.is_empty() || missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
