//! Several processes commit on one file at once: compare-and-swap means that nobody's work is lost.

use std::io::{BufRead, BufReader};

use super::*;

const CHILD: &str = "workspace::race::child_commits_against_the_others";

/// The child: commits its lines one by one, reading the revision anew whenever it came too late.
#[test]
fn child_commits_against_the_others() {
    let Some((home, path)) = child_task() else { return };
    let Ok(name) = std::env::var("STET_CHILD_NAME") else { return };
    let commits: usize = std::env::var("STET_CHILD_COMMITS").unwrap().parse().unwrap();
    let app = App::open(AppOptions { keychain: Keychain::Absent, ..AppOptions::new(home) }).unwrap();
    let document = open(&app, &path);
    let mut revision = document.content_rev;
    for number in 0..commits {
        loop {
            match commit(&app, &document.file_id, revision, append(&format!("{name} {number}"))) {
                Ok(receipt) => {
                    println!("won {} {}", receipt.previous_rev, receipt.content_rev);
                    revision = receipt.content_rev;
                    break;
                }
                Err(error) => {
                    assert_eq!(error.code, ErrorCode::ContentRevConflict, "{error:?}");
                    revision = error.content_rev.unwrap();
                }
            }
        }
    }
}

#[test]
fn every_commit_had_the_current_base() {
    let (processes, commits) = (rounds(4, 8), rounds(10, 200));
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    let id = open(&scratch.app(), &path).file_id;
    let children: Vec<_> = (0..processes)
        .map(|number| {
            let mut command = child(CHILD, &scratch.home(), &path);
            command
                .env("STET_CHILD_NAME", format!("p{number}"))
                .env("STET_CHILD_COMMITS", commits.to_string());
            command.spawn().unwrap()
        })
        .collect();
    let mut won = Vec::new();
    for mut child in children {
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let numbers =
            |line: String| -> Vec<u64> { line.split(' ').filter_map(|word| word.parse().ok()).collect() };
        let own: Vec<Vec<u64>> = lines.filter(|line| line.contains("won ")).map(numbers).collect();
        assert!(child.wait().unwrap().success());
        assert_eq!(own.len(), commits);
        won.extend(own);
    }
    won.sort();
    let wanted: Vec<Vec<u64>> = (1..=(processes * commits) as u64).map(|base| vec![base, base + 1]).collect();
    assert_eq!(won, wanted, "each base was spent once, and each revision made once");
    let mut lines: Vec<String> = fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    let mut expected: Vec<String> = (0..processes)
        .flat_map(|p| (0..commits).map(move |number| format!("p{p} {number}")))
        .chain(["first".into()])
        .collect();
    expected.sort();
    assert_eq!(lines, expected, "nobody's line is lost");
    let history = check_sound(&scratch, &path);
    assert_eq!((history.file_id, history.content_rev), (id, (processes * commits) as u64 + 1));
}
