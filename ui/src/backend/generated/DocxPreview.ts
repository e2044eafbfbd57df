// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { Warning } from "./Warning";

/**
 * A preview-only copy of a Word document.
 */
export type DocxPreview = { 
/**
 * The package in base 64.
 */
package: string, 
/**
 * Bookmark `__pv_N` stands first in the paragraph with this address; null where it has none.
 */
paragraphs: Array<string | null>, 
/**
 * `__gap_N` stands for this many paragraphs that were left out.
 */
gaps: Array<number>, 
/**
 * What of the document is not in the copy, and why.
 */
notices?: Array<Warning>, };
