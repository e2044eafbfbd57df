// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { Warning } from "./Warning";

/**
 * The app as such.
 */
export type AppStatus = { ok: boolean, version: string, 
/**
 * Stet home.
 */
home: string, 
/**
 * Repairs and the like.
 */
notices: Array<Warning>, };
