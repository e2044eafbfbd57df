//! A process that is killed: at random moments of a loop of commits, and at each step of everything that writes. Whatever it was doing,
//! the file is one whole revision, the store agrees or repairs itself, and nothing happens twice.

use std::{
    io::{BufRead, BufReader},
    time::{Duration, Instant},
};

use assistant::workspace::faults::{STEPS, Step};

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
    let mut in_flight = 0;
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
        in_flight += usize::from(!scratch.present_leftovers().is_empty());
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
    println!(
        "{rounds} kills, {in_flight} of them with a temporary file half way, {} revisions",
        history.content_rev
    );
    assert!(in_flight > 0 || rounds < 100, "no kill hit a commit");
}

const STEP_CHILD: &str = "workspace::crash::child_dies_at_a_step";
/// What a child that came to its step ends with.
const DIED: i32 = 9;
const TASKS: [&str; 5] = ["commit", "accept", "accept_some", "restore", "create"];

/// The child: does one task and dies before the given step of it, without any tidying up.
#[test]
fn child_dies_at_a_step() {
    let Some((home, path)) = child_task() else { return };
    let Ok(task) = std::env::var("STET_CHILD_TASK") else { return };
    let fatal: Step = STEPS[std::env::var("STET_CHILD_STEP").unwrap().parse::<usize>().unwrap()];
    let is_armed = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let armed = Arc::clone(&is_armed);
    let faults = Faults::new(move |step, _| {
        if step == fatal && armed.load(std::sync::atomic::Ordering::SeqCst) {
            std::process::exit(DIED);
        }
        Ok(())
    });
    let app = App::open(AppOptions { keychain: Keychain::Absent, faults, ..AppOptions::new(home) }).unwrap();
    let arm = || is_armed.store(true, std::sync::atomic::Ordering::SeqCst);
    if task == "create" {
        arm();
        let params = params::Create {
            path: path.with_file_name("made.md").to_str().unwrap().into(),
            text: Some("made\n".into()),
            rows: None,
            format: None,
        };
        app.documents_create(&params, &Stop::default()).unwrap();
        return;
    }
    let document = open(&app, &path);
    arm();
    match task.as_str() {
        "commit" => commit(&app, &document.file_id, 2, append("new")).map(drop),
        "restore" => restore(&app, &document.file_id, "snap-000001", Some(2)).map(drop),
        "accept" => accept(&app, &proposals(&app)[0].proposal_id, None).map(drop),
        _ => accept(&app, &proposals(&app)[0].proposal_id, Some(vec![0])).map(drop),
    }
    .unwrap();
}

/// One file with two revisions and a proposal of two operations, then one death.
fn die(task: &str, step: usize) -> bool {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "first\n");
    {
        let app = scratch.app();
        let id = open(&app, &path).file_id;
        commit(&app, &id, 1, append("second")).unwrap();
        let ops = json!([{ "op": "append_lines", "text": "third" }, { "op": "insert_lines", "line": 1, "text": "zero" }]);
        stage(&app, &id, 2, ops).unwrap();
    }
    let mut command = child(STEP_CHILD, &scratch.home(), &path);
    let status =
        command.env("STET_CHILD_TASK", task).env("STET_CHILD_STEP", step.to_string()).status().unwrap();
    let has_died = status.code() == Some(DIED);
    assert!(has_died || status.success(), "{task} {:?}: {status}", STEPS[step]);
    let what = format!("{task} killed before {:?}", STEPS[step]);

    let app = scratch.app();
    let made = path.with_file_name("made.md");
    if task == "create" && made.exists() {
        assert_eq!(fs::read_to_string(&made).unwrap(), "made\n", "{what}");
        open(&app, &made);
    } else if task == "create" {
        // The next attempt clears away what this one left.
        let params =
            params::Create { path: made.to_str().unwrap().into(), text: None, rows: None, format: None };
        app.documents_create(&params, &Stop::default()).unwrap();
    }
    let revision = open(&app, &path).content_rev;
    let text = fs::read_to_string(&path).unwrap();
    let new = match task {
        "commit" => "first\nsecond\nnew\n",
        "restore" => "first\n",
        "accept" => "zero\nfirst\nsecond\nthird\n",
        "accept_some" => "first\nsecond\nthird\n",
        _ => "",
    };
    let is_done = text == new;
    assert!(is_done || text == "first\nsecond\n", "{what}: {text:?}");
    assert_eq!(revision, if is_done { 3 } else { 2 }, "{what}");
    let origins = history(&app, &open(&app, &path).file_id).snapshots;
    assert!(
        origins.iter().all(|snapshot| snapshot.origin != assistant::workspace::Origin::External),
        "{what}: our own commit was taken for a foreign change"
    );
    // What was accepted does not wait any more; what was not, does.
    let waiting: Vec<usize> = proposals(&app).iter().map(|proposal| proposal.changes.len()).collect();
    let wanted = match (task, is_done) {
        ("accept", true) => vec![],
        ("accept_some", true) => vec![1],
        _ => vec![2],
    };
    assert_eq!(waiting, wanted, "{what}");
    drop(app);
    check_sound(&scratch, &path);
    has_died
}

#[test]
fn a_death_at_each_step_of_each_task_is_made_good() {
    for task in TASKS {
        let died: Vec<Step> =
            (0..STEPS.len()).filter(|&step| die(task, step)).map(|step| STEPS[step]).collect();
        println!("{task}: died before each of {died:?}");
        assert!(
            died.contains(&Step::RenameTemporary) && died.contains(&Step::SyncFolder),
            "{task}: {died:?}"
        );
    }
}
