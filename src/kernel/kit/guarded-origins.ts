import { FairSlots } from './fair-slots.ts';

interface Origin {
  readonly slots: FairSlots;
  /** Running and waiting fetches. */
  uses: number;
}

interface OriginSlotsOptions {
  /** Concurrent requests to one origin; one account never has all. */
  readonly slotsMax: number;
  readonly waitingMax: number;
}

/** Shares the connections to each origin by account, so that a slow host delays only those who asked for it. */
export class OriginSlots {
  readonly #options: OriginSlotsOptions;
  readonly #origins = new Map<string, Origin>();

  constructor(options: OriginSlotsOptions) {
    this.#options = options;
  }

  /** Rejects with SlotsFull, or with the signal's reason while waiting. */
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
