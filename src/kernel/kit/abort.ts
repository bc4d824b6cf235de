/** Waits for work until the signal aborts, then rejects with its reason and ignores the work, which need not listen. */
export async function raceSignal<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const race = new SignalRace(signal);
  try {
    return await race.wait(work);
  } finally {
    race.close();
  }
}

/**
 * `raceSignal` for one piece of work after another, with one listener for all: an event target is what costs, and a
 * stream waits once for each delta. To be closed at the end.
 */
export class SignalRace {
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.#reject?.(this.#signal.reason as Error);
  #reject: ((reason: Error) => void) | null = null;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Work that is already done wins over a signal that aborted before. */
  wait<Value>(work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      work.then(resolve, reject);
      if (this.#signal.aborted) queueMicrotask(this.#onAbort);
    });
  }

  close(): void {
    this.#reject = null;
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}
