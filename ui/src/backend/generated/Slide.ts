// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { ShapePlace } from "./ShapePlace";

export type Slide = { id: number, title: string, hidden: boolean, notes: string, shapes: Array<ShapePlace>, };
