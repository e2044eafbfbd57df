// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

/**
 * What the model really answered.
 */
export type ModelTestAnswer = { ok: boolean, provider: string, model: string, 
/**
 * The model's words, as they came.
 */
answer: string, 
/**
 * From the request to the whole answer.
 */
milliseconds: number, 
/**
 * It made a whole tool call when it was asked for one; without that it cannot edit by tools.
 */
calls_tools: boolean, 
/**
 * Why there was no whole call.
 */
tools_problem?: string, prompt_tokens: number, completion_tokens: number, };
