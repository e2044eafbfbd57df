//! The one window: built in code, because navigation, new windows and downloads are refused here.

use tauri::{
    Manager, Runtime, Theme, WebviewUrl, WebviewWindow, WebviewWindowBuilder, WindowEvent,
    webview::{DownloadEvent, NewWindowResponse},
};

use crate::{links, memory::Place, shell::Shell};

/// The window's label, named by the capability file.
pub(crate) const MAIN: &str = "main";

/// Smaller than this the review no longer has two readable sides.
const SMALLEST: (f64, f64) = (560.0, 420.0);
const FIRST: Place = Place { width: 1280.0, height: 800.0, maximized: false };

/// Builds the window at its remembered size; the page is the one embedded in the binary.
pub(crate) fn build<R: Runtime>(app: &tauri::App<R>, shell: &Shell) -> tauri::Result<WebviewWindow<R>> {
    let place = shell.memory.now().window.unwrap_or(FIRST);
    WebviewWindowBuilder::new(app, MAIN, WebviewUrl::App("index.html".into()))
        .title("Stet")
        .inner_size(place.width.max(SMALLEST.0), place.height.max(SMALLEST.1))
        .min_inner_size(SMALLEST.0, SMALLEST.1)
        .maximized(place.maximized)
        .data_directory(shell.home.join("webview"))
        .on_navigation(links::may_show)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, event| !matches!(event, DownloadEvent::Requested { .. }))
        .build()
}

/// Follows the theme the person chose; `None` follows the system.
pub(crate) fn set_theme<R: Runtime>(app: &tauri::AppHandle<R>, theme: Option<Theme>) -> tauri::Result<()> {
    app.get_webview_window(MAIN).map_or(Ok(()), |window| window.set_theme(theme))
}

/// Puts the window in front, for a second start.
pub(crate) fn come_forward<R: Runtime>(app: &tauri::AppHandle<R>) {
    if let Some(window) = app.get_webview_window(MAIN) {
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

/// Remembers the size when the window closes.
pub(crate) fn remember<R: Runtime>(window: &tauri::Window<R>, event: &WindowEvent, shell: &Shell) {
    let WindowEvent::CloseRequested { .. } = event else { return };
    let (Ok(size), Ok(scale), Ok(maximized)) =
        (window.inner_size(), window.scale_factor(), window.is_maximized())
    else {
        return;
    };
    let logical = size.to_logical::<f64>(scale);
    shell.memory.change(|remembered| {
        let normal = remembered.window.filter(|_| maximized).unwrap_or(Place {
            width: logical.width,
            height: logical.height,
            maximized,
        });
        remembered.window = Some(Place { maximized, ..normal });
    });
}
