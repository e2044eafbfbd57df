// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * Texts to copy into a client.
 */
export type ClientConfiguration = { 
/**
 * The two variables that most clients read.
 */
environment: string, 
/**
 * The same as JSON, for clients with a settings file.
 */
json: string, };
