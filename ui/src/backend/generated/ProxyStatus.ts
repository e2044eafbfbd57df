// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { ClientConfiguration } from "./ClientConfiguration";

/**
 * How the proxy stands.
 */
export type ProxyStatus = { ok: boolean, running: boolean, 
/**
 * The base address for clients: `http://127.0.0.1:8790/v1`.
 */
url?: string, 
/**
 * What clients send as their key.
 */
token?: string, provider?: string, 
/**
 * The endpoint behind it.
 */
upstream?: string, configuration?: ClientConfiguration, 
/**
 * The text of the proxy's `/metrics` page.
 */
metrics?: string, };
