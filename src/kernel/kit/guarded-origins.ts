import { FairSlots } from './fair-slots.ts';

interface Origin {
  readonly slots: FairSlots;
  /** Fetches under way or waiting. */
  uses: number;
}

interface OriginSlotsOptions {
  /** Requests to one origin at a time; one account never has all of them. */
  readonly slotsMax: number;
  readonly waitingMax: number;
}

/** Shares the connections to each origin by account: a slow host keeps those who asked it, and nobody else. */
export class OriginSlots {
  readonly #options: OriginSlotsOptions;
  readonly #origins = new Map<string, Origin>();

  constructor(options: OriginSlotsOptions) {
    this.#options = options;
  }

  /** Throws SlotsFull, or as the signal says while it waits. */
  async run<Result>(
    name: string,
    account: string,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const origin = this.#origins.get(name) ?? { slots: new FairSlots(this.#options), uses: 0 };
    this.#origins.set(name, origin);
    origin.uses++;
    try {
      return await origin.slots.run(account, signal, work);
    } finally {
      if (--origin.uses === 0) this.#origins.delete(name);
    }
  }
}
