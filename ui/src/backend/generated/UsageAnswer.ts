// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * What the snapshots take on the disk.
 */
export type UsageAnswer = { ok: boolean, files: number, snapshots: number, 
/**
 * Bytes of all contents as stored (compressed, each once).
 */
stored_bytes: number, };
