// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * The language of the window.
 */
export type Language = "system" | "en" | "zh";
