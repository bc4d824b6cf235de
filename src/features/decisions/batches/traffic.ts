import { setImmediate } from 'node:timers/promises';

/** A row of a batch waits no longer for requests: under a steady load batches slow down and do not stop. Unit: ms. */
const waitMaxMs = 250;
/** Rows that take less share a turn of the event loop. Unit: ms. */
const stretchMs = 1;

/** Decisions that somebody waits for, before which rows of batches stand back. */
export class Traffic {
  #underWay = 0;
  #quiet = Promise.withResolvers<void>();
  #turnedMs = 0;

  /** Returns a function to be called once, at the end. */
  enter(): () => void {
    this.#underWay++;
    return () => {
      this.#underWay--;
      if (this.#underWay > 0) return;
      this.#quiet.resolve();
      this.#quiet = Promise.withResolvers();
    };
  }

  /** Whether the next row has something to wait for. */
  get isDue(): boolean {
    return this.#underWay > 0 || performance.now() - this.#turnedMs >= stretchMs;
  }

  /** Lets requests that arrived meanwhile begin, and waits until none is under way. */
  async quiet(): Promise<void> {
    if (performance.now() - this.#turnedMs >= stretchMs) {
      await setImmediate();
      this.#turnedMs = performance.now();
    }
    if (this.#underWay === 0) return;
    const waited = Promise.withResolvers<void>();
    const timer = setTimeout(waited.resolve, waitMaxMs);
    await Promise.race([this.#quiet.promise, waited.promise]);
    clearTimeout(timer);
  }
}
