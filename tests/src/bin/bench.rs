//! `cargo run --release -p stet-tests --bin bench -- SUBJECT…`: measures, and prints Markdown tables of ratios.
//!
//! Ratios within one run mean something on any machine; seconds do not.

use std::process::ExitCode;

#[allow(clippy::print_stdout, clippy::print_stderr)] // The tables are what this program is for.
fn main() -> ExitCode {
    let subjects: Vec<String> = std::env::args().skip(1).collect();
    if subjects.is_empty() {
        eprintln!("subjects: {}", stet_tests::bench::SUBJECTS.map(|(name, _)| name).join(", "));
        return ExitCode::from(2);
    }
    for subject in subjects {
        match stet_tests::bench::run(&subject) {
            Some(table) => println!("{table}"),
            None => {
                eprintln!("there is no subject {subject}");
                return ExitCode::from(2);
            }
        }
    }
    ExitCode::SUCCESS
}
