// Generated from src-tauri/crates/assistant/src/api by its tests. Do not edit.
import type { AppStatus } from "./AppStatus";
import type { ComparisonAnswer } from "./ComparisonAnswer";
import type { DocumentInfo } from "./DocumentInfo";
import type { DocxPreview } from "./DocxPreview";
import type { Done } from "./Done";
import type { HistoryAnswer } from "./HistoryAnswer";
import type { KeyStatus } from "./KeyStatus";
import type { MetricsAnswer } from "./MetricsAnswer";
import type { ModelTestAnswer } from "./ModelTestAnswer";
import type { ModelsAnswer } from "./ModelsAnswer";
import type { OutlineAnswer } from "./OutlineAnswer";
import type { ProposalInfo } from "./ProposalInfo";
import type { ProxyStatus } from "./ProxyStatus";
import type { Receipt } from "./Receipt";
import type { SearchAnswer } from "./SearchAnswer";
import type { Settings } from "./Settings";
import type { SheetPreview } from "./SheetPreview";
import type { SlidesPreview } from "./SlidesPreview";
import type { TextPreview } from "./TextPreview";
import type { TurnStarted } from "./TurnStarted";
import type { UsageAnswer } from "./UsageAnswer";
import type { VerifyAnswer } from "./VerifyAnswer";

/**
 * The answer to each command, as TypeScript sees it. Never built.
 */
export type Answers = { "documents.open": DocumentInfo, "documents.list": Array<DocumentInfo>, "documents.close": Done, "documents.relink": DocumentInfo, "documents.outline": OutlineAnswer, "documents.search": SearchAnswer, "documents.edit": Receipt, "documents.create": Receipt, "documents.verify": VerifyAnswer, "documents.diff": ComparisonAnswer, "preview.text": TextPreview, "preview.sheet": SheetPreview, "preview.docx": DocxPreview, "preview.slides": SlidesPreview, "proposals.list": Array<ProposalInfo>, "proposals.accept": Receipt, "proposals.reject": Done, "proposals.rebase": ProposalInfo, "history.list": HistoryAnswer, "history.restore": Receipt, "history.undo": Receipt, "history.redo": Receipt, "history.pin": Done, "history.compare": ComparisonAnswer, "history.usage": UsageAnswer, "app.status": AppStatus, "settings.get": Settings, "settings.update": Settings, "keys.set": KeyStatus, "keys.clear": Done, "keys.status": KeyStatus, "models.list": ModelsAnswer, "models.test": ModelTestAnswer, "proxy.start": ProxyStatus, "proxy.stop": ProxyStatus, "proxy.status": ProxyStatus, "turn.start": TurnStarted, "turn.cancel": Done, "metrics.get": MetricsAnswer, };
