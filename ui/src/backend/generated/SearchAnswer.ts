// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { SearchMatch } from "./SearchMatch";

export type SearchAnswer = { ok: boolean, matches: Array<SearchMatch>, 
/**
 * Whether there were more matches than `max`.
 */
truncated: boolean, };
