// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * How long snapshots are kept; whatever is the only copy of something stays anyway.
 */
export type Retention = { 
/**
 * Snapshots older than this may go; 0 keeps them for ever.
 */
days: number, 
/**
 * Of one file at most this many are kept; 0 means no limit.
 */
per_file: number, 
/**
 * All together at most this many megabytes as stored; 0 means no limit.
 */
megabytes: number, };
