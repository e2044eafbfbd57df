/** The page's only door: requests, and one ordered stream of events. Which backend stands behind it is decided here, once. */
import type { AnswersOfShell, Begin, Opened, ParamsOfShell } from './shell';
import type { Answers } from './generated/Answers';
import type { AppError } from './generated/AppError';
import type { Event } from './generated/Event';
import type { Request } from './generated/Request';

export type { AppError } from './generated/AppError';
export type { Change } from './generated/Change';
export type { DocumentInfo } from './generated/DocumentInfo';
export type { DocumentState } from './generated/DocumentState';
export type { Format } from './generated/Format';
export type { HistoryAnswer } from './generated/HistoryAnswer';
export type { PackageReport } from './generated/PackageReport';
export type { ProposalInfo as Proposal } from './generated/ProposalInfo';
export type { Receipt } from './generated/Receipt';
export type { SnapshotInfo as Snapshot } from './generated/SnapshotInfo';
export type { TextDiff } from './generated/TextDiff';
export type { TextPreview } from './generated/TextPreview';
export type { Warning } from './generated/Warning';
export type { Begin, Opened, RecentFile } from './shell';

/** One side of a document: as it is, before or after a proposal, or a snapshot. */
export interface PreviewTarget {
  file_id: string;
  side: string;
  proposal_id?: string;
}

/** What a tool answered: a receipt, a refusal, or an answer that only reads. */
export interface ToolReceipt {
  ok: boolean;
  status?: 'committed' | 'staged' | 'dry_run' | 'unchanged';
  file_id?: string;
  path?: string;
  content_rev?: number;
  proposal_id?: string;
  changes?: import('./generated/Change').Change[];
  warnings?: import('./generated/Warning').Warning[];
  error?: AppError;
  [more: string]: unknown;
}

type CoreCommand = keyof Answers;
type CoreParams<C extends CoreCommand> = Extract<Request, { command: C }>['params'];
export type Command = CoreCommand | keyof AnswersOfShell;
export type Params<C extends Command> = C extends keyof ParamsOfShell ? ParamsOfShell[C] : C extends CoreCommand ? CoreParams<C> : never;
export type Answer<C extends Command> = C extends keyof AnswersOfShell ? AnswersOfShell[C] : C extends CoreCommand ? Answers[C] : never;

export type AppEvent =
  | Event
  | { event: 'shell.drag'; over: boolean }
  | { event: 'shell.missed'; missed: number }
  | ({ event: 'shell.opened' } & Opened);

export interface Backend {
  begin(listener: (event: AppEvent) => void): Promise<Begin>;
  call<C extends Command>(command: C, params: Params<C>): Promise<Answer<C>>;
}

/** What `call` throws: always an `AppError`, whatever went wrong below. */
export function asError(thrown: unknown): AppError {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'message' in thrown) return thrown as AppError;
  return { code: 'internal', status: 500, retry: 'none', message: thrown instanceof Error ? thrown.message : String(thrown) };
}

export async function connect(): Promise<Backend> {
  if (__FAKE_BACKEND__) return (await import('./fake')).fakeBackend();
  return (await import('./tauri')).tauriBackend();
}
