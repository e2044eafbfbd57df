//! Markdown Diff over several files: the whole set or nothing, whatever fails and whenever the process dies.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use assistant::{
    App, AppError, AppOptions,
    agent::{
        markdown_diff,
        patch::{PatchRequest, patch},
    },
    api::answers::Receipt,
    secrets::Keychain,
    workspace::{
        EditMode, Origin, Stop,
        faults::{Faults, Step},
    },
};

use crate::workspace::{
    Scratch, accept, check_sound, child, child_task, history, open, proposals, replace, stage,
};

const NAMES: [&str; 3] = ["a.md", "b.md", "c.md"];
const CHILD: &str = "agent::sets::child_dies_within_a_set";
const DIED: i32 = 9;

fn block(file: &str, rev: u64, find: &str, new: &str) -> String {
    format!("```edit:{file} rev:{rev}\n<<<<<<< SEARCH\n{find}\n=======\n{new}\n>>>>>>> REPLACE\n```\n")
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    NAMES.iter().map(|name| folder.join(name)).collect()
}

fn old_text(name: &str) -> String {
    format!("old of {name}\n")
}

fn new_text(name: &str) -> String {
    format!("new of {name}\n")
}

fn prepare(scratch: &Scratch) -> Vec<PathBuf> {
    NAMES.iter().map(|name| scratch.write(name, &old_text(name))).collect()
}

/// The change of all three files, by their names.
fn change(app: &App, paths: &[PathBuf], mode: EditMode) -> Result<Vec<Receipt>, AppError> {
    let files: Vec<String> = paths.iter().map(|path| open(app, path).file_id).collect();
    let message: String = NAMES
        .iter()
        .map(|name| block(name, 1, &format!("old of {name}"), &format!("new of {name}")))
        .collect();
    let request = PatchRequest { files: &files, mode, model: Some("test/m") };
    patch(app, &markdown_diff::parse(&message), &request, &Stop::default())
}

/// How often the steps that matter between files happen in a set of three.
fn counts(step: Step) -> bool {
    let everyday = matches!(
        step,
        Step::CreateTemporary
            | Step::RecordIntent
            | Step::RenameTemporary
            | Step::SyncFolder
            | Step::RecordCommit
    );
    everyday || std::env::var_os("STET_FULL").is_some() && step != Step::ReadTarget
}

/// An app whose process ends at the given moment of a set; `fails` is the rename that the disk refuses before, if any.
fn dying(home: PathBuf, moment: usize, fails: Option<usize>) -> (Arc<App>, Arc<AtomicUsize>) {
    let armed = Arc::new(AtomicUsize::new(0));
    let (is_armed, seen, renames) = (Arc::clone(&armed), AtomicUsize::new(0), AtomicUsize::new(0));
    let faults = Faults::new(move |step, _| {
        if is_armed.load(Ordering::SeqCst) == 0 {
            return Ok(());
        }
        let rename = match step {
            Step::RenameTemporary => Some(renames.fetch_add(1, Ordering::SeqCst)),
            _ => None,
        };
        if counts(step) && seen.fetch_add(1, Ordering::SeqCst) == moment {
            std::process::exit(DIED);
        }
        if rename.is_some() && rename == fails { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
    });
    let options = AppOptions { keychain: Keychain::Absent, faults, ..AppOptions::new(home) };
    (App::open(options).unwrap(), armed)
}

/// The child: changes the set and dies. In an ordinary run it has nothing to do.
#[test]
fn child_dies_within_a_set() {
    let Some((home, folder)) = child_task() else { return };
    let Ok(moment) = std::env::var("STET_CHILD_MOMENT") else { return };
    let fails = std::env::var("STET_CHILD_FAILS").ok().and_then(|number| number.parse().ok());
    let (app, armed) = dying(home, moment.parse().unwrap(), fails);
    let paths = paths(&folder);
    paths.iter().for_each(|path| drop(open(&app, path)));
    armed.store(1, Ordering::SeqCst);
    let done = change(&app, &paths, EditMode::Commit);
    assert_eq!(done.is_ok(), fails.is_none(), "{done:?}");
}

/// Runs the child until its moment; `false` when the set was through before.
fn dies(scratch: &Scratch, moment: usize, fails: Option<usize>) -> bool {
    let mut command = child(CHILD, &scratch.home(), &scratch.path(""));
    command.env("STET_CHILD_MOMENT", moment.to_string());
    if let Some(fails) = fails {
        command.env("STET_CHILD_FAILS", fails.to_string());
    }
    let status = command.status().unwrap();
    assert!(status.code() == Some(DIED) || status.success(), "moment {moment}: {status}");
    status.code() == Some(DIED)
}

fn texts(paths: &[PathBuf]) -> Vec<String> {
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Whether all files are new; anything between all and none fails the test.
fn all_or_none(scratch: &Scratch, paths: &[PathBuf], what: &str) -> bool {
    let app = scratch.app();
    let documents: Vec<_> = paths.iter().map(|path| open(&app, path)).collect();
    let texts = texts(paths);
    let is_new = texts[0] == new_text(NAMES[0]);
    for ((name, text), document) in NAMES.iter().zip(&texts).zip(&documents) {
        assert_eq!(*text, if is_new { new_text(name) } else { old_text(name) }, "{what}: {texts:?}");
        assert_eq!(document.content_rev, if is_new { 2 } else { 1 }, "{what}: {name}");
        let snapshots = history(&app, &document.file_id).snapshots;
        assert!(
            snapshots.iter().all(|one| one.origin != Origin::External),
            "{what}: {name} was taken for foreign"
        );
    }
    drop(app);
    for path in paths {
        check_sound(scratch, path);
    }
    assert_eq!(scratch.leftovers(), Vec::<String>::new(), "{what}");
    is_new
}

#[test]
fn a_death_at_any_step_of_a_set_leaves_all_files_new_or_none() {
    let (mut new, mut old, mut between) = (0, 0, 0);
    for moment in 0.. {
        let scratch = Scratch::new();
        let paths = prepare(&scratch);
        if !dies(&scratch, moment, None) {
            break;
        }
        let left = texts(&paths);
        let is_mixed = left.iter().any(|text| text.starts_with("new"))
            && left.iter().any(|text| text.starts_with("old"));
        between += usize::from(is_mixed);
        match all_or_none(&scratch, &paths, &format!("killed at moment {moment}, which left {left:?}")) {
            true => new += 1,
            false => old += 1,
        }
    }
    println!("{} deaths: {old} left nothing, {new} all; {between} of them were between two files", old + new);
    assert!(old >= 5 && new >= 5 && between >= 2, "{old} {new} {between}");
}

#[test]
fn a_death_while_a_set_is_taken_back_leaves_all_files_new_or_none() {
    let (mut new, mut old) = (0, 0);
    for moment in 0.. {
        let scratch = Scratch::new();
        let paths = prepare(&scratch);
        if !dies(&scratch, moment, Some(2)) {
            all_or_none(&scratch, &paths, "taken back");
            break;
        }
        match all_or_none(&scratch, &paths, &format!("the third rename fails, killed at moment {moment}")) {
            true => new += 1,
            false => old += 1,
        }
    }
    println!("{} deaths: {old} left nothing, {new} all", old + new);
    assert!(old >= 8 && new >= 1, "{old} {new}");
}

/// The moment at which two of the three are renamed.
fn between_two_files() -> usize {
    static MOMENT: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *MOMENT.get_or_init(|| {
        let is_between = |moment: &usize| {
            let scratch = Scratch::new();
            let paths = prepare(&scratch);
            dies(&scratch, *moment, None)
                && texts(&paths).iter().filter(|text| text.starts_with("new")).count() == 2
        };
        (0..200).find(is_between).unwrap()
    })
}

#[test]
fn a_process_that_was_open_all_along_completes_the_set_by_looking_at_one_file() {
    let scratch = Scratch::new();
    let paths = prepare(&scratch);
    let app = scratch.app();
    let ids: Vec<_> = paths.iter().map(|path| open(&app, path).file_id).collect();
    assert!(dies(&scratch, between_two_files(), None));
    let renamed = (0..3).find(|at| texts(&paths)[*at].starts_with("new")).unwrap();
    let params =
        assistant::api::params::OutlineOf { file_id: ids[renamed].clone(), range: None, budget: None };
    assert_eq!(app.documents_outline(&params, &Stop::default()).unwrap().content_rev, 2);
    assert_eq!(texts(&paths), NAMES.map(new_text));
    drop(app);
    assert!(all_or_none(&scratch, &paths, "completed by a look"));
}

#[test]
fn what_another_program_changed_meanwhile_waits_as_a_proposal_and_is_told() {
    let scratch = Scratch::new();
    let paths = prepare(&scratch);
    assert!(dies(&scratch, between_two_files(), None));
    let late = texts(&paths).iter().position(|text| text.starts_with("old")).unwrap();
    let name = NAMES[late];
    fs::write(&paths[late], format!("{}added by somebody\n", old_text(name))).unwrap();
    let app = scratch.app();
    let documents: Vec<_> = paths.iter().map(|path| open(&app, path)).collect();
    assert_eq!(fs::read_to_string(&paths[late]).unwrap(), format!("{}added by somebody\n", old_text(name)));
    let notices = app.status().notices;
    let told = notices.iter().find(|notice| notice.code == "set_interrupted").unwrap();
    let others: Vec<&PathBuf> = paths.iter().filter(|path| **path != paths[late]).collect();
    assert!(told.message.contains(name) && told.message.contains("prop-"), "{}", told.message);
    assert!(others.iter().all(|path| told.message.contains(&path.display().to_string())), "{}", told.message);
    // Finish …
    let waiting = proposals(&app);
    assert_eq!((waiting.len(), waiting[0].file_id.as_str()), (1, documents[late].file_id.as_str()));
    scratch.workspace(Faults::default()).fit_proposals(&documents[late].file_id, &Stop::default()).unwrap();
    accept(&app, &waiting[0].proposal_id, None).unwrap();
    assert_eq!(fs::read_to_string(&paths[late]).unwrap(), format!("{}added by somebody\n", new_text(name)));
    // … or undo.
    for (path, document) in paths.iter().zip(&documents).filter(|(path, _)| **path != paths[late]) {
        crate::workspace::undo(&app, &document.file_id).unwrap();
        assert!(fs::read_to_string(path).unwrap().starts_with("old"));
    }
    drop(app);
    paths.iter().for_each(|path| drop(check_sound(&scratch, path)));
}

/// An app whose disk refuses the renames with these numbers, counted from the arming.
fn refusing(scratch: &Scratch, refused: &'static [usize]) -> (Arc<App>, Arc<Mutex<Option<usize>>>) {
    let count = Arc::new(Mutex::new(None::<usize>));
    let counted = Arc::clone(&count);
    let faults = Faults::new(move |step, _| {
        let mut count = counted.lock().unwrap();
        if step != Step::RenameTemporary || count.is_none() {
            return Ok(());
        }
        let number = count.map_or(0, |count| count);
        *count = Some(number + 1);
        if refused.contains(&number) { Err(io::ErrorKind::Other.into()) } else { Ok(()) }
    });
    (App::open(AppOptions { faults, ..scratch.options() }).unwrap(), count)
}

#[test]
fn a_rename_that_fails_takes_the_earlier_ones_back() {
    for refused in [&[0_usize] as &'static [usize], &[1], &[2]] {
        let scratch = Scratch::new();
        let paths = prepare(&scratch);
        let times = |paths: &[PathBuf]| -> Vec<_> {
            paths.iter().map(|path| fs::metadata(path).unwrap().modified().unwrap()).collect()
        };
        let before = times(&paths);
        let (app, count) = refusing(&scratch, refused);
        paths.iter().for_each(|path| drop(open(&app, path)));
        *count.lock().unwrap() = Some(0);
        let error = change(&app, &paths, EditMode::Commit).unwrap_err();
        *count.lock().unwrap() = None;
        assert!(!error.message.contains("could not be taken back"), "{error}");
        assert_eq!(times(&paths), before, "times are as before");
        assert!(!all_or_none(&scratch, &paths, "a failed rename"));
        let receipts = change(&app, &paths, EditMode::Commit).unwrap();
        assert_eq!(
            receipts.iter().map(|one| one.content_rev).collect::<Vec<_>>(),
            [2, 2, 2],
            "works when the disk does"
        );
        assert!(receipts.iter().all(|one| one.snapshot.is_some() && one.warnings.is_empty()), "{receipts:?}");
        drop(app);
        assert!(all_or_none(&scratch, &paths, "done at last"));
    }
}

#[test]
fn what_cannot_be_taken_back_is_told_and_recorded() {
    let scratch = Scratch::new();
    let paths = prepare(&scratch);
    // The second rename fails, and so does the one that would put the first file back.
    let (app, count) = refusing(&scratch, &[1, 2]);
    let ids: Vec<_> = paths.iter().map(|path| open(&app, path).file_id).collect();
    *count.lock().unwrap() = Some(0);
    let error = change(&app, &paths, EditMode::Commit).unwrap_err();
    *count.lock().unwrap() = None;
    let new: Vec<usize> = (0..3).filter(|at| texts(&paths)[*at].starts_with("new")).collect();
    assert_eq!(new.len(), 1);
    let path = paths[new[0]].display().to_string();
    assert!(error.message.contains("could not be taken back") && error.message.contains(&path), "{error}");
    assert_eq!(history(&app, &ids[new[0]]).content_rev, 2, "what happened is a revision");
    crate::workspace::undo(&app, &ids[new[0]]).unwrap();
    assert!(texts(&paths).iter().all(|text| text.starts_with("old")));
    drop(app);
    paths.iter().for_each(|path| drop(check_sound(&scratch, path)));
}

#[test]
fn a_set_waits_whole_or_not_at_all() {
    let scratch = Scratch::new();
    let paths = prepare(&scratch);
    let app = scratch.app();
    let ids: Vec<_> = paths.iter().map(|path| open(&app, path).file_id).collect();
    // What waits on the last file takes away what the set would replace, so that it fits the file and not what waits.
    stage(&app, &ids[2], 1, replace("old of c.md", "something else")).unwrap();
    let error = change(&app, &paths, EditMode::Stage).unwrap_err();
    assert_eq!(error.file_id.as_deref(), Some(ids[2].as_str()), "{error:?}");
    assert_eq!(proposals(&app).len(), 1, "no other file has a proposal");
    let waiting = proposals(&app)[0].proposal_id.clone();
    app.proposals_reject(
        &assistant::api::params::ProposalChoice { proposal_id: waiting, changes: None },
        &Stop::default(),
    )
    .unwrap();
    let receipts = change(&app, &paths, EditMode::Stage).unwrap();
    assert_eq!(proposals(&app).len(), 3);
    for receipt in &receipts {
        accept(&app, receipt.proposal_id.as_ref().unwrap(), None).unwrap();
    }
    assert_eq!(texts(&paths), NAMES.map(new_text));
    assert_eq!(change(&app, &paths, EditMode::DryRun).unwrap_err().file_id.as_deref(), Some(ids[0].as_str()));
}

#[test]
fn a_file_by_two_names_is_one_batch_on_one_revision() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "one\ntwo\n");
    let app = scratch.app();
    let file_id = open(&app, &path).file_id;
    let files = [file_id.clone()];
    let run = |message: &str, mode| {
        let request = PatchRequest { files: &files, mode, model: None };
        patch(&app, &markdown_diff::parse(message), &request, &Stop::default())
    };
    let two_revisions = format!("{}{}", block("a.md", 1, "one", "1"), block(&file_id, 2, "two", "2"));
    assert_eq!(run(&two_revisions, EditMode::Commit).unwrap_err().status, 422);
    let message = format!("{}{}", block("a.md", 1, "one", "1"), block(&file_id, 1, "two", "2"));
    assert_eq!(run(&message, EditMode::DryRun).unwrap().len(), 1);
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    let receipts = run(&message, EditMode::Commit).unwrap();
    assert_eq!((receipts.len(), receipts[0].content_rev, receipts[0].changes.len()), (1, 2, 2));
    assert_eq!(fs::read_to_string(&path).unwrap(), "1\n2\n");
}
