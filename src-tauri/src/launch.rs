//! Starting: the store, the plugins, the window, and the events that reach the shell from outside.

use std::{
    env, fmt,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use assistant::api::{App, AppError, AppOptions};
use tauri::{Manager, WindowEvent};

use crate::{bridge, files, shell::Shell, window};

/// Why there is no window.
#[derive(Debug)]
pub(crate) enum LaunchError {
    /// Neither `STET_HOME` nor a home folder is known.
    NoHome,
    Store(AppError),
    Tauri(tauri::Error),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::NoHome => {
                out.write_str("Stet has no place to keep its history: set HOME or STET_HOME.")
            }
            LaunchError::Store(error) => write!(out, "Stet's store cannot be opened: {}", error.message),
            LaunchError::Tauri(error) => write!(out, "The window cannot be opened: {error}"),
        }
    }
}

/// Runs the app to its end.
pub(crate) fn run() -> Result<(), LaunchError> {
    let options = AppOptions::from_environment().ok_or(LaunchError::NoHome)?.watching();
    let home = options.home.clone();
    let folder = env::current_dir().unwrap_or_default();
    let arguments = files::of_arguments(env::args().skip(1), &folder);

    let builder = tauri::Builder::default()
        .plugin(tauri_plugin_single_instance::init(|app, arguments, folder| {
            second_start(app, arguments, Path::new(&folder));
        }))
        .plugin(tauri_plugin_dialog::init())
        .invoke_handler(tauri::generate_handler![bridge::call])
        .on_window_event(|window, event| {
            let Some(shell) = window.try_state::<Arc<Shell>>() else { return };
            match event {
                WindowEvent::DragDrop(event) => files::dragged(&shell, event),
                event => window::remember(window, event, &shell),
            }
        })
        .setup(move |app| {
            // Opened here, after the second-start check: a second process must not touch the store at all.
            let shell = tauri::async_runtime::block_on(async { open_shell(options, home, arguments) })?;
            app.manage(Arc::clone(&shell));
            tauri::async_runtime::spawn(bridge::pump(Arc::clone(&shell)));
            window::build(app, &shell)?;
            Ok(())
        });
    let app = builder.build(tauri::generate_context!()).map_err(LaunchError::Tauri)?;
    app.run(|_, _| {});
    Ok(())
}

/// Says on standard error why there is no window, and ends.
pub(crate) fn tell_and_exit(error: &LaunchError) -> ! {
    let _ = writeln!(std::io::stderr(), "stet: {error}");
    std::process::exit(1);
}

fn open_shell(
    options: AppOptions,
    home: PathBuf,
    arguments: Vec<PathBuf>,
) -> Result<Arc<Shell>, Box<dyn std::error::Error>> {
    let app = App::open(options).map_err(|error| LaunchError::Store(error).to_string())?;
    Ok(Arc::new(Shell::new(app, home, arguments)))
}

/// A second start hands its files to this window and ends by itself.
fn second_start(app: &tauri::AppHandle, arguments: Vec<String>, folder: &Path) {
    window::come_forward(app);
    let files = files::of_arguments(arguments.into_iter().skip(1), folder);
    if let Some(shell) = app.try_state::<Arc<Shell>>().filter(|_| !files.is_empty()) {
        tauri::async_runtime::spawn(files::open_and_tell(Arc::clone(&shell), files));
    }
}
