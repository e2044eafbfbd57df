//! An empty window, built with the same libraries and the same settings: the floor that `tests/e2e/bench.mjs` measures Stet against.

use tauri::{WebviewUrl, WebviewWindowBuilder};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let app = tauri::Builder::default()
        .setup(|app| {
            let nothing = WebviewUrl::External("about:blank".parse()?);
            WebviewWindowBuilder::new(app, "main", nothing)
                .title("Empty")
                .inner_size(1280.0, 800.0)
                .build()?;
            Ok(())
        })
        .build(tauri::generate_context!())?;
    app.run(|_, _| {});
    Ok(())
}
