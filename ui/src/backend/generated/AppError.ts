// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { ErrorCode } from "./ErrorCode";
import type { Place } from "./Place";
import type { Retry } from "./Retry";

/**
 * The contract's `error` object, with the file and its current revision where they are known.
 */
export type AppError = { code: ErrorCode, status: number, op?: number, message: string, hint?: string, 
/**
 * The endpoint's own code, when a model or endpoint is at fault.
 */
cause?: string, retry: Retry, matches?: Array<Place>, file_id?: string, content_rev?: number, };
