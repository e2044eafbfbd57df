// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * A key on its way in. It is not shown by `Debug`.
 */
export type NewKey = { provider: string, key: string, 
/**
 * Not into the keychain; it is forgotten when the app ends.
 */
session_only?: boolean, };
