import { readStates, shareOf } from '../learning/read-states.ts';
import type { OfDecider } from '../store/learning.ts';
import type { AddedExample } from './decider-examples.ts';
import type { VectorsOf } from './example-vectors.ts';
import type { StoredDeciders } from './stored-deciders.ts';

interface Options {
  readonly deciders: Pick<StoredDeciders, 'featuresOf'>;
  readonly vectorsOf: VectorsOf;
  /** An engine that cannot answer, or a store that is away. */
  readonly onError: (error: unknown) => void;
}

/** Examples of an account that wait to be read; what is more is read by the fit. */
const waitingMax = 5_000;

interface Reading {
  readonly controller: AbortController;
  done: Promise<void>;
  /** Examples that are not read yet. */
  waiting: number;
  /** What is under way is read to its end, and nothing after it. */
  isEnding: boolean;
}

/**
 * Makes the vectors of examples while they are given, which takes most of the time of a fit. It works in a share beside the
 * account's, one call after the other, and ends where a fit begins, which reads the rest itself.
 */
export class ReadAhead {
  readonly #options: Options;
  readonly #readings = new Map<string, Reading>();

  constructor(options: Options) {
    this.#options = options;
  }

  begin(of: OfDecider, added: readonly AddedExample[]): void {
    const idle = { controller: new AbortController(), done: Promise.resolve(), waiting: 0, isEnding: false };
    const reading: Reading = this.#readings.get(of.accountId) ?? idle;
    if (reading.waiting + added.length > waitingMax) return;
    this.#readings.set(of.accountId, reading);
    reading.waiting += added.length;
    reading.done = this.#readAfter(reading.done, reading, of, added);
  }

  /** Resolves when nothing is under way any more. What was read stays. */
  async stop(accountId: string): Promise<void> {
    const reading = this.#readings.get(accountId);
    if (reading === undefined) return;
    this.#readings.delete(accountId);
    reading.isEnding = true;
    await reading.done;
  }

  /** Ends what is under way as well. */
  async close(): Promise<void> {
    const all = [...this.#readings];
    for (const [, { controller }] of all) controller.abort();
    await Promise.all(all.map(([accountId]) => this.stop(accountId)));
  }

  async #readAfter(
    before: Promise<void>,
    reading: Reading,
    of: OfDecider,
    added: readonly AddedExample[],
  ): Promise<void> {
    await before;
    const { signal } = reading.controller;
    try {
      if (!reading.isEnding) await this.#read(reading, of, added);
    } catch (error) {
      if (!signal.aborted) this.#options.onError(error);
    }
    reading.waiting -= added.length;
    if (reading.waiting === 0 && this.#readings.get(of.accountId) === reading)
      this.#readings.delete(of.accountId);
  }

  async #read(reading: Reading, of: OfDecider, added: readonly AddedExample[]): Promise<void> {
    const { deciders, vectorsOf } = this.#options;
    const features = await deciders.featuresOf(of.accountId, of.decider);
    if (features === null) return;
    const kept = vectorsOf<AddedExample>(of, features.version);
    const caller = { account: shareOf(of.accountId), signal: reading.controller.signal };
    const steps = readStates(features, added, kept, caller);
    while (!reading.isEnding && (await steps.next()).done !== true);
  }
}
