// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { Slide } from "./Slide";

/**
 * Shapes of `documents::preview::slides`.
 */
export type SlideList = { 
/**
 * EMU.
 */
width: number, height: number, slides: Array<Slide>, };
