import { FairQueue } from './fair-queue.ts';
import { Shares } from './shares.ts';

interface FairSlotsOptions {
  /** Work under way at a time. With two or more, one account never has all of them. */
  readonly slotsMax: number;
  /** Work that waits, of all accounts; one account may fill half of it. */
  readonly waitingMax: number;
}

/** Too much waits already, of everybody or of this account. */
export class SlotsFull extends Error {
  override readonly name = 'SlotsFull';
}

interface Waiting {
  readonly account: string;
  readonly amount: number;
  readonly begin: () => void;
}

/**
 * Bounds how much of a kind of work is under way, and shares the slots by account: accounts take turns, one account's
 * work keeps its order, and an account takes no slot while it holds as many as are free. So another account, when it
 * comes, waits for nobody's work to end.
 */
export class FairSlots {
  readonly #slotsMax: number;
  readonly #slots: Shares;
  readonly #places: Shares;
  readonly #waiting = new FairQueue<Waiting>();

  constructor({ slotsMax, waitingMax }: FairSlotsOptions) {
    this.#slotsMax = slotsMax;
    this.#slots = new Shares(slotsMax);
    this.#places = new Shares(waitingMax);
  }

  /**
   * Throws SlotsFull at once, or as the signal says while it waits. What it resolves to gives the slots back. More slots
   * than there are is all of them.
   */
  async enter(account: string, signal: AbortSignal, slots = 1): Promise<() => void> {
    signal.throwIfAborted();
    const amount = Math.min(slots, this.#slotsMax);
    if (!this.#slots.take(account, amount)) await this.#wait(account, amount, signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#slots.give(account, amount);
      this.#advance();
    };
  }

  /** Throws as `enter` does. */
  async run<Result>(account: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter(account, signal);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  async #wait(account: string, amount: number, signal: AbortSignal): Promise<void> {
    if (!this.#places.take(account)) throw new SlotsFull('too much waits already');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { account, amount, begin: resolve };
    this.#waiting.push(account, waiting);
    const onAbort = () => {
      // What has just been given a slot goes on, and gives it back by itself.
      if (!this.#waiting.remove(account, waiting)) return;
      this.#places.give(account);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #advance(): void {
    for (;;) {
      const next = this.#waiting.shift((account, { amount }) => this.#slots.mayTake(account, amount));
      if (next === undefined) return;
      this.#places.give(next.account);
      this.#slots.take(next.account, next.amount);
      next.begin();
    }
  }
}
