//! A process that commits in a loop is killed at random moments: whatever it was doing, the file is one whole revision.

use std::{
    io::{BufRead, BufReader},
    time::{Duration, Instant},
};

use super::*;

const CHILD: &str = "workspace::crash::child_commits_until_it_is_killed";

/// The child: tells each receipt before it goes on. In an ordinary run it has nothing to do.
#[test]
fn child_commits_until_it_is_killed() {
    let Some((home, path)) = child_task() else { return };
    let app = App::open(AppOptions { keychain: Keychain::Absent, ..AppOptions::new(home) }).unwrap();
    let mut document = open(&app, &path);
    println!("ready {}", document.content_rev);
    loop {
        let line = format!("line of revision {} {}", document.content_rev + 1, "x".repeat(2_000));
        let receipt = commit(&app, &document.file_id, document.content_rev, append(&line)).unwrap();
        println!("committed {} {}", receipt.content_rev, receipt.snapshot.unwrap());
        document.content_rev = receipt.content_rev;
        if document.content_rev.is_multiple_of(40) {
            // Keeps the file small over a thousand rounds.
            let receipt =
                restore(&app, &document.file_id, "snap-000001", Some(document.content_rev)).unwrap();
            println!("committed {} {}", receipt.content_rev, receipt.snapshot.unwrap());
            document.content_rev = receipt.content_rev;
        }
    }
}

#[cfg(unix)]
#[test]
fn a_kill_at_any_moment_leaves_one_whole_revision() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    open(&scratch.app(), &path);
    let rounds = rounds(25, 1_000);
    let mut dice = Dice::new(7);
    let mut last_told = 1;
    for round in 0..rounds {
        let mut child = child(CHILD, &scratch.home(), &path).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut told = |wanted: &str| lines.by_ref().find(|line| line.contains(wanted));
        assert!(told("ready").is_some(), "round {round}: the child did not start");
        // Let it come some way, then kill it after some microseconds more: anywhere in a commit.
        for _ in 0..dice.roll(3) {
            told("committed");
        }
        let moment = Instant::now() + Duration::from_micros(dice.roll(30_000));
        while Instant::now() < moment {
            std::hint::spin_loop();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        for line in lines.filter(|line| line.contains("committed")) {
            let number = line.split(' ').rev().nth(1).unwrap();
            last_told = last_told.max(number.parse::<u64>().unwrap_or(last_told));
        }
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.ends_with('\n') && text.starts_with("first\n"), "round {round}: half a file");
        let app = scratch.app();
        let document = open(&app, &path);
        assert!(
            document.content_rev >= last_told,
            "round {round}: revision {last_told} was told and is gone"
        );
        last_told = document.content_rev;
        assert_eq!(scratch.leftovers(), Vec::<String>::new(), "round {round}");
    }
    let history = check_sound(&scratch, &path);
    let revisions: Vec<u64> = history.snapshots.iter().map(|snapshot| snapshot.content_rev).collect();
    assert_eq!(
        revisions,
        (1..=history.content_rev).rev().collect::<Vec<_>>(),
        "every revision can be restored"
    );
    assert!(
        history.snapshots.iter().all(|snapshot| snapshot.origin != assistant::workspace::Origin::External)
    );
    println!("{rounds} kills, {} revisions", history.content_rev);
}
