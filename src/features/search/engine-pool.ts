import type { EngineOutcome, OnAsked } from './search.ts';
import { raceSignal } from '../../kernel/kit/abort.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { Breakers, type CallVerdict } from '../../kernel/kit/breakers.ts';
import { resting, unusable, type CallFailure } from '../../kernel/kit/call-failure.ts';
import { mostHopeful, verdictOf, type Attempt } from '../../kernel/kit/upstreams-call.ts';
import { createCache, type Cache } from './cache.ts';
import { noFilters, type SearchEngine, type SearchQuery } from './engine.ts';
import { failureOf, toFault } from './upstream-fault.ts';

/** One query to one method of each engine. */
export interface PoolRequest<Item> {
  /** Part of the key under which answers are kept. */
  readonly method: 'search' | 'images' | 'videos';
  readonly query: SearchQuery;
  readonly call: (engine: SearchEngine, signal: AbortSignal) => Promise<readonly Item[]>;
  /** Told what came of each engine, kept answers included. */
  readonly onAsked?: OnAsked;
}

interface Answer<Item> {
  readonly engine: SearchEngine;
  /** Best first. */
  readonly items: readonly Item[];
}

interface EnginePoolOptions {
  /** Every engine, the corpus included. */
  readonly engines: readonly SearchEngine[];
  /**
   * Its answers are not kept: they are those of one account, a document just added to it has to be found, and asking it is
   * cheap.
   */
  readonly corpus: SearchEngine;
  /** Longest wait for one engine. Unit: ms. */
  readonly timeoutMs: number;
  /** How long answers are kept; 0 keeps none. Unit: ms. */
  readonly cacheMs: number;
  readonly clock: Clock;
  /** Called for each failure, for the log: callers see one only when all engines failed. */
  readonly onFailure: (engine: string, failure: CallFailure) => void;
  /** Called whenever an engine was really asked. */
  readonly onAsked: OnAsked;
}

export const breakerPolicy = { failuresMax: 3, coolDownMs: 5_000, coolDownMaxMs: 60_000 };
/** A server that says for how long it wants no calls gets none, up to this. Unit: ms. */
const quietMaxMs = 600_000;
const answersMax = 500;
const cacheCharsMax = 32_000_000;
/** An answer is kept for at most a sixtieth of the age asked for: news of the last hour must not be ten minutes late. */
const ageShare = 60;
/** The smallest real query. */
const probeQuery: SearchQuery = {
  text: 'test',
  kind: 'web',
  filters: noFilters,
  place: null,
  safe: true,
  hitsMax: 1,
};

/** Asks engines in parallel, each with its deadline, breaker, quiet time and remembered answers. */
export class EnginePool {
  readonly #options: EnginePoolOptions;
  /** By index of the engine. The corpus has none: it is no server that could be away. */
  readonly #breakers: Breakers<number>;
  readonly #remote: readonly number[];
  readonly #quietUntil: number[];
  readonly #cache: Cache<readonly unknown[]>;
  #isCorpusDown = false;

  constructor(options: EnginePoolOptions) {
    const { engines, corpus, clock } = options;
    this.#options = options;
    this.#remote = [...engines.keys()].filter((index) => engines[index] !== corpus);
    this.#quietUntil = engines.map(() => 0);
    this.#breakers = new Breakers<number>({
      policy: breakerPolicy,
      clock,
      probe: (index, signal) => this.#probe(index, signal),
    });
    this.#cache = createCache({
      clock,
      entriesMax: answersMax,
      weightMax: cacheCharsMax,
      weightOf: (items) => JSON.stringify(items).length,
    });
  }

  /** Answers in the order of the engines, and why the others gave none. Rejects only when the signal aborts. */
  async ask<Item>(chosen: readonly SearchEngine[], request: PoolRequest<Item>, signal: AbortSignal) {
    const { corpus } = this.#options;
    const remote = chosen.filter((engine) => engine !== corpus);
    const taken = new Set(this.#breakers.candidates(remote.map((engine) => this.#indexOf(engine))));
    const results = await Promise.all(
      chosen.map((engine) =>
        engine === corpus
          ? this.#askCorpus(request, signal)
          : this.#askRemote(engine, taken.has(this.#indexOf(engine)), request, signal),
      ),
    );
    signal.throwIfAborted();
    const failures: CallFailure[] = [];
    const answers: Answer<Item>[] = [];
    for (const [place, result] of results.entries()) {
      const engine = chosen[place];
      if (engine === undefined) continue;
      request.onAsked?.(engine.name, outcomeOf(result));
      if (!result.ok) failures.push(result.failure);
      else answers.push({ engine, items: result.value });
    }
    return { answers, failures };
  }

  /** Down when every engine is away and the corpus could not be asked either. */
  health(): 'ok' | 'down' {
    const isDown = this.#isCorpusDown && this.#remote.every((index) => this.#breakers.isResting(index));
    return isDown ? 'down' : 'ok';
  }

  close(): void {
    this.#breakers.close();
  }

  #indexOf(engine: SearchEngine): number {
    return this.#options.engines.indexOf(engine);
  }

  async #probe(index: number, signal: AbortSignal): Promise<CallVerdict> {
    const engine = this.#options.engines[index];
    if (engine === undefined) return 'unknown';
    const [kind = 'web'] = engine.kinds;
    const search = (within: AbortSignal) => engine.search({ ...probeQuery, kind }, within, '');
    return verdictOf(await attempt(signal, this.#options.timeoutMs, search));
  }

  async #askCorpus<Item>(
    { call }: PoolRequest<Item>,
    signal: AbortSignal,
  ): Promise<Attempt<readonly Item[]>> {
    const { corpus, timeoutMs, onFailure, onAsked } = this.#options;
    const result = await attempt(signal, timeoutMs, (within) => call(corpus, within));
    this.#isCorpusDown = !result.ok;
    onAsked(corpus.name, outcomeOf(result));
    if (!result.ok) onFailure(corpus.name, result.failure);
    return result;
  }

  /** `isTaken`: the engine does not rest, or every engine that could answer does. */
  async #askRemote<Item>(
    engine: SearchEngine,
    isTaken: boolean,
    { method, query, call }: PoolRequest<Item>,
    signal: AbortSignal,
  ): Promise<Attempt<readonly Item[]>> {
    const { clock, timeoutMs, cacheMs, onAsked } = this.#options;
    const index = this.#indexOf(engine);
    const key = JSON.stringify([index, method, query]);
    // The method is part of the key, so the items are of its type.
    const known = this.#cache.get(key) as readonly Item[] | undefined;
    if (known !== undefined) return { ok: true, value: known };
    const quietMs = (this.#quietUntil[index] ?? 0) - clock.monotonic();
    if (quietMs > 0) return { ok: false, failure: resting(quietMs) };
    const end = isTaken ? this.#breakers.begin(index) : null;
    if (end === null) return { ok: false, failure: resting(this.#breakers.waitMs([index])) };
    try {
      const result = await attempt(signal, timeoutMs, (within) => call(engine, within));
      end(verdictOf(result));
      onAsked(engine.name, outcomeOf(result));
      if (!result.ok) return { ok: false, failure: this.#reportFailure(engine, index, result.failure) };
      const ageMs = query.filters.maxAgeMs;
      this.#cache.set(key, result.value, ageMs === null ? cacheMs : Math.min(cacheMs, ageMs / ageShare));
      return result;
    } finally {
      end('unknown');
    }
  }

  /** Reports a failure. Returns it with the wait until the engine is asked again. */
  #reportFailure({ name }: SearchEngine, index: number, failure: CallFailure): CallFailure {
    const { clock, onFailure } = this.#options;
    onFailure(name, failure);
    // A busy engine says for how long. One that is away is left to its breaker.
    if (failure.kind === 'unavailable' && !failure.away)
      this.#quietUntil[index] = clock.monotonic() + Math.min(failure.retryAfterMs ?? 0, quietMaxMs);
    return mostHopeful([failure], this.#breakers.waitMs([index]));
  }
}

function outcomeOf(result: Attempt<readonly unknown[]>): EngineOutcome {
  return result.ok ? result.value.length : result.failure.kind;
}

/** The fault to throw when every engine failed: the one that gives the caller most hope. */
export function faultOf(failures: readonly CallFailure[]): Error {
  return toFault(mostHopeful(failures, 0));
}

/** Rejects only when the signal aborts. */
async function attempt<Item>(
  signal: AbortSignal,
  timeoutMs: number,
  call: (signal: AbortSignal) => Promise<readonly Item[]>,
): Promise<Attempt<readonly Item[]>> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const within = AbortSignal.any([signal, deadline]);
  try {
    return { ok: true, value: await raceSignal(call(within), within) };
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, failure: deadline.aborted ? late(timeoutMs) : (failureOf(error) ?? broken(error)) };
  }
}

function late(timeoutMs: number): CallFailure {
  return { ...unusable(`no answer within ${timeoutMs} ms`), kind: 'timeout', away: true };
}

function broken(error: unknown): CallFailure {
  return { ...unusable('the engine failed'), cause: error };
}
