import { raceSignal } from '../../kernel/kit/abort.ts';

/**
 * What is put into the own index when a server first starts. It listens before that is done, and searches wait: the first
 * question is answered as later ones are.
 */
export class FirstFill {
  readonly #waitMaxMs: number;
  #filled: Promise<void> | null = null;

  /** `waitMaxMs`: longest wait of a search, which then finds what is there. */
  constructor(waitMaxMs: number) {
    this.#waitMaxMs = waitMaxMs;
  }

  /** Searches wait from now on until this settles. */
  begin(filled: Promise<unknown>): void {
    const end = () => {
      this.#filled = null;
    };
    this.#filled = filled.then(end, end);
  }

  /** Rejects with the reason of the signal alone. */
  async wait(signal: AbortSignal): Promise<void> {
    if (this.#filled === null) return;
    const within = AbortSignal.any([signal, AbortSignal.timeout(this.#waitMaxMs)]);
    await raceSignal(this.#filled, within).catch(() => signal.throwIfAborted());
  }
}
