import type { Clock } from '../../../kernel/kit/clock.ts';

/** Room that is left of an account, at least what is asked for; rejects where there is less. Unit: bytes. */
export type Admit = (accountId: string, bytes: number) => Promise<number>;

/** More than what a process answers of batches in the time for which it is remembered. Unit: bytes. */
const ample = 67_108_864;
const rememberedMs = 1_000;

/**
 * Room for results. Each piece would wait for the store, which is storing the one before it, so while there is far more
 * room than results can take the store is asked once a second.
 */
export class ResultRoom {
  readonly #admit: Admit;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Until when an account is known to have ample room. */
  readonly #untilMs = new Map<string, number>();

  constructor(admit: Admit, clock: Pick<Clock, 'monotonic'>) {
    this.#admit = admit;
    this.#clock = clock;
  }

  /** Rejects as `Admit` does. */
  async admit(accountId: string, bytes: number): Promise<void> {
    const nowMs = this.#clock.monotonic();
    if (nowMs < (this.#untilMs.get(accountId) ?? 0)) return;
    for (const [known, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(known);
    const room = await this.#admit(accountId, bytes);
    if (room - bytes >= ample) this.#untilMs.set(accountId, nowMs + rememberedMs);
  }
}
