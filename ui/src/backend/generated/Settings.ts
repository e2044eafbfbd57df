// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { Language } from "./Language";
import type { Provider } from "./Provider";
import type { Retention } from "./Retention";
import type { Review } from "./Review";
import type { Theme } from "./Theme";
import type { TurnLimits } from "./TurnLimits";

/**
 * Everything the user can choose.
 */
export type Settings = { language: Language, theme: Theme, review: Review, 
/**
 * The author of tracked changes and comments; the system's user name when empty.
 */
author: string, 
/**
 * `provider/model`, or `builtin`; the built-in model when absent.
 */
model?: string, providers: Array<Provider>, retention: Retention, turn: TurnLimits, 
/**
 * A fixed protocol for experiments: `function_call`, `fence`, `markdown_diff`, or `ab` for each in turn; chosen by payload when absent.
 */
protocol?: string, 
/**
 * Files opened lately, newest first.
 */
recent: Array<string>, 
/**
 * Parts of documents that no model may see, by file id: `sheet:Data`, `range:Data!B2:D9`, `slide:256`, `notes`, `section:A > B`.
 */
kept_out: { [key in string]: Array<string> }, };
