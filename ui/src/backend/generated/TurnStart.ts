// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { EditMode } from "./EditMode";

/**
 * The user's words to the assistant.
 */
export type TurnStart = { message: string, 
/**
 * The files that the assistant may see, the one in front first.
 */
file_ids: Array<string>, 
/**
 * `builtin` or `provider/model`; the settings' choice when absent.
 */
model?: string, 
/**
 * A name under which the conversation goes on.
 */
conversation?: string, 
/**
 * What happens with edits; the settings' choice when absent.
 */
mode?: EditMode, };
