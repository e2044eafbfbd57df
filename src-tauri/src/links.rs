//! Links that leave the app, and addresses the window may show.
//!
//! The page asks the person first; this is the second check: only web and mail addresses go to the system, and the window itself
//! never leaves its own origin.

use tauri::Url;

/// Whether an address may be handed to the system's browser or mail program.
pub(crate) fn may_leave(address: &str) -> Option<Url> {
    let url = Url::parse(address).ok()?;
    let plain_web =
        matches!(url.scheme(), "http" | "https") && url.host().is_some() && url.password().is_none();
    (plain_web || url.scheme() == "mailto").then_some(url)
}

/// Whether the window (or a frame of it) may go to an address: our own pages and the empty frames of previews.
pub(crate) fn may_show(url: &Url) -> bool {
    match url.scheme() {
        "tauri" => true,
        "about" => matches!(url.path(), "blank" | "srcdoc"),
        // On Windows and Android the custom scheme is served under this host.
        "http" | "https" => url.host_str() == Some("tauri.localhost"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_and_mail_leave() {
        for address in ["https://example.org/a?b#c", "http://example.org", "mailto:a@example.org"] {
            assert!(may_leave(address).is_some(), "{address}");
        }
        let refused = [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "smb://host/share",
            "https://user:pw@example.org",
            "data:text/html,x",
            "/etc",
            "",
        ];
        for address in refused {
            assert!(may_leave(address).is_none(), "{address}");
        }
    }

    #[test]
    fn the_window_stays_at_home() {
        let shown = |address: &str| may_show(&Url::parse(address).unwrap());
        assert!(
            shown("tauri://localhost/")
                && shown("about:srcdoc")
                && shown("http://tauri.localhost/index.html")
        );
        assert!(!shown("https://example.org/") && !shown("file:///tmp/x.html") && !shown("data:text/html,x"));
    }
}
