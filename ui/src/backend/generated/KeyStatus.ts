// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { KeyPlace } from "./KeyPlace";

/**
 * Where a provider's key is; never the key itself.
 */
export type KeyStatus = { provider: string, place: KeyPlace, has_keychain: boolean, 
/**
 * Why there is no keychain.
 */
detail?: string, };
