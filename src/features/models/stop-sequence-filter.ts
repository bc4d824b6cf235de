import type { FinishReason, ModelEvent, ModelUsage } from './model.ts';
import { estimateOutput, plainUsage } from './sound-usage.ts';
import { StopScanner } from './stop-scanner.ts';
import { unusable } from './upstream-fault.ts';

/** The state of an answer whose packets have all been read. */
interface ReadAnswer {
  /** Null until the backend reported any. */
  readonly usage: ModelUsage | null;
  /** Null until the backend reported why it stopped. */
  readonly ending: { readonly reason: FinishReason; readonly stopSequence: string | null } | null;
  /** Ends what the backend left open. */
  close(): readonly ModelEvent[];
}

/** Passes events on; their text ends before the first stop sequence. */
export class StopSequenceFilter {
  readonly #scanner: StopScanner;
  #stop: string | null = null;
  #emitted = false;
  /** Characters that were emitted, for an estimate of the usage. */
  #chars = 0;

  constructor(stops: readonly string[]) {
    this.#scanner = new StopScanner(stops);
  }

  get stop(): string | null {
    return this.#stop;
  }

  /** Whether anything but usage was emitted. */
  get emitted(): boolean {
    return this.#emitted;
  }

  /** Returns the events that may be emitted: none after a stop sequence. */
  push(events: readonly ModelEvent[]): ModelEvent[] {
    const out: ModelEvent[] = [];
    for (const event of events) {
      if (this.#stop !== null) break;
      this.#pushOne(event, out);
    }
    this.#emitted ||= out.some(({ type }) => type !== 'usage');
    return out;
  }

  /** Returns the text that was held back, once no more comes. */
  end(): ModelEvent[] {
    const out: ModelEvent[] = [];
    if (this.#stop === null) this.#add('text-delta', this.#scanner.end(), out);
    return out;
  }

  /**
   * The last events of an answer. `estimateInput` is for backends that report no usage; an answer that was left at a stop
   * sequence never gets its count of output. Throws Fault `bad_gateway` for one without an end.
   */
  finish(answer: ReadAnswer, estimateInput: () => number): ModelEvent[] {
    const stop = this.#stop;
    const ending = stop === null ? answer.ending : ({ reason: 'stop-sequence', stopSequence: stop } as const);
    if (ending === null) throw unusable('a stream that ended without its end');
    const last = stop === null ? [...this.push(answer.close()), ...this.end()] : [];
    const output = estimateOutput(this.#chars);
    const usage = answer.usage ?? plainUsage(estimateInput(), output);
    const counted = this.#stop === null ? usage : { ...usage, output: Math.max(usage.output, output) };
    return [...last, { type: 'usage', usage: counted }, { type: 'finish', ...ending }];
  }

  #pushOne(event: ModelEvent, out: ModelEvent[]): void {
    switch (event.type) {
      case 'text-delta': {
        const { text, stop } = this.#scanner.push(event.text);
        this.#stop = stop;
        this.#add('text-delta', text, out);
        return;
      }
      case 'reasoning-delta':
        this.#add('reasoning-delta', event.text, out);
        return;
      case 'tool-call-start':
        // A call ends the text before it, so that nothing held back comes after it.
        this.#add('text-delta', this.#scanner.end(), out);
        break;
      case 'thought':
        break;
      case 'tool-call-delta':
        this.#chars += event.arguments.length;
        break;
      case 'tool-call-end':
      case 'usage':
      case 'finish':
    }
    out.push(event);
  }

  /** Joins deltas of one packet, because each costs a write further on. */
  #add(type: 'text-delta' | 'reasoning-delta', text: string, out: ModelEvent[]): void {
    if (text === '') return;
    this.#chars += text.length;
    const last = out.at(-1);
    if (last?.type === type) out[out.length - 1] = { type, text: last.text + text };
    else out.push({ type, text });
  }
}
