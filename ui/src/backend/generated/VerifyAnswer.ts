// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { PackageReport } from "./PackageReport";

export type VerifyAnswer = { ok: boolean, well_formed: boolean, relationships: boolean, 
/**
 * What is wrong, when something is.
 */
problems: Array<string>, package?: PackageReport, };
