//! The generated TypeScript is what the Rust types say: written with `STET_WRITE_GENERATED=1`, else compared.

use std::{collections::BTreeMap, fs, path::Path};

use documents::{Change, Node, PackageReport, Place, Warning};
use serde_json::{Value, json};
use ts_rs::{Config, TS};

use super::{AppError, Event, Request, mirror};

const HEAD: &str = "// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.\n";

/// What a typed `call` needs: the command names, and params and answer of each.
const COMMANDS: &str = r#"
import type { Answers } from "./Answers";
import type { Request } from "./Request";

export type CommandName = Request["command"];
export type ParamsOf<C extends CommandName> = Extract<Request, { command: C }>["params"];
export type AnswerOf<C extends CommandName> = Answers[C];
"#;

fn generated() -> BTreeMap<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let config = Config::new().with_large_int("number").with_out_dir(folder.path());
    Request::export_all(&config).unwrap();
    Event::export_all(&config).unwrap();
    AppError::export_all(&config).unwrap();
    super::Answers::export_all(&config).unwrap();

    let mut files = BTreeMap::new();
    collect(folder.path(), folder.path(), &mut files);
    files.insert("commands.ts".into(), HEAD.to_owned() + COMMANDS);
    files
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(&path).unwrap();
            files.insert(name, HEAD.to_owned() + text.split_once('\n').unwrap().1);
        }
    }
}

#[test]
fn generated_types_are_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ui/src/backend/generated");
    let wanted = generated();
    if std::env::var_os("STET_WRITE_GENERATED").is_some() {
        let _ = fs::remove_dir_all(&folder);
        for (name, text) in &wanted {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let mut found = BTreeMap::new();
    if folder.is_dir() {
        collect_as_is(&folder, &folder, &mut found);
    }
    let stale: Vec<&String> =
        wanted.keys().chain(found.keys()).filter(|name| wanted.get(*name) != found.get(*name)).collect();
    assert!(stale.is_empty(), "run the assistant's tests with STET_WRITE_GENERATED=1; stale: {stale:?}");
}

fn collect_as_is(root: &Path, folder: &Path, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_as_is(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            files.insert(name, fs::read_to_string(&path).unwrap().replace("\r\n", "\n"));
        }
    }
}

/// The mirrors have the fields that `documents` really serialises.
#[test]
fn mirrors_show_the_real_fields() {
    let change = Change {
        op: 0,
        location: "L1".into(),
        before: Some("".into()),
        after: Some("".into()),
        detail: Some("".into()),
    };
    let warning = Warning::at("a", "b", "c");
    let place = Place { location: "L1".into(), text: "a".into() };
    let node = Node::new("L1", "line", "a");
    check_mirror::<mirror::ChangeShape>(&json!(change));
    check_mirror::<mirror::WarningShape>(&json!(warning));
    check_mirror::<mirror::PackageReportShape>(&json!(PackageReport::default()));
    check_mirror::<mirror::PlaceShape>(&json!(place));
    check_mirror::<mirror::NodeShape>(&json!(node));
}

fn check_mirror<T: TS>(real: &Value) {
    let declared = T::inline(&Config::new());
    for field in real.as_object().unwrap().keys() {
        let is_declared = declared.contains(&format!("{field}:")) || declared.contains(&format!("{field}?:"));
        assert!(is_declared, "{field} is not in {declared}");
    }
}
