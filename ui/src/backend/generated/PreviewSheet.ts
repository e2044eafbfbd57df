// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * A window of cells; rows and columns are 1-based and inclusive.
 */
export type PreviewSheet = { file_id: string, 
/**
 * `current`, `before`, `after` (of a proposal), or a snapshot id.
 */
side: string, proposal_id?: string, 
/**
 * 0-based; the first visible sheet when absent.
 */
sheet?: number, rows: [number, number], columns: [number, number], 
/**
 * Whether widths, heights, merges and floating objects are wanted too.
 */
with_layout?: boolean, };
