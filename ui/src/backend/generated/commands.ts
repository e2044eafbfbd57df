// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

import type { Answers } from "./Answers";
import type { Request } from "./Request";

export type CommandName = Request["command"];
export type ParamsOf<C extends CommandName> = Extract<Request, { command: C }>["params"];
export type AnswerOf<C extends CommandName> = Answers[C];
