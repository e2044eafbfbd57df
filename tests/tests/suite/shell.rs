//! What the window may do, read from its configuration: one command, no remote content, a policy without unsafe words.

use std::fs;

use serde_json::{Value, json};
use stet_tests::repository;

fn read(path: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(repository().join(path)).unwrap()).unwrap()
}

#[test]
fn the_page_has_one_permission() {
    let files: Vec<String> = fs::read_dir(repository().join("src-tauri/capabilities"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(files, ["main.json"], "every capability is listed here");
    let capability = read("src-tauri/capabilities/main.json");
    assert_eq!(capability["permissions"], json!(["allow-call"]));
    assert_eq!(capability["windows"], json!(["main"]));
    assert_eq!(capability["local"], json!(true));
    assert!(capability.get("remote").is_none(), "no page from elsewhere may ask for anything");
}

#[test]
fn the_policy_is_strict() {
    let configuration = read("src-tauri/tauri.conf.json");
    let app = &configuration["app"];
    assert_eq!(app["withGlobalTauri"], json!(false));
    assert_eq!(app["windows"], json!([]), "the window is built in code, where navigation is refused");
    let security = &app["security"];
    assert_eq!(security["capabilities"], json!(["main"]));
    assert!(security.get("dangerousDisableAssetCspModification").is_none());
    assert!(security.get("assetProtocol").is_none(), "no file of the disk is served to the page");
    let policy = security["csp"].as_object().unwrap();
    for (directive, sources) in policy {
        let sources = sources.as_str().unwrap();
        assert!(!sources.contains("unsafe") && !sources.contains('*'), "{directive}: {sources}");
        let elsewhere =
            sources.split(' ').any(|source| source.starts_with("http") && source != "http://ipc.localhost");
        assert!(!elsewhere, "{directive}: {sources}");
    }
    for (directive, sources) in [
        ("default-src", "'none'"),
        ("script-src", "'self'"),
        ("style-src", "'self'"),
        ("object-src", "'none'"),
        ("worker-src", "'none'"),
        ("base-uri", "'none'"),
        ("form-action", "'none'"),
        ("connect-src", "ipc: http://ipc.localhost"),
    ] {
        assert_eq!(policy.get(directive).and_then(Value::as_str), Some(sources), "{directive}");
    }
}

#[test]
fn only_the_backend_of_the_page_knows_tauri() {
    let mut folders = vec![repository().join("ui/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            let is_door = path.components().any(|part| part.as_os_str() == "backend");
            assert!(is_door || !text.contains("@tauri-apps"), "{}", path.display());
            // The page asks the core for everything, so that nothing in it could be made to fetch.
            let is_page = !is_door
                && path.extension().is_some_and(|extension| extension == "ts" || extension == "svelte");
            let fetches = ["fetch(", "XMLHttpRequest", "WebSocket(", "EventSource(", "sendBeacon"];
            assert!(
                !is_page
                    || !fetches.iter().any(|word| text.contains(word) && !text.contains(&format!(".{word}"))),
                "{}",
                path.display()
            );
        }
    }
}
