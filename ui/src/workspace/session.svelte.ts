/** The documents of this window and what waits in them. It draws nothing; events of the backend are its only other input. */
import { asError, type AppError, type AppEvent, type Backend, type Change, type DocumentInfo, type Opened, type Proposal, type Receipt, type Snapshot } from '../backend';
import { words, type Key, type Values } from '../i18n/index.svelte';

export type Phase = 'loading' | 'ready' | 'failed';
export type View = 'document' | 'review' | 'history';

/** A short message that goes away, or an error that stays until it is dismissed. */
export interface Notice {
  id: number;
  tone: 'good' | 'bad';
  title: Key;
  values: Values;
  error?: AppError;
  undo?: string;
}

/** What another program did to a document since the person last knew it. */
export interface Outside {
  since: Snapshot;
  changes: Change[];
}

const WAITING: Proposal['state'][] = ['pending', 'rebased', 'conflict'];
const NOTICE_MS = 8_000;

export class Session {
  phase: Phase = $state('loading');
  failure: AppError | undefined = $state();
  documents: DocumentInfo[] = $state([]);
  activeId: string | undefined = $state();
  view: View = $state('document');
  notices: Notice[] = $state([]);
  dragging = $state(false);
  /** A link of a document that the person is asked about. */
  link: string | undefined = $state();
  /** The change in front in a review, 0-based. */
  changeAt = $state(0);
  /** The command line tool beside the app, for configurations of other programs. */
  cli: string | undefined = $state();
  /** Goes up when a document's history changed, so that an open list reads it again. */
  historyTick: Record<string, number> = $state({});
  outside: Record<string, Outside> = $state({});
  /** The snapshot that the history compares with now as soon as it opens. */
  compareFrom: string | undefined = $state();
  private proposals: Record<string, Proposal> = $state({});
  private nextNotice = 1;

  constructor(readonly backend: Backend) {}

  active: DocumentInfo | undefined = $derived.by(() => this.documents.find((document) => document.file_id === this.activeId));

  /** The proposal that waits in a document, if one does. */
  waiting(file_id: string | undefined): Proposal | undefined {
    return Object.values(this.proposals).findLast((proposal) => proposal.file_id === file_id && WAITING.includes(proposal.state));
  }

  async begin(hear: (event: AppEvent) => void): Promise<void> {
    try {
      const begin = await this.backend.begin((event) => {
        this.hear(event);
        hear(event);
      });
      this.documents = begin.documents;
      this.cli = begin.cli ?? undefined;
      for (const proposal of await this.backend.call('proposals.list', {})) this.proposals[proposal.proposal_id] = proposal;
      this.activeId = begin.front ?? begin.documents[0]?.file_id;
      this.showWaiting();
      this.report({ opened: [], failed: begin.failed });
      this.phase = 'ready';
    } catch (thrown) {
      this.failure = asError(thrown);
      this.phase = 'failed';
    }
  }

  hear(event: AppEvent): void {
    switch (event.event) {
      case 'document_changed':
        this.changed(event.document);
        break;
      case 'document_gone':
        this.remove(event.file_id);
        break;
      case 'proposal_changed':
        this.proposalChanged(event.proposal);
        break;
      case 'history_changed':
        this.historyTick[event.file_id] = (this.historyTick[event.file_id] ?? 0) + 1;
        break;
      case 'shell.missed':
        void this.readAgain();
        break;
      case 'shell.drag':
        this.dragging = event.over;
        break;
      case 'shell.opened':
        this.dragging = false;
        this.report(event);
        break;
      default:
    }
  }

  /** Takes everything from the backend once more, after events were lost. */
  private async readAgain(): Promise<void> {
    await this.attempt(async () => {
      this.documents = await this.backend.call('documents.list', {});
      for (const proposal of await this.backend.call('proposals.list', {})) this.proposals[proposal.proposal_id] = proposal;
      for (const { file_id } of this.documents) this.historyTick[file_id] = (this.historyTick[file_id] ?? 0) + 1;
    });
  }

  select(file_id: string, view?: View): void {
    if (this.activeId !== file_id) this.changeAt = 0;
    this.activeId = file_id;
    this.view = view ?? (this.waiting(file_id) ? 'review' : 'document');
  }

  async openDialog(): Promise<void> {
    await this.attempt(async () => this.report(await this.backend.call('shell.open_dialog', {})));
  }

  async openSamples(): Promise<void> {
    await this.attempt(async () => this.report(await this.backend.call('shell.open_samples', { language: words.language })));
  }

  async openRecent(path: string): Promise<void> {
    await this.attempt(async () => this.report(await this.backend.call('shell.open_recent', { path })));
  }

  async relink(file_id: string): Promise<void> {
    await this.attempt(async () => {
      const found = await this.backend.call('shell.relink_dialog', { file_id });
      if (found) this.put(found);
    });
  }

  async showInFolder(file_id: string): Promise<void> {
    await this.attempt(async () => void (await this.backend.call('shell.show_in_folder', { file_id })));
  }

  async close(file_id: string): Promise<void> {
    await this.attempt(async () => {
      await this.backend.call('documents.close', { file_id });
      this.remove(file_id);
    });
  }

  async accept(proposal: Proposal, changes?: number[]): Promise<boolean> {
    return await this.attempt(async () => {
      const receipt = await this.backend.call('proposals.accept', { proposal_id: proposal.proposal_id, changes });
      if (changes) await this.takeRest(proposal);
      else this.settled(proposal.proposal_id, 'accepted');
      this.notify('good', 'review.accepted', { rev: receipt.content_rev }, { undo: proposal.file_id });
    });
  }

  /** After a part was accepted the rest goes on waiting, if there is one. */
  private async takeRest({ proposal_id, file_id }: Proposal): Promise<void> {
    const waiting = await this.backend.call('proposals.list', { file_id });
    const rest = waiting.find((other) => other.proposal_id === proposal_id && WAITING.includes(other.state));
    if (!rest) return this.settled(proposal_id, 'accepted');
    this.proposals[proposal_id] = rest;
    this.changeAt = 0;
  }

  async reject(proposal: Proposal): Promise<boolean> {
    return await this.attempt(async () => {
      await this.backend.call('proposals.reject', { proposal_id: proposal.proposal_id });
      this.settled(proposal.proposal_id, 'rejected');
      this.notify('good', 'review.rejected');
    });
  }

  /** A change made by the person's own hand: an operation like any other, shown before it is saved. */
  async editByHand(file_id: string, ops: Record<string, unknown>[]): Promise<boolean> {
    return await this.attempt(async () => {
      await this.backend.call('documents.edit', {
        file_id, ops: ops as never, expected_content_rev: this.revision(file_id), mode: 'stage', by_user: true,
      });
    });
  }

  async undo(file_id: string): Promise<void> {
    await this.step(file_id, 'history.undo');
  }

  async redo(file_id: string): Promise<void> {
    await this.step(file_id, 'history.redo');
  }

  async restore(file_id: string, snapshot: string): Promise<void> {
    await this.attempt(async () => {
      const receipt = await this.backend.call('history.restore', { file_id, snapshot, expected_content_rev: this.revision(file_id) });
      this.restored(receipt);
    });
  }

  /** Goes to the next or the previous change of the review in front, round and round. */
  stepChange(by: number): void {
    const count = this.waiting(this.activeId)?.changes.length ?? 0;
    if (count > 0) this.changeAt = (this.changeAt + by + count) % count;
  }

  /** Opens what another program changed, before and after. */
  compareOutside(file_id: string): void {
    const outside = this.outside[file_id];
    if (!outside) return;
    this.compareFrom = outside.since.id;
    this.select(file_id, 'history');
    this.seenOutside(file_id);
  }

  seenOutside(file_id: string): void {
    delete this.outside[file_id];
  }

  askLink(address: string): void {
    this.link = address;
  }

  /** Runs a request; an error becomes a notice. Answers whether it went well. */
  async attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (thrown) {
      this.complain(asError(thrown));
      return false;
    }
  }

  complain(error: AppError, title: Key = 'error.internal', values: Values = {}): void {
    this.notify('bad', title, values, { error });
  }

  dismiss(id: number): void {
    this.notices = this.notices.filter((notice) => notice.id !== id);
  }

  private notify(tone: Notice['tone'], title: Key, values: Values = {}, extra: Partial<Notice> = {}): void {
    const id = this.nextNotice++;
    this.notices = [...this.notices.slice(-2), { id, tone, title, values, ...extra }];
    if (tone === 'good') setTimeout(() => this.dismiss(id), NOTICE_MS);
  }

  private async step(file_id: string, command: 'history.undo' | 'history.redo'): Promise<void> {
    await this.attempt(async () => {
      this.restored(await this.backend.call(command, { file_id, expected_content_rev: this.revision(file_id) }));
    });
  }

  private restored(receipt: Receipt): void {
    this.notify('good', 'review.accepted', { rev: receipt.content_rev });
  }

  private revision(file_id: string): number {
    return this.documents.find((document) => document.file_id === file_id)?.content_rev ?? 0;
  }

  private report(opened: Opened): void {
    for (const document of opened.opened) this.put(document);
    const last = opened.opened.at(-1);
    if (last) this.select(last.file_id);
    for (const { name, error } of opened.failed) this.complain(error, 'documents.cannot_open', { name });
  }

  private changed(document: DocumentInfo): void {
    const known = this.documents.find((other) => other.file_id === document.file_id);
    this.put(document);
    if (known && document.content_rev > known.content_rev) void this.lookOutside(document.file_id);
  }

  /** Asks what changed when the newest revision came from another program. */
  private async lookOutside(file_id: string): Promise<void> {
    try {
      const { snapshots } = await this.backend.call('history.list', { file_id });
      const [newest, older] = snapshots;
      if (newest?.origin !== 'external' || !older) return;
      const since = this.outside[file_id]?.since ?? older;
      const { changes } = await this.backend.call('documents.diff', { file_id, snapshot: since.id });
      this.outside[file_id] = { since, changes };
    } catch {
      // The document itself is shown anew in any case; only the list of what changed is missing.
    }
  }

  private put(document: DocumentInfo): void {
    const at = this.documents.findIndex((known) => known.file_id === document.file_id);
    if (at < 0) this.documents.push(document);
    else this.documents[at] = document;
    this.activeId ??= document.file_id;
  }

  private remove(file_id: string): void {
    const at = this.documents.findIndex((document) => document.file_id === file_id);
    if (at < 0) return;
    this.documents.splice(at, 1);
    if (this.activeId !== file_id) return;
    this.activeId = (this.documents[at] ?? this.documents[at - 1])?.file_id;
    this.showWaiting();
  }

  private proposalChanged(proposal: Proposal): void {
    this.proposals[proposal.proposal_id] = proposal;
    if (WAITING.includes(proposal.state)) this.select(proposal.file_id, 'review');
    else this.settled(proposal.proposal_id, proposal.state);
  }

  private settled(proposal_id: string, state: Proposal['state']): void {
    const proposal = this.proposals[proposal_id];
    if (proposal) proposal.state = state;
    if (this.view === 'review' && !this.waiting(this.activeId)) this.view = 'document';
  }

  private showWaiting(): void {
    this.view = this.waiting(this.activeId) ? 'review' : 'document';
  }
}
