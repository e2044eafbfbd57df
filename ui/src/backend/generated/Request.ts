// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { Compare } from "./Compare";
import type { Create } from "./Create";
import type { Diff } from "./Diff";
import type { DocumentPath } from "./DocumentPath";
import type { Edit } from "./Edit";
import type { FileId } from "./FileId";
import type { KeyOf } from "./KeyOf";
import type { ModelTest } from "./ModelTest";
import type { ModelsOf } from "./ModelsOf";
import type { NewKey } from "./NewKey";
import type { NoParams } from "./NoParams";
import type { OutlineOf } from "./OutlineOf";
import type { Pin } from "./Pin";
import type { PreviewDocx } from "./PreviewDocx";
import type { PreviewSheet } from "./PreviewSheet";
import type { PreviewSlides } from "./PreviewSlides";
import type { PreviewText } from "./PreviewText";
import type { ProposalChoice } from "./ProposalChoice";
import type { ProposalOf } from "./ProposalOf";
import type { ProposalsOf } from "./ProposalsOf";
import type { ProxyStart } from "./ProxyStart";
import type { Relink } from "./Relink";
import type { Restore } from "./Restore";
import type { Search } from "./Search";
import type { SettingsChange } from "./SettingsChange";
import type { Step } from "./Step";
import type { TurnOf } from "./TurnOf";
import type { TurnStart } from "./TurnStart";
import type { Verify } from "./Verify";

/**
 * A command with its parameters.
 */
export type Request = { "command": "documents.open", "params": DocumentPath } | { "command": "documents.list", "params": NoParams } | { "command": "documents.close", "params": FileId } | { "command": "documents.relink", "params": Relink } | { "command": "documents.outline", "params": OutlineOf } | { "command": "documents.search", "params": Search } | { "command": "documents.edit", "params": Edit } | { "command": "documents.create", "params": Create } | { "command": "documents.verify", "params": Verify } | { "command": "documents.diff", "params": Diff } | { "command": "preview.text", "params": PreviewText } | { "command": "preview.sheet", "params": PreviewSheet } | { "command": "preview.docx", "params": PreviewDocx } | { "command": "preview.slides", "params": PreviewSlides } | { "command": "proposals.list", "params": ProposalsOf } | { "command": "proposals.accept", "params": ProposalChoice } | { "command": "proposals.reject", "params": ProposalChoice } | { "command": "proposals.rebase", "params": ProposalOf } | { "command": "history.list", "params": FileId } | { "command": "history.restore", "params": Restore } | { "command": "history.undo", "params": Step } | { "command": "history.redo", "params": Step } | { "command": "history.pin", "params": Pin } | { "command": "history.compare", "params": Compare } | { "command": "history.usage", "params": NoParams } | { "command": "app.status", "params": NoParams } | { "command": "settings.get", "params": NoParams } | { "command": "settings.update", "params": SettingsChange } | { "command": "keys.set", "params": NewKey } | { "command": "keys.clear", "params": KeyOf } | { "command": "keys.status", "params": KeyOf } | { "command": "models.list", "params": ModelsOf } | { "command": "models.test", "params": ModelTest } | { "command": "proxy.start", "params": ProxyStart } | { "command": "proxy.stop", "params": NoParams } | { "command": "proxy.status", "params": NoParams } | { "command": "turn.start", "params": TurnStart } | { "command": "turn.cancel", "params": TurnOf } | { "command": "metrics.get", "params": NoParams };
