// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { Change } from "./Change";
import type { PackageReport } from "./PackageReport";
import type { TextDiff } from "./TextDiff";
import type { Warning } from "./Warning";

export type ComparisonAnswer = { ok: boolean, changes: Array<Change>, package?: PackageReport, text_diff?: TextDiff, 
/**
 * Of texts: the difference as `diff -u` writes it.
 */
unified?: string, warnings: Array<Warning>, };
