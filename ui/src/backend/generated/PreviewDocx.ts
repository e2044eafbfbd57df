// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type PreviewDocx = { file_id: string, side: string, proposal_id?: string, 
/**
 * About this many paragraphs of a long document; all of them when absent.
 */
most?: number, 
/**
 * Addresses that must be among them, with their surroundings.
 */
keep?: Array<string>, };
