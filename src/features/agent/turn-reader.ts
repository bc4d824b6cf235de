import type { FinishReason, ModelEvent, ModelUsage, ToolCall } from '../models/feature.ts';
import type { CitationFilter } from './citation-filter.ts';
import type { AgentEvent } from './events.ts';

export interface TurnReaderOptions {
  /** For each message; null leaves the text as it is. */
  readonly filter: () => CitationFilter | null;
  /** Whether the model may call tools of ours in this turn. */
  readonly isToolTurn: boolean;
  readonly isTool: (name: string) => boolean;
}

/**
 * Text of a turn in which tools may be called is held back this long: a few words before a call are a thought about it
 * and not an answer. What is longer, or has a second paragraph, is told as it comes. Unit: UTF-16 units.
 */
const heldCharsMax = 160;

/**
 * Reads one turn of a model into events. A turn is **undecided** until its text is long enough or the turn ends; then
 * it is a **message**, which ends when a call of the caller's function begins or the turn ends. A call of a tool of
 * ours makes undecided text a thought. Calls of functions are told at once where no tool can come between, else at
 * the end of the turn, after the tools ran. Text that comes after a call is a message of its own, behind it.
 */
export class TurnReader {
  readonly #options: TurnReaderOptions;
  readonly #calls: ReadCall[] = [];
  /** Calls that were told whole, in their order. */
  #toldCalls = 0;
  #held = '';
  #text = '';
  #raw = '';
  #filter: CitationFilter | null;
  #hasTold = false;
  #state: 'undecided' | 'message' | 'ended' = 'undecided';
  #usage: ModelUsage | null = null;
  #finish: { readonly reason: FinishReason; readonly stopSequence: string | null } | null = null;

  constructor(options: TurnReaderOptions) {
    this.#options = options;
    this.#filter = options.filter();
  }

  /** Events that follow from a batch of the model's. */
  read(batch: readonly ModelEvent[]): AgentEvent[] {
    const told: AgentEvent[] = [];
    for (const event of batch) this.#readOne(event, told);
    return told;
  }

  /** Ends the turn: what is left of its message. Function calls that were held follow from `functionCalls`. */
  end(): AgentEvent[] {
    const told: AgentEvent[] = [];
    if (this.toolCalls.length > 0 && this.#state === 'undecided') return told;
    if (this.#state === 'ended') this.#beginLate(told, true);
    this.#endMessage(told);
    return told;
  }

  /** Whether there was a message, or a call of the caller's function. */
  get hasTold(): boolean {
    return this.#hasTold || this.functionCalls.length > 0;
  }

  /** What the model said before it called a tool of ours, where that was no message. */
  get thought(): string {
    return this.#state === 'undecided' ? this.#held.trim() : '';
  }

  /** Everything that the model wrote, for its own next turn. */
  get raw(): string {
    return this.#raw;
  }

  get toolCalls(): readonly ToolCall[] {
    return this.#calls.flatMap(({ call, isTool }) => (isTool ? [call] : []));
  }

  get functionCalls(): readonly ToolCall[] {
    return this.#calls.flatMap(({ call, isTool }) => (isTool ? [] : [call]));
  }

  get usage(): ModelUsage | null {
    return this.#usage;
  }

  /** Null when the stream ended without one, which a provider never lets happen. */
  get finish() {
    return this.#finish;
  }

  #readOne(event: ModelEvent, told: AgentEvent[]): void {
    switch (event.type) {
      case 'text-delta':
        return this.#readText(event.text, told);
      case 'reasoning-delta':
        told.push(event);
        return;
      case 'tool-call-start': {
        const { type: _, ...start } = event;
        const isTool = this.#options.isTool(event.name);
        this.#calls.push({ call: { ...start, arguments: '' }, isTool, isDone: false, told: 0 });
        this.#tellCalls(told);
        return;
      }
      case 'tool-call-delta':
        this.#callOf(event.id).call.arguments += event.arguments;
        this.#tellCalls(told);
        return;
      case 'tool-call-end': {
        const ended = this.#callOf(event.id);
        ended.isDone = true;
        if (ended.call.arguments === '') ended.call.arguments = '{}';
        this.#tellCalls(told);
        if (this.#state === 'ended') this.#beginLate(told, false);
        return;
      }
      case 'usage':
        this.#usage = event.usage;
        return;
      case 'finish':
        this.#finish = event;
        return;
    }
  }

  /** One call after the other: models may write several at once, and readers of a stream expect whole ones. */
  #tellCalls(told: AgentEvent[]): void {
    if (this.#options.isToolTurn) return;
    for (; this.#toldCalls < this.#calls.length; this.#toldCalls++) {
      const one = this.#calls[this.#toldCalls];
      if (one === undefined || one.isTool) continue;
      const { call } = one;
      const { id: callId, name, signature } = call;
      if (one.told === 0) {
        this.#endMessage(told);
        told.push({ type: 'call-start', callId, name, ...(signature === undefined ? {} : { signature }) });
      }
      const piece = call.arguments.slice(Math.max(0, one.told - 1));
      if (piece !== '') told.push({ type: 'call-delta', callId, arguments: piece });
      one.told = call.arguments.length + 1;
      if (!one.isDone) return;
      told.push({ type: 'call-end', callId, name, arguments: call.arguments });
    }
  }

  #callOf(id: string): ReadCall {
    const found = this.#calls.find(({ call }) => call.id === id);
    if (found === undefined) throw new Error('a delta of a call that did not begin');
    return found;
  }

  #readText(text: string, told: AgentEvent[]): void {
    this.#raw += text;
    if (this.#state === 'message') return this.#tell(text, told);
    this.#held += text;
    if (this.#state === 'ended') return this.#beginLate(told, false);
    if (this.#options.isToolTurn && this.#held.length <= heldCharsMax && !this.#held.includes('\n\n')) return;
    this.#release(told);
  }

  /** Another message, as soon as there is more than white space for it and no call is open before it. */
  #beginLate(told: AgentEvent[], isEnd: boolean): void {
    if (this.#held.trim() === '' || (!isEnd && this.#calls.some(({ isDone }) => !isDone))) return;
    this.#text = '';
    this.#filter = this.#options.filter();
    this.#release(told);
  }

  #release(told: AgentEvent[]): void {
    this.#state = 'message';
    this.#tell(this.#held, told);
    this.#held = '';
  }

  #tell(text: string, told: AgentEvent[]): void {
    this.#say(this.#filter === null ? text : this.#filter.push(text), told);
  }

  #say(text: string, told: AgentEvent[]): void {
    if (text === '') return;
    if (this.#text === '') told.push({ type: 'message-start' });
    this.#hasTold = true;
    this.#text += text;
    told.push({ type: 'text-delta', text });
  }

  #endMessage(told: AgentEvent[]): void {
    if (this.#state === 'ended') return;
    if (this.#state === 'undecided') this.#release(told);
    this.#state = 'ended';
    const filter = this.#filter;
    this.#say(filter?.end() ?? '', told);
    if (this.#text === '') return;
    const citations = filter?.citations ?? [];
    for (const citation of citations) told.push({ type: 'citation', citation });
    told.push({ type: 'message-end', text: this.#text, citations });
  }
}

interface ReadCall {
  readonly call: Mutable<ToolCall>;
  readonly isTool: boolean;
  isDone: boolean;
  /** 0 before its start was told, then one more than the units of its arguments that were. */
  told: number;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
