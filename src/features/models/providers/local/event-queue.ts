import type { ModelEvent } from '../../model.ts';

/**
 * Events between the one who writes and the one who reads. A reader who is slow finds more in a batch; what waits is
 * bounded by the length of an answer.
 */
export class EventQueue {
  #waiting: ModelEvent[] = [];
  #isOver = false;
  #wake = Promise.withResolvers<void>();

  push(events: readonly ModelEvent[]): void {
    for (const event of events) this.#add(event);
    if (events.length > 0) this.#wake.resolve();
  }

  /** Nothing comes any more. */
  end(): void {
    this.#isOver = true;
    this.#wake.resolve();
  }

  /** What waits, as often as something does, up to the end. */
  async *batches(): AsyncGenerator<readonly ModelEvent[], void> {
    while (!this.#isOver || this.#waiting.length > 0) {
      await this.#wake.promise;
      if (!this.#isOver) this.#wake = Promise.withResolvers();
      const batch = this.#waiting.splice(0);
      if (batch.length > 0) yield batch;
    }
  }

  /** Text upon text is one event. */
  #add(event: ModelEvent): void {
    const last = this.#waiting.at(-1);
    const joins =
      last?.type === event.type && (event.type === 'text-delta' || event.type === 'reasoning-delta');
    if (joins && 'text' in last)
      this.#waiting[this.#waiting.length - 1] = { ...event, text: last.text + event.text };
    else this.#waiting.push(event);
  }
}
