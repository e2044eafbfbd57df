// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { Format } from "./Format";
import type { OutlineNode } from "./OutlineNode";
import type { Warning } from "./Warning";

export type OutlineAnswer = { ok: boolean, file_id: string, path: string, format: Format, content_rev: number, nodes: Array<OutlineNode>, truncated: boolean, next: string | null, warnings: Array<Warning>, };
