import type { ModelEvent, ModelUsage, ToolCall } from '../models/feature.ts';
import type { CitationFilter } from './citation-filter.ts';
import type { AgentEvent } from './events.ts';

interface TurnReaderOptions {
  /** For each message; null leaves the text as it is. */
  readonly filter: () => CitationFilter | null;
  /** Whether the model may call built-in tools in this turn. */
  readonly isToolTurn: boolean;
  readonly isTool: (name: string) => boolean;
}

/**
 * Longest text that is held back while tools may be called: a few words before a call are a thought about it and no
 * answer. A second paragraph releases it as well. Unit: UTF-16 units.
 */
const heldCharsMax = 160;

/**
 * Reads one turn of a model into events. A turn is **undecided** until its text is long enough or the turn ends; then
 * it is a **message**, which ends when a call of the caller's function begins or the turn ends. A call of a
 * built-in tool makes undecided text a thought. Calls of functions are emitted at once where no tool can come between, else at
 * the end of the turn, after the tools ran. Text that comes after a call is a message of its own, behind it.
 */
export class TurnReader {
  readonly #options: TurnReaderOptions;
  readonly #calls: ReadCall[] = [];
  /** Number of calls that were emitted whole, in their order. */
  #emittedCalls = 0;
  #held = '';
  #text = '';
  /** Everything that the model wrote, for its own next turn. */
  raw = '';
  usage: ModelUsage | null = null;
  /** Null when the stream ended without one, which a provider never lets happen. */
  finish: Extract<ModelEvent, { type: 'finish' }> | null = null;
  #filter: CitationFilter | null;
  #hasOutput = false;
  #state: 'undecided' | 'message' | 'ended' = 'undecided';

  constructor(options: TurnReaderOptions) {
    this.#options = options;
    this.#filter = options.filter();
  }

  read(batch: readonly ModelEvent[]): AgentEvent[] {
    const out: AgentEvent[] = [];
    for (const event of batch) this.#readOne(event, out);
    return out;
  }

  /** Ends the turn: emits what is left of its message. Function calls that were held are in `functionCalls`. */
  end(): AgentEvent[] {
    const out: AgentEvent[] = [];
    if (this.toolCalls.length > 0 && this.#state === 'undecided') return out;
    if (this.#state === 'ended') this.#beginLate(out, true);
    this.#endMessage(out);
    return out;
  }

  get hasOutput(): boolean {
    return this.#hasOutput || this.functionCalls.length > 0;
  }

  /** What the model said before it called a built-in tool, where that was no message. */
  get thought(): string {
    return this.#state === 'undecided' ? this.#held.trim() : '';
  }

  get toolCalls(): readonly ToolCall[] {
    return this.#calls.flatMap(({ call, isTool, isCut }) => (isTool && !isCut ? [call] : []));
  }

  get functionCalls(): readonly ToolCall[] {
    return this.#calls.flatMap(({ call, isTool, isCut }) => (isTool || isCut ? [] : [call]));
  }

  #readOne(event: ModelEvent, out: AgentEvent[]): void {
    switch (event.type) {
      case 'text-delta':
        return this.#readText(event.text, out);
      case 'reasoning-delta':
        out.push(event);
        return;
      case 'tool-call-start': {
        const { type: _, ...start } = event;
        const isTool = this.#options.isTool(event.name);
        this.#calls.push({
          call: { ...start, arguments: '' },
          isTool,
          isDone: false,
          isCut: false,
          emitted: 0,
        });
        this.#emitCalls(out);
        return;
      }
      case 'tool-call-delta':
        this.#callOf(event.id).call.arguments += event.arguments;
        this.#emitCalls(out);
        return;
      case 'tool-call-end': {
        const ended = this.#callOf(event.id);
        ended.isDone = true;
        ended.isCut = event.isCut === true;
        if (ended.call.arguments === '') ended.call.arguments = '{}';
        this.#emitCalls(out);
        if (this.#state === 'ended') this.#beginLate(out, false);
        return;
      }
      case 'thought':
        return;
      case 'usage':
        this.usage = event.usage;
        return;
      case 'finish':
        this.finish = event;
        return;
    }
  }

  /** One call after the other: models may write several at once, and readers of a stream expect whole ones. */
  #emitCalls(out: AgentEvent[]): void {
    if (this.#options.isToolTurn) return;
    for (; this.#emittedCalls < this.#calls.length; this.#emittedCalls++) {
      const one = this.#calls[this.#emittedCalls];
      if (one === undefined || one.isTool || (one.isCut && one.emitted === 0)) continue;
      const { call } = one;
      const { id: callId, name, signature } = call;
      if (one.emitted === 0) {
        this.#endMessage(out);
        out.push({ type: 'call-start', callId, name, ...(signature === undefined ? {} : { signature }) });
      }
      const piece = call.arguments.slice(Math.max(0, one.emitted - 1));
      if (piece !== '') out.push({ type: 'call-delta', callId, arguments: piece });
      one.emitted = call.arguments.length + 1;
      if (!one.isDone) return;
      const end = { type: 'call-end', callId, name, arguments: call.arguments } as const;
      out.push(one.isCut ? { ...end, isCut: true } : end);
    }
  }

  #callOf(id: string): ReadCall {
    const found = this.#calls.find(({ call }) => call.id === id);
    if (found === undefined) throw new Error('a delta of a call that did not begin');
    return found;
  }

  #readText(text: string, out: AgentEvent[]): void {
    this.raw += text;
    if (this.#state === 'message') return this.#filterText(text, out);
    this.#held += text;
    if (this.#state === 'ended') return this.#beginLate(out, false);
    if (this.#options.isToolTurn && this.#held.length <= heldCharsMax && !this.#held.includes('\n\n')) return;
    this.#release(out);
  }

  /** Another message, as soon as there is more than white space for it and no call is open before it. */
  #beginLate(out: AgentEvent[], isEnd: boolean): void {
    if (this.#held.trim() === '' || (!isEnd && this.#calls.some(({ isDone }) => !isDone))) return;
    this.#text = '';
    this.#filter = this.#options.filter();
    this.#release(out);
  }

  #release(out: AgentEvent[]): void {
    this.#state = 'message';
    this.#filterText(this.#held, out);
    this.#held = '';
  }

  #filterText(text: string, out: AgentEvent[]): void {
    this.#say(this.#filter === null ? text : this.#filter.push(text), out);
  }

  #say(text: string, out: AgentEvent[]): void {
    if (text === '') return;
    if (this.#text === '') out.push({ type: 'message-start' });
    this.#hasOutput = true;
    this.#text += text;
    out.push({ type: 'text-delta', text });
  }

  #endMessage(out: AgentEvent[]): void {
    if (this.#state === 'ended') return;
    if (this.#state === 'undecided') this.#release(out);
    this.#state = 'ended';
    const filter = this.#filter;
    this.#say(filter?.end() ?? '', out);
    if (this.#text === '') return;
    const citations = filter?.citations ?? [];
    for (const citation of citations) out.push({ type: 'citation', citation });
    out.push({ type: 'message-end', text: this.#text, citations });
  }
}

interface ReadCall {
  readonly call: Mutable<ToolCall>;
  readonly isTool: boolean;
  isDone: boolean;
  /** A filter ended the answer within its arguments. */
  isCut: boolean;
  /** 0 before its start was emitted, then one more than the units of its arguments that were. */
  emitted: number;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
