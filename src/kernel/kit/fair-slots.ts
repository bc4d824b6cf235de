import { backgroundAccount } from './caller.ts';
import { FairQueue } from './fair-queue.ts';
import { Shares } from './shares.ts';

/** Too much work waits, of all accounts or of this one. */
export class SlotsFull extends Error {
  override readonly name = 'SlotsFull';
}

interface Waiting {
  readonly account: string;
  readonly amount: number;
  readonly begin: () => void;
}

/** Turns of others in a row while work that nobody waits for waits, so that it goes on under any load. */
const turnsBeforeMax = 16;

/**
 * Bounds concurrent work and shares it by account: accounts take turns, work of one account keeps its order, and an
 * account takes no slot while it holds as many as are free. So a new account never waits for another's work to end.
 * That of the background account has its turn when no other wants one, and after every sixteen of others.
 */
export class FairSlots {
  readonly #slotsMax: number;
  readonly #slots: Shares;
  readonly #places: Shares;
  readonly #waiting = new FairQueue<Waiting>();
  #turnsBefore = 0;
  #isLooking = false;

  /**
   * With two or more slots one account never has all, unless `isSoonOver` says that no work holds a slot for long. One account may
   * fill half of the waiting places.
   */
  constructor({
    slotsMax,
    waitingMax,
    isSoonOver = false,
  }: {
    readonly slotsMax: number;
    readonly waitingMax: number;
    readonly isSoonOver?: boolean;
  }) {
    this.#slotsMax = slotsMax;
    this.#slots = new Shares(slotsMax, !isSoonOver);
    this.#places = new Shares(waitingMax);
  }

  /**
   * Resolves to a function that gives the slots back; more slots than exist means all. Rejects with SlotsFull at
   * once, or with the signal's reason while waiting.
   */
  async enter(account: string, signal: AbortSignal, slots = 1): Promise<() => void> {
    signal.throwIfAborted();
    const amount = Math.min(slots, this.#slotsMax);
    if (this.#slots.take(account, amount)) this.#count(account);
    else await this.#wait(account, amount, signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#slots.give(account, amount);
      this.#advance();
    };
  }

  /** Rejects as `enter` does. */
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
      // It was just given its slots, and gives them back itself.
      if (!this.#waiting.remove(account, waiting)) return;
      this.#places.give(account);
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

  #advance(): void {
    for (;;) {
      const isDue = this.#turnsBefore >= turnsBeforeMax;
      const next = (isDue ? this.#take(isOfBackground) : undefined) ?? this.#take(isOfOthers);
      if (next === undefined) break;
      next.begin();
    }
    this.#lookBehind();
  }

  /** Who goes on with what a turn gave asks for the next one before the event loop comes round. */
  #lookBehind(): void {
    if (this.#isLooking || this.#waiting.first(isOfBackground) === undefined) return;
    this.#isLooking = true;
    setImmediate(() => {
      this.#isLooking = false;
      for (let next = this.#take(isOfBackground); next !== undefined; next = this.#take(isOfBackground))
        next.begin();
    });
  }

  #take(isMeant: (account: string) => boolean): Waiting | undefined {
    const next = this.#waiting.shift(
      (account, { amount }) => isMeant(account) && this.#slots.mayTake(account, amount),
    );
    if (next === undefined) return undefined;
    this.#places.give(next.account);
    this.#slots.take(next.account, next.amount);
    this.#count(next.account);
    return next;
  }

  #count(account: string): void {
    const isPassed = isOfOthers(account) && this.#waiting.first(isOfBackground) !== undefined;
    this.#turnsBefore = isPassed ? this.#turnsBefore + 1 : 0;
  }
}

const isOfBackground = (account: string): boolean => account === backgroundAccount;
const isOfOthers = (account: string): boolean => account !== backgroundAccount;
