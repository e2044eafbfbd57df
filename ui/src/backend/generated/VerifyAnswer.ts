// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { PackageReport } from "./PackageReport";

export type VerifyAnswer = { ok: boolean, well_formed: boolean, relationships: boolean, 
/**
 * What is wrong, when something is.
 */
problems: Array<string>, 
/**
 * What is unsound beyond that (orphan parts, lists and pointers that disagree); against another version only what that has not.
 */
findings?: Array<string>, package?: PackageReport, };
