import { storeCrowded } from '../errors.ts';
import type { Lease } from './lease.ts';

interface ShareLimits {
  readonly connectionsMax: number;
  /** Waiting callers beyond which further ones are refused. */
  readonly waitingMax: number;
  readonly waitTimeMaxMs: number;
}

/** A bounded part of a pool, first come, first served, so that long reads leave connections to writes. */
export class Share {
  readonly #source: Pick<Share, 'lease'>;
  readonly #limits: ShareLimits;
  readonly #waiting: { readonly turn: PromiseWithResolvers<void>; readonly timer: NodeJS.Timeout }[] = [];
  #out = 0;

  constructor(source: Pick<Share, 'lease'>, limits: ShareLimits) {
    this.#source = source;
    this.#limits = limits;
  }

  /** Rejects with Fault `service_unavailable` when too many wait, or it waited too long. */
  async lease(): Promise<Lease> {
    await this.#takeTurn();
    try {
      const lease = await this.#source.lease();
      lease.onRelease(() => this.#passOn());
      return lease;
    } catch (error) {
      this.#passOn();
      throw error;
    }
  }

  #takeTurn(): Promise<void> {
    const { connectionsMax, waitingMax, waitTimeMaxMs } = this.#limits;
    if (this.#out < connectionsMax) {
      this.#out++;
      return Promise.resolve();
    }
    if (this.#waiting.length >= waitingMax) return Promise.reject(storeCrowded('reads'));
    const turn = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      turn.reject(storeCrowded('reads'));
    }, waitTimeMaxMs).unref();
    const waiter = { turn, timer };
    this.#waiting.push(waiter);
    return turn.promise;
  }

  #passOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#out--;
      return;
    }
    clearTimeout(next.timer);
    next.turn.resolve();
  }
}
