// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * The colours of the window.
 */
export type Theme = "system" | "light" | "dark";
