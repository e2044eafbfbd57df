//! The desktop shell: a window around `assistant::api`, and the only code that names tauri.
//!
//! It opens the store, the window and one ordered event channel, and hands every request of the page to `App::call`. It decides
//! nothing about documents. What it adds is what only a desktop has: dialogs, drops, file arguments, a second start, links.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod bridge;
mod files;
mod launch;
mod links;
mod memory;
mod pictures;
mod shell;
mod window;

fn main() {
    if let Err(error) = launch::run() {
        launch::tell_and_exit(&error);
    }
}
