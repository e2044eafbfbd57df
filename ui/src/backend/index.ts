/** The page's only door: requests, and one ordered stream of events. Which backend stands behind it is decided here, once. */
import type { AppError, DocumentInfo, Proposal, Receipt, Snapshot } from './wire';

export * from './wire';

export type Side = 'current' | 'before' | 'after' | (string & {});

export interface PreviewTarget {
  file_id: string;
  side: Side;
  proposal_id?: string;
}

export interface TextView {
  text: string;
  encoding: string;
  line_ending: string;
}

export interface TextDiff {
  hunks: [number, number, number, number][];
}

export interface Opened {
  opened: DocumentInfo[];
  failed: { name: string; error: AppError }[];
}

export interface RecentFile {
  path: string;
  name: string;
  folder: string;
}

/** What the page needs to draw itself for the first time. */
export interface Begin {
  documents: DocumentInfo[];
  failed: { name: string; error: AppError }[];
  platform: 'linux' | 'windows' | 'macos' | 'browser';
  first_start: boolean;
}

export interface HistoryAnswer {
  file_id: string;
  content_rev: number;
  snapshots: Snapshot[];
}

/** Requests and their answers. */
export interface Commands {
  'shell.open_dialog': [Record<string, never>, Opened];
  'shell.open_samples': [Record<string, never>, Opened];
  'shell.open_recent': [{ path: string }, Opened];
  'shell.recent': [Record<string, never>, RecentFile[]];
  'shell.forget_recent': [Record<string, never>, unknown];
  'shell.relink_dialog': [{ file_id: string }, DocumentInfo | null];
  'shell.open_link': [{ address: string }, unknown];
  'shell.show_in_folder': [{ file_id: string }, unknown];
  'shell.theme': [{ theme: 'system' | 'light' | 'dark' }, unknown];
  'documents.list': [Record<string, never>, DocumentInfo[]];
  'documents.close': [{ file_id: string }, unknown];
  'documents.diff': [{ file_id: string; proposal_id?: string; snapshot?: string; against?: string }, { changes: import('./wire').Change[]; text_diff?: TextDiff }];
  'preview.text': [PreviewTarget, TextView];
  'proposals.list': [{ file_id?: string }, Proposal[]];
  'proposals.accept': [{ proposal_id: string; changes?: number[] }, Receipt];
  'proposals.reject': [{ proposal_id: string }, unknown];
  'history.list': [{ file_id: string }, HistoryAnswer];
  'history.restore': [{ file_id: string; snapshot: string; expected_content_rev: number }, Receipt];
  'history.undo': [{ file_id: string; expected_content_rev: number }, Receipt];
  'history.redo': [{ file_id: string; expected_content_rev: number }, Receipt];
  'history.pin': [{ file_id: string; snapshot: string; pinned: boolean }, unknown];
  'turn.start': [{ message: string; file_ids: string[]; model?: string; conversation?: string }, { turn_id: string }];
  'turn.cancel': [{ turn_id: string }, unknown];
}

export type Command = keyof Commands;

export type AppEvent =
  | { event: 'document_changed'; document: DocumentInfo }
  | { event: 'document_gone'; file_id: string }
  | { event: 'proposal_changed'; proposal: Proposal }
  | { event: 'history_changed'; file_id: string }
  | { event: 'turn_started'; turn_id: string }
  | { event: 'turn_text'; turn_id: string; delta: string }
  | { event: 'turn_reasoning'; turn_id: string; delta: string }
  | { event: 'tool_call'; turn_id: string; id: string; name: string; state: string; arguments_so_far_bytes: number }
  | { event: 'tool_result'; turn_id: string; id: string; receipt: Receipt }
  | { event: 'turn_finished'; turn_id: string; message: string; usage?: { input: number; output: number } }
  | { event: 'turn_failed'; turn_id: string; error: AppError }
  | { event: 'settings_changed' }
  | { event: 'shell.drag'; over: boolean }
  | ({ event: 'shell.opened' } & Opened);

export interface Backend {
  begin(listener: (event: AppEvent) => void): Promise<Begin>;
  call<C extends Command>(command: C, params: Commands[C][0]): Promise<Commands[C][1]>;
}

/** What `call` throws: always an `AppError`, whatever went wrong below. */
export function asError(thrown: unknown): AppError {
  if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'message' in thrown) return thrown as AppError;
  return { code: 'internal', status: 500, message: thrown instanceof Error ? thrown.message : String(thrown) };
}

export async function connect(): Promise<Backend> {
  if (__FAKE_BACKEND__) return (await import('./fake')).fakeBackend();
  return (await import('./tauri')).tauriBackend();
}
