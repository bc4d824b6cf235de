import type { Clock } from '../../../kernel/kit/clock.ts';
import { every } from '../../../kernel/kit/every.ts';
import type { Distribution } from '../engine.ts';
import type { Head } from '../learning/fit-head.ts';
import {
  compareAnswers,
  joined,
  toAnswers,
  withAnswers,
  type Answers,
  type Watched,
} from '../learning/drift.ts';
import type { FitStore } from '../store/fits.ts';
import type { OfDecider } from '../store/learning.ts';

/** A question that began to be answered otherwise than in its fit, or no longer is. */
export interface DriftChange extends ReturnType<typeof compareAnswers> {
  readonly fitId: string;
  readonly hasBegun: boolean;
}

export interface DriftWatchOptions {
  readonly store: Pick<FitStore, 'countDrift' | 'drift'>;
  readonly clock: Clock;
  /** Once for each change, in whichever process saw it. */
  readonly onChange: (change: DriftChange) => void;
  readonly onError: (error: unknown) => void;
  /** Default 10,000. Unit: ms. */
  readonly pauseMs?: number;
}

/** By `questionKey`. */
type Stored = Readonly<Record<string, Watched>>;

interface Pending {
  readonly of: OfDecider;
  readonly fitId: string;
  readonly questions: Map<string, { readonly baseline: Answers; answers: Answers }>;
}

/** Fits of which something is counted here and not stored yet. What comes beyond them is not counted. */
const pendingMax = 10_000;

/**
 * Counts what deciders answer with what they learned, and compares it with the answers of their fit. Counts are kept here for
 * some seconds and then added to those of the store, which all processes share.
 */
export class DriftWatch {
  readonly #options: DriftWatchOptions;
  /** By fit. */
  #pending = new Map<string, Pending>();
  readonly #timer: ReturnType<typeof every>;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: DriftWatchOptions) {
    this.#options = options;
    this.#timer = every(options.pauseMs ?? 10_000, () => this.flush(), options.onError);
  }

  /** `answer` is in canonical order. */
  count(of: OfDecider, fitId: string, question: string, { baseline }: Head, answer: Distribution): void {
    if (baseline === undefined) return;
    const pending = this.#pending.get(fitId) ?? { of, fitId, questions: new Map() };
    if (!this.#pending.has(fitId)) {
      if (this.#pending.size >= pendingMax) return;
      this.#pending.set(fitId, pending);
    }
    const one = toAnswers([answer], answer.length);
    const known = pending.questions.get(question);
    if (known === undefined) pending.questions.set(question, { baseline, answers: one });
    else known.answers = joined(known.answers, one);
  }

  /** Stores what was counted. Rejects as the store does; what it did not take is lost. */
  flush(): Promise<void> {
    const flushed = this.#flushing.then(() => this.#flush());
    this.#flushing = flushed.catch(() => {});
    return flushed;
  }

  /** By `questionKey`, with what this process has counted until now. */
  async figures(of: OfDecider): Promise<Stored> {
    await this.flush();
    return parse(await this.#options.store.drift(of));
  }

  async close(): Promise<void> {
    await this.#timer.close();
    await this.flush().catch(this.#options.onError);
  }

  async #flush(): Promise<void> {
    const all = this.#pending;
    this.#pending = new Map();
    for (const pending of all.values()) await this.#store(pending);
  }

  async #store({ of, fitId, questions }: Pending): Promise<void> {
    const { store, clock, onChange } = this.#options;
    const changes: DriftChange[] = [];
    const isStored = await store.countDrift(of, fitId, (text) => {
      const known = parse(text);
      const next = new Map(Object.entries(known));
      for (const [question, { baseline, answers }] of questions) {
        const none = toAnswers([], answers.chosen.length);
        const before = known[question] ?? { baseline, previous: null, current: none, sinceMs: null };
        const after = withAnswers(before, answers, clock.now());
        next.set(question, after);
        const hasBegun = after.sinceMs !== null;
        if (hasBegun !== (before.sinceMs !== null))
          changes.push({ fitId, hasBegun, ...compareAnswers(after) });
      }
      return JSON.stringify(Object.fromEntries(next));
    });
    if (isStored) for (const change of changes) onChange(change);
  }
}

/** Written here alone. */
const parse = (text: string | null): Stored => JSON.parse(text ?? '{}') as Stored;
