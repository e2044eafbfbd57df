//! One file is one file, by whatever path it is named (CONTRACT, section 1).

use super::*;

#[test]
fn the_same_file_by_links_dots_and_relative_paths() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    let app = scratch.app();
    let id = open(&app, &path).file_id;
    let folder = path.parent().unwrap();
    let mut spellings =
        vec![folder.join("../documents/./a.md"), folder.join("..").join("documents/../documents/a.md")];
    // From the process's own folder up to the root and down again.
    let ups = std::env::current_dir().unwrap().components().count() - 1;
    let canonical = fs::canonicalize(&path).unwrap();
    if cfg!(unix) {
        spellings.push(Path::new(&"../".repeat(ups)).join(canonical.strip_prefix("/").unwrap()));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("a.md", folder.join("one.md")).unwrap();
        symlink(folder.join("one.md"), folder.join("two.md")).unwrap();
        symlink("../documents/two.md", folder.join("three.md")).unwrap();
        symlink(folder, folder.with_file_name("linked")).unwrap();
        spellings.extend([folder.join("three.md"), folder.with_file_name("linked").join("two.md")]);
    }
    for spelling in &spellings {
        let document = open(&app, spelling);
        assert_eq!(
            (document.file_id.as_str(), document.content_rev),
            (id.as_str(), 1),
            "{}",
            spelling.display()
        );
        assert_eq!(document.path, canonical.to_str().unwrap());
    }
    assert_eq!(app.documents_list().unwrap().len(), 1);
    commit(&app, &id, 1, append("beta")).unwrap();
    for spelling in &spellings {
        assert_eq!(fs::read_to_string(spelling).unwrap(), "alpha\nbeta\n", "{}", spelling.display());
    }
    #[cfg(unix)]
    assert!(fs::symlink_metadata(folder.join("three.md")).unwrap().is_symlink(), "links stay links");
    println!("{} spellings", spellings.len());
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_or_around_are_refused() {
    let scratch = Scratch::new();
    let app = scratch.app();
    let (nowhere, around) = (scratch.path("nowhere.md"), scratch.path("around.md"));
    std::os::unix::fs::symlink("gone.md", &nowhere).unwrap();
    std::os::unix::fs::symlink("around.md", &around).unwrap();
    for path in [&nowhere, &around] {
        let params = params::DocumentPath { path: path.to_str().unwrap().into() };
        assert_eq!(code(app.documents_open(&params, &Stop::default())), ErrorCode::IoError);
    }
    // Making a file must not write through a link to somewhere else.
    let params = params::Create {
        path: nowhere.to_str().unwrap().into(),
        text: Some("x".into()),
        rows: None,
        format: None,
    };
    assert_eq!(code(app.documents_create(&params, &Stop::default())), ErrorCode::PathNotAllowed);
    assert!(!scratch.path("gone.md").exists());
}

/// A link that is led to another file means that other file from then on; nothing is written to where it led before.
#[cfg(unix)]
#[test]
fn a_link_that_is_turned_means_the_other_file() {
    let scratch = Scratch::new();
    let (first, second) = (scratch.write("first.md", "first\n"), scratch.write("second.md", "second\n"));
    let link = scratch.path("link.md");
    std::os::unix::fs::symlink(&first, &link).unwrap();
    let app = scratch.app();
    let id = open(&app, &link).file_id;
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(&second, &link).unwrap();
    assert_ne!(open(&app, &link).file_id, id);
    commit(&app, &id, 1, append("more")).unwrap();
    assert_eq!(fs::read_to_string(&first).unwrap(), "first\nmore\n");
    assert_eq!(fs::read_to_string(&second).unwrap(), "second\n");
}

/// Two names by hard link are two files to Stet. A save gives one of them the new content, keeps the other whole and says so.
#[cfg(unix)]
#[test]
fn a_hard_link_is_separated_and_that_is_said() {
    let scratch = Scratch::new();
    let path = scratch.write("a.md", "alpha\n");
    let other = scratch.path("b.md");
    fs::hard_link(&path, &other).unwrap();
    let app = scratch.app();
    let (id, other_id) = (open(&app, &path).file_id, open(&app, &other).file_id);
    assert_ne!(id, other_id);
    let receipt = commit(&app, &id, 1, append("beta")).unwrap();
    let codes: Vec<&str> = receipt.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(codes, ["hard_link_separated"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "alpha\nbeta\n");
    assert_eq!(fs::read_to_string(&other).unwrap(), "alpha\n");
    let next = commit(&app, &id, 2, append("gamma")).unwrap();
    assert!(next.warnings.is_empty(), "now it has one name");
    assert_eq!(open(&app, &other).content_rev, 1);
    check_sound(&scratch, &other);
}

/// On a folder that really ignores case: an ext4 image with that feature, where the machine lets us mount one.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_ignores_case_has_one_file_for_all_spellings() {
    let scratch = Scratch::new();
    let Some(mounted) = Mounted::ignoring_case(&scratch) else {
        println!("skipped: no folder that ignores case can be had here (STET_FULL=1 and root are needed)");
        return;
    };
    let folder = mounted.0.join("Folder");
    fs::write(folder.join("Notes.MD"), "alpha\n").unwrap();
    assert!(folder.join("notes.md").exists(), "the folder ignores case");
    let app = scratch.app();
    let first = open(&app, &folder.join("NOTES.md"));
    assert!(first.path.ends_with("Folder/Notes.MD"), "{}", first.path);
    for spelling in ["notes.md", "Notes.MD", "nOtEs.Md"] {
        assert_eq!(open(&app, &folder.join(spelling)).file_id, first.file_id, "{spelling}");
    }
    commit(&app, &first.file_id, 1, append("beta")).unwrap();
    let names: Vec<_> = fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["Notes.MD"], "the name keeps its spelling");
}
