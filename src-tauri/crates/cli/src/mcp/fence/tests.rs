//! The fence on a small tree with links in both directions.

use std::fs;

use super::*;

struct Tree {
    folder: tempfile::TempDir,
}

impl Tree {
    fn new() -> Tree {
        let tree = Tree { folder: tempfile::tempdir().unwrap() };
        for folder in ["in/sub", "in/home/blobs", "out"] {
            fs::create_dir_all(tree.path(folder)).unwrap();
        }
        for file in ["in/a.md", "in/sub/b.md", "in/home/blobs/c", "out/secret.md"] {
            fs::write(tree.path(file), "x").unwrap();
        }
        tree
    }

    fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(name)
    }

    fn fence(&self, roots: &[&str]) -> Fence {
        let roots: Vec<PathBuf> = roots.iter().map(|root| self.path(root)).collect();
        let mut grants = Grants::of(&roots, &self.path("in/home")).unwrap();
        grants.working = None;
        Fence::new(grants)
    }

    fn uri(&self, name: &str) -> String {
        url::Url::from_file_path(self.path(name)).unwrap().to_string()
    }
}

fn code(result: Result<PathBuf, AppError>) -> ErrorCode {
    result.unwrap_err().code
}

#[test]
fn only_what_lies_inside_is_admitted() {
    let tree = Tree::new();
    let fence = tree.fence(&["in"]);
    assert_eq!(fence.admit(Path::new("sub/b.md")).unwrap(), tree.path("in/sub/b.md"));
    assert_eq!(fence.admit(&tree.path("in/sub/../a.md")).unwrap(), tree.path("in/a.md"));
    for outside in
        ["../out/secret.md", "sub/../../out/secret.md", "../out/none.md", "../in2/x", "/etc/hostname"]
    {
        assert_eq!(code(fence.admit(Path::new(outside))), ErrorCode::PathNotAllowed, "{outside}");
    }
    assert_eq!(code(fence.admit(Path::new("home/blobs/c"))), ErrorCode::PathNotAllowed, "Stet home");
    assert_eq!(code(fence.admit(Path::new("none.md"))), ErrorCode::IoError);
    assert_eq!(code(fence.admit(Path::new("none/../../out/secret.md"))), ErrorCode::PathNotAllowed);
    assert_eq!(code(fence.admit(Path::new("a\0b"))), ErrorCode::PathNotAllowed);
}

#[cfg(unix)]
#[test]
fn links_are_followed_before_the_question() {
    use std::os::unix::fs::symlink;
    let tree = Tree::new();
    symlink(tree.path("out"), tree.path("in/door")).unwrap();
    symlink(tree.path("out/secret.md"), tree.path("in/window.md")).unwrap();
    symlink(tree.path("in/a.md"), tree.path("in/alias.md")).unwrap();
    symlink(tree.path("out/nothing"), tree.path("in/dangling.md")).unwrap();
    let fence = tree.fence(&["in"]);
    for outside in ["door/secret.md", "window.md", "door/none.md", "dangling.md"] {
        assert_eq!(code(fence.admit(Path::new(outside))), ErrorCode::PathNotAllowed, "{outside}");
    }
    assert_eq!(fence.admit(Path::new("alias.md")).unwrap(), tree.path("in/a.md"));
    assert_eq!(code(fence.admit_new(Path::new("door/new.md"))), ErrorCode::PathNotAllowed);
    assert_eq!(fence.admit_new(Path::new("sub/new.md")).unwrap(), tree.path("in/sub/new.md"));
    assert_eq!(code(fence.admit_new(Path::new("../new.md"))), ErrorCode::PathNotAllowed);
    assert_eq!(code(fence.admit_new(Path::new(".."))), ErrorCode::PathNotAllowed);
}

#[test]
fn roots_of_the_client_narrow_and_never_widen() {
    let tree = Tree::new();
    let fence = tree.fence(&["in"]);
    fence.take_roots(Some(vec![tree.uri("in/sub"), tree.uri("out"), "https://example.org/".into()]));
    assert_eq!(fence.folders(), [tree.path("in/sub")]);
    assert_eq!(code(fence.admit(&tree.path("in/a.md"))), ErrorCode::PathNotAllowed);
    fence.take_roots(Some(vec![tree.uri("")]));
    assert_eq!(fence.folders(), [tree.path("in")]);
    fence.take_roots(Some(vec![tree.uri("out")]));
    assert_eq!(fence.folders(), Vec::<PathBuf>::new());
    fence.take_roots(None);
    assert_eq!(fence.folders(), [tree.path("in")]);
    let open = tree.fence(&[]);
    assert_eq!(code(open.admit(&tree.path("in/a.md"))), ErrorCode::PathNotAllowed);
    open.take_roots(Some(vec![tree.uri("out")]));
    assert_eq!(open.admit(&tree.path("out/secret.md")).unwrap(), tree.path("out/secret.md"));
}
