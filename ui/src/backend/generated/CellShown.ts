// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.

export type CellShown = { "kind": "empty" } | { "kind": "text", "is": string } | { "kind": "number", "is": number } | { "kind": "truth", "is": boolean } | { "kind": "error", "is": string } | { "kind": "date", "is": string };
