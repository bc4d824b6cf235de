import type { Config } from '../../kernel/config.ts';
import type { Clock } from '../../kernel/kit/clock.ts';
import { isJsonObject, type Json } from '../../kernel/kit/json.ts';
import { openOutbound, type Outbound } from '../../kernel/kit/outbound.ts';
import { toTrial, type Trial } from '../../kernel/kit/trial.ts';
import { openSource, type SearchEngineDeclaration, type SourceEntry } from './define-source.ts';
import { createEngineCalls } from './engine-calls.ts';
import { noFilters } from './engine.ts';
import { searchEngines } from './engines/index.ts';

/** What one engine of the configuration said to one request. */
export interface TriedEngine {
  readonly type: string;
  /** Asked with an empty search. */
  readonly isPaid: boolean;
  readonly hasKey: boolean;
  readonly trial: Trial;
  /** The key, which an answer with the status 422 or 400 can say too. */
  readonly refusesKey: boolean;
  /** It answered, and not as this engine does. */
  readonly isStrange: boolean;
}

interface TrialOptions {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const responseBytesMax = 8_388_608;
/** Finds something everywhere, and means nothing. */
const word = 'test';

/**
 * Asks each engine once, all at the same time: for a word where a search is free, and for nothing where it costs, which
 * such a service refuses after it has looked at the key. Rejects with the signal's reason only.
 */
export async function tryEngines(
  { search, outbound: { userAgent } }: Pick<Config, 'search' | 'outbound'>,
  options: TrialOptions,
  known: readonly SearchEngineDeclaration[] = searchEngines,
): Promise<readonly TriedEngine[]> {
  const outbound = openOutbound({ responseBytesMax, connectionsMax: 4 });
  try {
    return await Promise.all(
      search.engines.map((entry) => tryEngine(entry, known, outbound, { ...options, userAgent })),
    );
  } finally {
    await outbound.close();
  }
}

async function tryEngine(
  entry: SourceEntry,
  known: readonly SearchEngineDeclaration[],
  outbound: Outbound,
  { clock, timeoutMs, signal, userAgent }: TrialOptions & { readonly userAgent: string },
): Promise<TriedEngine> {
  const isPaid = known.find(({ type }) => type === entry.type)?.isPaid === true;
  const recorded = record(outbound);
  const calls = createEngineCalls({
    outbound: recorded.outbound,
    clock,
    random: Math.random,
    timeoutMs,
    userAgent,
  });
  const engine = openSource(known, entry, { calls, clock });
  const [kind = 'web'] = engine.kinds;
  const text = isPaid ? '' : word;
  const startedMs = clock.monotonic();
  try {
    const query = { text, kind, filters: noFilters, place: null, safe: true, hitsMax: 1 };
    const isUsable = await engine.search(query, signal, '').then(
      () => true,
      () => false,
    );
    signal.throwIfAborted();
    const last = recorded.last() ?? { ok: false, status: null, body: null };
    return {
      type: entry.type,
      isPaid,
      hasKey: (entry.key ?? null) !== null,
      trial: toTrial(last, clock.monotonic() - startedMs),
      refusesKey: refusesKey(last.status, last.body),
      isStrange: last.ok && !isUsable && !isPaid,
    };
  } finally {
    await engine.close();
  }
}

type Outcome = Awaited<ReturnType<Outbound['call']>> | Awaited<ReturnType<Outbound['open']>>;

/** The last outcome is what the engine's faults do not tell. */
function record(outbound: Outbound) {
  let last: Outcome | null = null;
  const recording: Outbound = {
    call: async (request) => (last = await outbound.call(request)),
    open: async (request) => (last = await outbound.open(request)),
    close: () => outbound.close(),
  };
  return {
    outbound: recording,
    last: () => {
      if (last === null) return null;
      const body = 'body' in last ? last.body : null;
      return last.ok ? { ok: true, status: last.status, body } : { ...last, body };
    },
  };
}

/** Brave answers 422 to a wrong key, and names it in the code of the error. */
function refusesKey(status: number | null, body: Json): boolean {
  if (status === 401 || status === 403) return true;
  const error = isJsonObject(body) ? body['error'] : null;
  const code = isJsonObject(error ?? null) ? (error as { readonly code?: Json }).code : null;
  return status !== null && status >= 400 && typeof code === 'string' && /token_invalid/i.test(code);
}
