// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { SheetWindow } from "./SheetWindow";

/**
 * A window of cells.
 */
export type SheetPreview = SheetWindow;
