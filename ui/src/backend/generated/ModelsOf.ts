// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * A provider of the settings.
 */
export type ModelsOf = { provider: string, };
