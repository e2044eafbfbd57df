// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { SlideList } from "./SlideList";

/**
 * The slides as places and text.
 */
export type SlidesPreview = SlideList;
