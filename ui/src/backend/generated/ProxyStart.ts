// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type ProxyStart = { 
/**
 * The provider of the settings whose endpoint answers.
 */
provider: string, 
/**
 * 8790 when absent; 0 takes a free one.
 */
port?: number, 
/**
 * Makes a new token; clients with the old one are refused from then on.
 */
new_token?: boolean, };
