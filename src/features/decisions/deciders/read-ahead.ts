import type { State } from '../engine.ts';
import { keepStates } from '../learning/learn.ts';
import type { StoredDeciders } from './stored-deciders.ts';

interface Options {
  readonly deciders: Pick<StoredDeciders, 'featuresOf'>;
  /** An engine that cannot answer, or a store that is away. */
  readonly onError: (error: unknown) => void;
}

/** States of an account that wait to be read; what is more is read by the fit. */
const waitingMax = 5_000;

interface Given {
  readonly accountId: string;
  readonly decider: string;
  readonly states: readonly State[];
}

interface Reading {
  readonly controller: AbortController;
  done: Promise<void>;
  /** States that are not read yet. */
  waiting: number;
}

/**
 * Makes the vectors of examples while they are given, which takes most of the time of a fit. It works for an account as the account's
 * own requests do, one call after the other, and stops where a fit begins, which reads the rest itself.
 */
export class ReadAhead {
  readonly #options: Options;
  readonly #readings = new Map<string, Reading>();

  constructor(options: Options) {
    this.#options = options;
  }

  begin(accountId: string, decider: string, states: readonly State[]): void {
    const idle = { controller: new AbortController(), done: Promise.resolve(), waiting: 0 };
    const reading: Reading = this.#readings.get(accountId) ?? idle;
    if (reading.waiting + states.length > waitingMax) return;
    this.#readings.set(accountId, reading);
    reading.waiting += states.length;
    reading.done = this.#readAfter(reading.done, reading, { accountId, decider, states });
  }

  /** What was read stays. */
  async stop(accountId: string): Promise<void> {
    const reading = this.#readings.get(accountId);
    this.#readings.delete(accountId);
    reading?.controller.abort();
    await reading?.done;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#readings.keys()].map((accountId) => this.stop(accountId)));
  }

  async #readAfter(before: Promise<void>, reading: Reading, { accountId, decider, states }: Given) {
    await before;
    const { signal } = reading.controller;
    try {
      const features = signal.aborted ? null : await this.#options.deciders.featuresOf(accountId, decider);
      if (features !== null) await keepStates(features, states, { signal, account: accountId });
    } catch (error) {
      if (!signal.aborted) this.#options.onError(error);
    }
    reading.waiting -= states.length;
    if (reading.waiting === 0 && this.#readings.get(accountId) === reading) this.#readings.delete(accountId);
  }
}
