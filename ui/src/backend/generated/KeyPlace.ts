// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * Where a provider's key is.
 */
export type KeyPlace = "keychain" | "session" | "none";
