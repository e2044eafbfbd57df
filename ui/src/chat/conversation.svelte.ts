/** The conversation with the assistant: messages, the turn in progress, and its tool calls. It draws nothing. */
import { asError, type AppError, type AppEvent, type ToolReceipt } from '../backend';
import type { Session } from '../workspace/session.svelte';

export interface ToolCall {
  id: string;
  name: string;
  bytes: number;
  /** The long text that the call carries, as far as it has come. */
  text?: string;
  receipt?: ToolReceipt;
}

export interface Usage {
  input?: number;
  output?: number;
  milliseconds: number;
}

export type Part = { kind: 'text'; text: string } | { kind: 'reasoning'; text: string } | { kind: 'tool'; call: ToolCall };

export type Message =
  | { id: number; from: 'you'; text: string }
  | { id: number; from: 'stet'; parts: Part[]; state: 'running' | 'done' | 'failed' | 'stopped'; error?: AppError; usage?: Usage };

type Reply = Extract<Message, { from: 'stet' }>;

export class Conversation {
  messages: Message[] = $state([]);
  draft = $state('');
  /** The turn that runs now. */
  turn: string | undefined = $state();
  startedAt = $state(0);
  /** Documents that the assistant may not see. */
  keptOut: string[] = $state([]);
  /** Under this name the backend goes on with what was said before. */
  private name = crypto.randomUUID();
  private starting = $state(false);
  private nextId = 1;
  private early: AppEvent[] = [];

  constructor(private readonly session: Session) {}

  busy: boolean = $derived.by(() => this.starting || this.turn !== undefined);

  async send(text: string = this.draft): Promise<void> {
    const message = text.trim();
    if (!message || this.busy) return;
    this.draft = '';
    this.messages.push({ id: this.nextId++, from: 'you', text: message });
    this.messages.push({ id: this.nextId++, from: 'stet', parts: [], state: 'running' });
    this.starting = true;
    this.startedAt = Date.now();
    try {
      const { turn_id } = await this.session.backend.call('turn.start', { message, file_ids: this.fileIds(), conversation: this.name });
      this.turn = turn_id;
      this.starting = false;
      for (const event of this.early.splice(0)) this.hear(event);
    } catch (thrown) {
      this.starting = false;
      this.end('failed', asError(thrown));
    }
  }

  async stop(): Promise<void> {
    const turn_id = this.turn;
    if (turn_id) await this.session.attempt(async () => void (await this.session.backend.call('turn.cancel', { turn_id })));
  }

  /** Sends the last message of the person once more. */
  async retry(): Promise<void> {
    const said = this.messages.findLast((message) => message.from === 'you');
    if (said?.from === 'you') await this.send(said.text);
  }

  /** Takes a message back into the box, and with it everything after it. */
  edit(id: number): void {
    const at = this.messages.findIndex((message) => message.id === id);
    const message = this.messages[at];
    if (message?.from !== 'you' || this.busy) return;
    this.draft = message.text;
    this.messages.splice(at);
    // What the backend remembers goes beyond this message, so it begins anew.
    this.forget();
  }

  /** Lets the assistant see a document, or keeps it out. */
  keep(file_id: string, shared: boolean): void {
    if (!shared) this.forget();
    this.keptOut = shared ? this.keptOut.filter((id) => id !== file_id) : [...this.keptOut, file_id];
  }

  /** The backend begins anew: what was read before is not sent to a model again. What stands here stays to be read. */
  forget(): void {
    this.name = crypto.randomUUID();
  }

  clear(): void {
    if (this.busy) return;
    this.messages = [];
    this.forget();
  }

  hear(event: AppEvent): void {
    if (!('turn_id' in event)) return;
    if (this.starting) {
      this.early.push(event);
      return;
    }
    if (event.turn_id === this.turn) this.follow(event);
  }

  private follow(event: AppEvent): void {
    switch (event.event) {
      case 'turn_text':
        this.grow('text', event.delta);
        break;
      case 'turn_reasoning':
        this.grow('reasoning', event.delta);
        break;
      case 'tool_call':
        this.tool(event.id, event.name).bytes = event.arguments_so_far_bytes;
        break;
      case 'tool_result':
        this.tool(event.id, 'file_edit').receipt = event.receipt as unknown as ToolReceipt;
        break;
      case 'turn_restarted':
        this.forgetUnanswered();
        break;
      case 'turn_finished':
        this.end('done', undefined, event.usage as { input?: number; output?: number });
        break;
      case 'turn_failed':
        this.end(event.error.code === 'cancelled' ? 'stopped' : 'failed', event.error);
        break;
      default:
    }
  }

  private reply(): Reply | undefined {
    const last = this.messages.at(-1);
    return last?.from === 'stet' ? last : undefined;
  }

  private grow(kind: 'text' | 'reasoning', delta: string): void {
    const reply = this.reply();
    const last = reply?.parts.at(-1);
    if (last?.kind === kind) last.text += delta;
    else reply?.parts.push({ kind, text: delta });
  }

  /** An answer that is asked for again: what was said since the last receipt does not count. */
  private forgetUnanswered(): void {
    const parts = this.reply()?.parts ?? [];
    const kept = parts.findLastIndex((part) => part.kind === 'tool' && part.call.receipt !== undefined) + 1;
    parts.splice(kept);
  }

  private tool(id: string, name: string): ToolCall {
    const parts = this.reply()?.parts ?? [];
    const known = parts.find((part) => part.kind === 'tool' && part.call.id === id);
    if (known?.kind === 'tool') return known.call;
    parts.push({ kind: 'tool', call: { id, name, bytes: 0 } });
    const added = parts.at(-1);
    return added?.kind === 'tool' ? added.call : { id, name, bytes: 0 };
  }

  private end(state: Reply['state'], error?: AppError, usage?: { input?: number; output?: number }): void {
    const reply = this.reply();
    if (reply) {
      reply.state = state;
      reply.error = error;
      reply.usage = { ...usage, milliseconds: Date.now() - this.startedAt };
    }
    this.turn = undefined;
  }

  /** The document in front first: a command without a name means that one. */
  private fileIds(): string[] {
    const ids = this.session.documents.map((document) => document.file_id).filter((id) => !this.keptOut.includes(id));
    const active = this.session.activeId;
    return active && ids.includes(active) ? [active, ...ids.filter((id) => id !== active)] : ids;
  }
}
