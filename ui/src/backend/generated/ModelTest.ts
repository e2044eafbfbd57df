// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * Which model to try.
 */
export type ModelTest = { provider: string, 
/**
 * The provider's first model of the settings when absent, else the first that the endpoint offers.
 */
model?: string, };
