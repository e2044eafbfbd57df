//! Declares the one command to Tauri, so that the capability file has to name it.

fn main() {
    let manifest = tauri_build::AppManifest::new().commands(&["call"]);
    let attributes = tauri_build::Attributes::new().app_manifest(manifest);
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo:warning={error:#}");
        std::process::exit(1);
    }
}
