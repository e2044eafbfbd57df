// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type PreviewSlides = { file_id: string, side: string, proposal_id?: string, };
