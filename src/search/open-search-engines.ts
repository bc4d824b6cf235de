import { raceSignal } from '../kit/abort.ts';
import type { Clock } from '../kit/clock.ts';
import { createUpstreams, type Upstreams } from '../kit/upstreams.ts';
import { unusable, type CallFailure } from '../kit/upstreams-call.ts';
import { createCache, type Cache } from './cache.ts';
import type { SearchEngine, SearchQuery } from './engine.ts';
import { failureOf, toFault } from './upstream-fault.ts';

/** What engines are asked for, as one of their methods. */
export interface Asked<Item> {
  /** Tells the same query to another method apart. */
  readonly method: 'search' | 'images' | 'videos';
  readonly query: SearchQuery;
  readonly call: (engine: SearchEngine, signal: AbortSignal) => Promise<readonly Item[]>;
}

export interface Answer<Item> {
  readonly engine: SearchEngine;
  /** Best first. */
  readonly items: readonly Item[];
}

export interface Asking {
  /** Answers in the order of the engines, and why the others gave none. Rejects only when the signal aborts. */
  ask<Item>(
    engines: readonly SearchEngine[],
    asked: Asked<Item>,
    signal: AbortSignal,
  ): Promise<{ readonly answers: readonly Answer<Item>[]; readonly failures: readonly CallFailure[] }>;
  health(): 'ok' | 'down';
}

export interface AskingParts {
  /** Every engine, the corpus included. */
  readonly engines: readonly SearchEngine[];
  /** Answers of this one are not kept: what was just added to it has to be found, and asking it is cheap. */
  readonly corpus: SearchEngine;
  /** Longest wait for one engine. Unit: ms. */
  readonly timeoutMs: number;
  /** How long answers are kept; 0 keeps none. Unit: ms. */
  readonly cacheMs: number;
  readonly clock: Clock;
  /** Told of each failure, so that somebody may read of it: callers hear of one only when all failed. */
  readonly onFailure: (engine: string, failure: CallFailure) => void;
}

const breakerPolicy = { failuresMax: 3, coolDownMs: 10_000, coolDownMaxMs: 300_000 };
/** A server that says for how long it wants no calls gets none, up to this. Unit: ms. */
const restMaxMs = 600_000;
const answersMax = 500;
const cacheCharsMax = 32_000_000;
/** News of the last hour are not told ten minutes late: an answer is kept for a sixtieth of the age asked for. */
const ageShare = 60;

/** Asks engines in parallel, each with its deadline, breaker, rest and remembered answers. */
export function createAsking({ engines, corpus, timeoutMs, cacheMs, clock, onFailure }: AskingParts): Asking {
  const upstreams = createUpstreams(engines.length, breakerPolicy, clock);
  const restsUntil = engines.map(() => 0);
  const cache: Cache<readonly unknown[]> = createCache({
    clock,
    entriesMax: answersMax,
    weightMax: cacheCharsMax,
    weightOf: (items) => JSON.stringify(items).length,
  });

  const askOne = async <Item>(
    engine: SearchEngine,
    { method, query, call }: Asked<Item>,
    signal: AbortSignal,
  ): Promise<readonly Item[] | CallFailure> => {
    const index = engines.indexOf(engine);
    const key = JSON.stringify([index, method, query]);
    // The method is part of the key, so what lies there is what this method gave.
    const known = cache.get(key) as readonly Item[] | undefined;
    if (known !== undefined) return known;
    const restMs = (restsUntil[index] ?? 0) - clock.monotonic();
    if (restMs > 0 || !upstreams.take(index)) return resting(Math.max(restMs, upstreams.waitMs()));
    const result = await settle(upstreams, index, signal, timeoutMs, (within) => call(engine, within));
    if ('kind' in result) {
      onFailure(engine.name, result);
      const { kind, retryAfterMs } = result;
      if (kind === 'unavailable' && retryAfterMs !== null && retryAfterMs > 0)
        restsUntil[index] = clock.monotonic() + Math.min(retryAfterMs, restMaxMs);
      return result;
    }
    const ageMs = query.filters.maxAgeMs;
    if (engine === corpus) return result;
    cache.set(key, result, ageMs === null ? cacheMs : Math.min(cacheMs, ageMs / ageShare));
    return result;
  };

  return {
    async ask<Item>(chosen: readonly SearchEngine[], asked: Asked<Item>, signal: AbortSignal) {
      const results = await Promise.all(chosen.map((engine) => askOne(engine, asked, signal)));
      signal.throwIfAborted();
      const failures: CallFailure[] = [];
      const answers: Answer<Item>[] = [];
      for (const [place, result] of results.entries()) {
        const engine = chosen[place];
        if ('kind' in result) failures.push(result);
        else if (engine !== undefined) answers.push({ engine, items: result });
      }
      return { answers, failures };
    },
    health: () => upstreams.health(),
  };
}

/** The fault to tell when every engine failed: the one that gives the caller most hope. */
export function worstOf(failures: readonly CallFailure[]): Error {
  const told = (['unavailable', 'timeout', 'unusable'] as const).flatMap((kind) =>
    failures.filter((failure) => failure.kind === kind),
  );
  const first = told[0] ?? resting(0);
  if (first.kind !== 'unavailable') return toFault(first);
  const waits = told
    .filter(({ kind }) => kind === 'unavailable')
    .map(({ retryAfterMs }) => retryAfterMs ?? 0);
  return toFault({ ...first, retryAfterMs: Math.min(...waits) });
}

async function settle<Item>(
  upstreams: Upstreams,
  index: number,
  signal: AbortSignal,
  timeoutMs: number,
  call: (signal: AbortSignal) => Promise<readonly Item[]>,
): Promise<readonly Item[] | CallFailure> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const within = AbortSignal.any([signal, deadline]);
  try {
    const items = await raceSignal(call(within), within);
    upstreams.report(index, 'success');
    return items;
  } catch (error) {
    if (signal.aborted) {
      upstreams.report(index, 'abandon');
      throw error;
    }
    const failure = deadline.aborted ? late(timeoutMs) : (failureOf(error) ?? broken(error));
    upstreams.report(index, failure.alive ? 'success' : 'failure');
    return failure;
  }
}

function late(timeoutMs: number): CallFailure {
  return { ...unusable(`no answer within ${timeoutMs} ms`), kind: 'timeout' };
}

function broken(error: unknown): CallFailure {
  return { ...unusable('the engine failed'), cause: error };
}

function resting(waitMs: number): CallFailure {
  return {
    ...unusable('the engine takes no calls now'),
    kind: 'unavailable',
    retryAfterMs: Math.max(0, waitMs),
  };
}
