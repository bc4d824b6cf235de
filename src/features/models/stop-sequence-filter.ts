import type { ModelEvent } from './model.ts';
import { StopScanner } from './stop-scanner.ts';

/** Passes events on; their text ends before the first stop sequence. */
export class StopSequenceFilter {
  readonly #scanner: StopScanner;
  #stop: string | null = null;
  #emitted = false;
  #chars = 0;

  constructor(stops: readonly string[]) {
    this.#scanner = new StopScanner(stops);
  }

  /** The stop sequence that was found. */
  get stop(): string | null {
    return this.#stop;
  }

  /** Whether anything but usage was emitted. */
  get emitted(): boolean {
    return this.#emitted;
  }

  /** Characters that were emitted, for an estimate of the usage. */
  get chars(): number {
    return this.#chars;
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
