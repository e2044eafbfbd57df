/**
 * A backend in memory, for browser tests and for work on the page alone. It understands two commands (replace, append) on text
 * and keeps revisions, proposals and snapshots like the real one. It is not a second implementation of the product.
 */
import type { AppError, AppEvent, Backend, Begin, Change, DocumentInfo, Proposal, Receipt, Snapshot, ToolReceipt } from './index';
import { sheetWindow, slideList, wordCopy } from './fake-previews';
import type { Settings } from './generated/Settings';

interface FakeDocument {
  info: DocumentInfo;
  text: string;
  snapshots: (Snapshot & { text: string })[];
  undone: string[];
}

interface FakeProposal {
  wire: Proposal;
  before: string;
  after: string;
}

type Params = Record<string, unknown>;
type Without<Part> = Part extends unknown ? Omit<Part, 'seq'> : never;
type Unnumbered = Without<AppEvent>;

const WELCOME = [
  '# Pilot plan',
  '',
  'The pilot begins in March with two teams and ends in June.',
  'Each team keeps a diary of what it changed.',
  '',
  '## Steps',
  '',
  '- Choose the documents',
  '- Agree on the words of the pilot',
  '- Measure, then decide',
  '',
].join('\n');

export function fakeBackend(): Backend {
  const fake = new Fake();
  (globalThis as { stetFake?: Fake }).stetFake = fake;
  return fake;
}

export class Fake implements Backend {
  calls: { command: string; params: Params }[] = [];
  documents = new Map<string, FakeDocument>();
  proposals = new Map<string, FakeProposal>();
  /** A test sets an error here; the next request of that command fails with it. */
  failNext = new Map<string, AppError>();
  private listener: (event: AppEvent) => void = () => {};
  settings: Settings = {
    language: 'system', theme: 'system', review: 'ask', author: '', providers: [], recent: [], kept_out: {},
    retention: { days: 180, per_file: 500, megabytes: 4096 }, turn: { steps: 24, tokens: 0, seconds: 900, inline_characters: 500 },
  };
  private outside: Change[] = [];
  private counter = 0;
  private seq = 0;

  constructor() {
    this.add('welcome.md', 'text', WELCOME);
    this.add('budget.xlsx', 'xlsx', '');
    this.add('kickoff.pptx', 'pptx', '');
    this.add('agreement.docx', 'docx', '');
  }

  begin(listener: (event: AppEvent) => void): Promise<Begin> {
    this.listener = listener;
    const documents = [...this.documents.values()].map((document) => document.info);
    return Promise.resolve({ documents: structuredClone(documents), failed: [], front: null, platform: 'browser', first_start: true });
  }

  async call(command: string, params: unknown): Promise<never> {
    const given = (params ?? {}) as Params;
    this.calls.push({ command, params: given });
    await Promise.resolve();
    const failure = this.failNext.get(command);
    if (failure) {
      this.failNext.delete(command);
      throw failure;
    }
    return structuredClone(await this.answer(command, given)) as never;
  }

  /** Core events get their number here. */
  emit(event: Unnumbered): void {
    this.listener({ seq: ++this.seq, ...structuredClone(event) } as AppEvent);
  }

  add(name: string, format: DocumentInfo['format'], text: string): DocumentInfo {
    const file_id = `file-${String(this.documents.size + 1).padStart(8, '0')}`;
    const info: DocumentInfo = {
      file_id, path: `/home/someone/Documents/${name}`, name, format, content_rev: 1, size: text.length, state: 'ok', warnings: [],
    };
    this.documents.set(file_id, { info, text, snapshots: [], undone: [] });
    return info;
  }

  private answer(command: string, params: Params): unknown {
    switch (command) {
      case 'documents.list':
        return [...this.documents.values()].map((document) => document.info);
      case 'documents.close':
        this.documents.delete(String(params.file_id));
        return {};
      case 'shell.open_dialog':
      case 'shell.open_samples':
        return { opened: [this.add(`note-${this.documents.size + 1}.md`, 'text', 'A note.\n')], failed: [] };
      case 'settings.get':
        return this.settings;
      case 'settings.update':
        Object.assign(this.settings, params.changes);
        return this.settings;
      case 'history.usage':
        return { ok: true, files: 1, snapshots: 2, stored_bytes: 4096 };
      case 'metrics.get':
        return { ok: true, rows: metrics() };
      case 'models.list':
        return { ok: true, provider: params.provider, models: ['large', 'medium', 'small'] };
      case 'models.test':
        return { ok: true, provider: params.provider, model: params.model ?? 'large', answer: 'ready', milliseconds: 420, calls_tools: true, prompt_tokens: 60, completion_tokens: 9 };
      case 'proxy.status':
      case 'proxy.stop':
        return { ok: true, running: false };
      case 'proxy.start':
        return {
          ok: true, running: true, url: 'http://127.0.0.1:8790/v1', token: 'token', provider: params.provider, upstream: 'http://127.0.0.1:11434/v1',
          configuration: { environment: 'OPENAI_BASE_URL=http://127.0.0.1:8790/v1\nOPENAI_API_KEY=token', json: '{}' },
        };
      case 'documents.outline':
        return this.outline(String(params.file_id), params.range as string | undefined);
      case 'documents.edit':
        return this.byHand(params);
      case 'app.status':
        return { ok: true, version: '0.1.0', home: '/home/someone/.local/share/stet', notices: [] };
      case 'keys.status':
      case 'keys.set':
        return { provider: params.provider, place: command === 'keys.set' ? 'keychain' : 'none', has_keychain: true };
      case 'shell.recent':
        return [{ path: '/home/someone/Documents/welcome.md', name: 'welcome.md', folder: '/home/someone/Documents' }];
      case 'preview.text':
        return { text: this.textOf(params), encoding: 'UTF-8', line_ending: 'lf' };
      case 'preview.sheet':
        return sheetWindow(params as never);
      case 'preview.slides':
        return slideList();
      case 'preview.docx':
        return wordCopy();
      case 'shell.slide_picture':
        throw refusal('unsupported_document', 415, 'The fake draws no pictures.');
      case 'documents.diff':
        return this.diff(params);
      case 'proposals.list':
        return [...this.proposals.values()].map((proposal) => proposal.wire);
      case 'proposals.accept':
        return this.accept(String(params.proposal_id));
      case 'proposals.reject':
        return this.reject(String(params.proposal_id));
      case 'history.list':
        return this.history(String(params.file_id));
      case 'history.undo':
      case 'history.restore':
        return this.restore(String(params.file_id), params.snapshot as string | undefined);
      case 'turn.start':
        return this.turn(String(params.message), params.file_ids as string[]);
      default:
        return {};
    }
  }

  private outline(file_id: string, range?: string): unknown {
    const { info, text } = this.document(file_id);
    let section = '';
    const nodes = info.format === 'docx'
      ? [{ at: range ?? 'p1', kind: 'paragraph', text: 'Supply agreement', level: 1 }]
      : text.split('\n').map((line, index) => {
          section = /^#+ (.*)/.exec(line)?.[1] ?? section;
          return { at: `L${index + 1}`, kind: 'line', text: line, ...(section && { section }) };
        });
    return { ok: true, file_id, path: info.path, format: info.format, content_rev: info.content_rev, nodes, truncated: false, next: null, warnings: [] };
  }

  /** Only noted: what a batch would do is the core's matter. */
  private byHand(params: Params): unknown {
    const { info } = this.document(String(params.file_id));
    return { ok: true, status: 'unchanged', file_id: info.file_id, path: info.path, previous_rev: info.content_rev, content_rev: info.content_rev, changes: [], warnings: [] };
  }

  /** Another program writes the file. */
  changeOutside(file_id: string, text: string): void {
    const document = this.document(file_id);
    const before = document.text;
    this.keep(document, 'opened', '');
    document.text = text;
    document.info.content_rev += 1;
    this.keep(document, 'external', '');
    this.outside = changedLines(before, text);
    this.emit({ event: 'document_changed', document: document.info });
  }

  private document(file_id: string): FakeDocument {
    const document = this.documents.get(file_id);
    if (!document) throw refusal('file_not_open', 403, `${file_id} is not open.`);
    return document;
  }

  private proposal(id: string): FakeProposal {
    const proposal = this.proposals.get(id);
    if (!proposal) throw refusal('internal', 500, `There is no proposal ${id}.`);
    return proposal;
  }

  private textOf(params: Params): string {
    const document = this.document(String(params.file_id));
    if (params.side === 'current') return document.text;
    if (params.side === 'before' || params.side === 'after') return this.proposal(String(params.proposal_id))[params.side];
    return document.snapshots.find((snapshot) => snapshot.id === params.side)?.text ?? document.text;
  }

  private diff(params: Params): unknown {
    if (!params.proposal_id) return { changes: this.outside, text_diff: { hunks: [], words: [] } };
    const proposal = this.proposal(String(params.proposal_id));
    return { changes: proposal.wire.changes, text_diff: { hunks: lineHunks(proposal.before, proposal.after), words: [] } };
  }

  private accept(id: string): Receipt {
    const proposal = this.proposal(id);
    const document = this.document(proposal.wire.file_id);
    this.keep(document, 'assistant', proposal.wire.summary);
    document.text = proposal.after;
    document.undone = [];
    return this.commit(document, proposal.wire, 'accepted');
  }

  private reject(id: string): unknown {
    const proposal = this.proposal(id);
    this.settle(this.document(proposal.wire.file_id), proposal.wire, 'rejected');
    return {};
  }

  private restore(file_id: string, snapshot?: string): Receipt {
    const document = this.document(file_id);
    const wanted = snapshot ? document.snapshots.find((kept) => kept.id === snapshot) : document.snapshots[0];
    if (!wanted) throw refusal('out_of_range', 422, 'There is nothing to undo.');
    const text = wanted.text;
    this.keep(document, 'restore', '');
    document.text = text;
    return this.commit(document);
  }

  private commit(document: FakeDocument, proposal?: Proposal, state: 'accepted' = 'accepted'): Receipt {
    const previous_rev = document.info.content_rev;
    document.info.content_rev += 1;
    document.info.size = document.text.length;
    if (proposal) this.settle(document, proposal, state);
    else this.emit({ event: 'document_changed', document: document.info });
    this.emit({ event: 'history_changed', file_id: document.info.file_id });
    const { file_id, path, content_rev } = document.info;
    return { ok: true, status: 'committed', file_id, path, previous_rev, content_rev, changes: proposal?.changes ?? [], warnings: [] };
  }

  private settle(document: FakeDocument, proposal: Proposal, state: Proposal['state']): void {
    proposal.state = state;
    delete document.info.pending_proposal;
    this.emit({ event: 'document_changed', document: document.info });
    this.emit({ event: 'proposal_changed', proposal });
  }

  private keep(document: FakeDocument, origin: Snapshot['origin'], summary: string): void {
    const id = `snap-${String(document.snapshots.length + 1).padStart(6, '0')}`;
    const { content_rev } = document.info;
    document.snapshots.unshift({
      id, at: new Date().toISOString(), content_rev, origin, summary, size: document.text.length, pinned: false, text: document.text,
    });
  }

  private history(file_id: string): unknown {
    const { info, snapshots } = this.document(file_id);
    const told = snapshots.map(({ text: _, ...wire }) => wire);
    return { ok: true, file_id, content_rev: info.content_rev, snapshots: told, can_undo: told.length > 0, can_redo: false };
  }

  private turn(message: string, file_ids: string[]): unknown {
    const turn_id = `turn-${++this.counter}`;
    void this.play(turn_id, message, file_ids[0]);
    return { turn_id };
  }

  private async play(turn_id: string, message: string, file_id?: string): Promise<void> {
    await pause();
    this.emit({ event: 'turn_started', turn_id });
    const said = /replace "(.*)" with "(.*)"/.exec(message);
    const document = file_id ? this.documents.get(file_id) : undefined;
    const reply = said && document ? 'I prepared the change for your review.' : 'I did not understand. Try: replace "X" with "Y"';
    if (said && document) this.propose(turn_id, document, said[1] ?? '', said[2] ?? '');
    for (const word of reply.split(/(?<= )/)) {
      await pause();
      this.emit({ event: 'turn_text', turn_id, delta: word });
    }
    this.emit({ event: 'turn_finished', turn_id, message: reply, receipts: [], usage: { input: 120, output: 24 } });
  }

  private propose(turn_id: string, document: FakeDocument, find: string, replace: string): void {
    const id = `call-${turn_id}`;
    this.emit({ event: 'tool_call', turn_id, id, name: 'file_edit', state: 'streaming', arguments_so_far_bytes: 48 });
    const receipt = this.stage(document, find, replace);
    this.emit({ event: 'tool_result', turn_id, id, receipt: JSON.parse(JSON.stringify(receipt)) });
  }

  private stage(document: FakeDocument, find: string, replace: string): ToolReceipt {
    const { file_id, path, content_rev } = document.info;
    if (!document.text.includes(find)) {
      const error = refusal('zero_matches', 422, `"${find}" is not in the document.`, 'Copy the words from the document.');
      return { ok: false, file_id, content_rev, error };
    }
    const after = document.text.replaceAll(find, replace);
    const changes = changedLines(document.text, after);
    const proposal_id = `prop-${++this.counter}`;
    const wire: Proposal = {
      proposal_id, file_id, base_rev: content_rev, state: 'pending', changes, warnings: [], ops: [], summary: `${find} → ${replace}`,
      origin: 'assistant', conflicts: [], created_at: new Date().toISOString(),
    };
    this.proposals.set(proposal_id, { wire, before: document.text, after });
    document.info.pending_proposal = proposal_id;
    this.emit({ event: 'document_changed', document: document.info });
    this.emit({ event: 'proposal_changed', proposal: wire });
    return { ok: true, status: 'staged', file_id, path, content_rev, proposal_id, changes, warnings: [] };
  }
}

function refusal(code: AppError['code'], status: number, message: string, hint?: string): AppError {
  return { code, status, message, hint, retry: 'none' };
}

function changedLines(before: string, after: string): Change[] {
  const old = before.split('\n');
  return after.split('\n').flatMap((line, index) =>
    line === old[index] ? [] : [{ op: 0, where: `line ${index + 1}`, before: old[index], after: line }]);
}

/** Hunks of equal line counts, in UTF-16 units: enough for a fake that only replaces inside lines. */
function lineHunks(before: string, after: string): number[][] {
  const old = before.split('\n');
  const hunks: number[][] = [];
  let a = 0;
  let b = 0;
  after.split('\n').forEach((line, index) => {
    const was = old[index] ?? '';
    if (was !== line) hunks.push([a, a + was.length, b, b + line.length]);
    a += was.length + 1;
    b += line.length + 1;
  });
  return hunks;
}

function metrics(): unknown[] {
  const none = { count: 0, p50_ms: 0, p95_ms: 0 };
  const row = (model: string, calls: number, ok: number, p50_ms: number) => ({
    model, endpoint: '', protocol: 'function_call', format: 'text', size: 'short', calls, ok, failures: { zero_matches: calls - ok }, continuations_tried: 0, continuations_saved: 0,
    retries_tried: 2, retries_saved: 1, accepted: ok, rejected: 0, read: none, commit: none, turn: { count: calls, p50_ms, p95_ms: p50_ms * 3 },
  });
  return [row('builtin', 40, 36, 24), row('local/large', 12, 11, 2400)];
}

function pause(): Promise<void> {
  return new Promise((done) => setTimeout(done, 12));
}
