import type { RetryBounds } from '../../../../kernel/kit/retry.ts';
import type { Attempt, CallDependencies } from '../../../../kernel/kit/upstreams-call.ts';
import { openServers, type UpstreamsOptions } from '../../../../kernel/kit/upstreams.ts';
import type { DecisionEngine, NormalizedQuestion, State } from '../../engine.ts';
import { estimateTokens, modelsOf, toFault } from '../../upstream.ts';
import { createCompatibilityCache, type CompatibilityCache } from './compatibility-cache.ts';
import { scoreAll } from './score.ts';
import { CallError, unusableError } from './server.ts';

export interface LogprobsOptions extends UpstreamsOptions {
  /** Concurrent requests of one call. The default is the number of slots that the server reports, or 8. */
  readonly concurrency?: number;
  /** Called once per question with the share of the model's distribution that fell on labels, in [0,1]. */
  readonly onLabelMass?: (mass: number) => void;
  /** Longest wait at startup for the probes. Unit: ms. */
  readonly openWaitMs?: number;
}

const responseBytesMax = 8_388_608;
const widthUsual = 8;

/**
 * Decisions by any server with the OpenAI interface: the probabilities of the options' labels are read at the answer
 * position. Each server is probed once for its capabilities; see `probe.ts`.
 *
 * `vision` is known after the first successful probe, at startup or when a server comes back. `countTokens` is an
 * estimate by words, because asking the server would cost another request.
 */
export async function openLogprobsEngine(options: LogprobsOptions): Promise<DecisionEngine> {
  const servers = openServers(options, {
    responseBytesMax,
    connectionsMax: 256,
    // A server that cannot be probed cannot answer either, whatever the reason.
    async probe(index, bounds) {
      cache.forget(index);
      const found = await attempt(() => cache.find(index, bounds));
      return found.ok ? 'answered' : 'away';
    },
  });
  const cache = createCompatibilityCache(servers.calls, options.upstreams, options.timeoutMs);
  const ask = createAsk(options, servers.calls, cache);
  const sees = (index: number) => cache.get(index)?.vision;
  await cache.probeAll(options.openWaitMs ?? 5_000, servers.rest);
  return {
    name: 'logprobs',
    readsExamples: true,
    get vision() {
      return options.upstreams.some((_, index) => sees(index) === true);
    },
    health: servers.health,
    countTokens: (state, questions) => Promise.resolve(estimateTokens(state, questions)),
    score(state, questions, signal, account) {
      const suits = (index: number) => state.images.length === 0 || sees(index) !== false;
      const asking = { signal, account, toFault, suits };
      return servers.ask((index, bounds) => ask(index, state, questions, bounds), asking);
    },
    fingerprint: async () => modelsOf(options.upstreams),
    async close() {
      cache.close();
      await servers.close();
    },
  };
}

function createAsk(options: LogprobsOptions, calls: CallDependencies, cache: CompatibilityCache) {
  const { upstreams, concurrency, onLabelMass = () => {} } = options;
  return async (
    index: number,
    state: State,
    questions: readonly NormalizedQuestion[],
    bounds: RetryBounds,
  ) => {
    const result = await attempt(async () => {
      const upstream = upstreams[index];
      const capabilities = await cache.find(index, bounds);
      if (upstream === undefined) throw unusableError('no such upstream');
      if (state.images.length > 0 && !capabilities.vision) throw unusableError('no vision');
      const width = concurrency ?? capabilities.slots ?? widthUsual;
      return scoreAll({ calls, upstream, capabilities, width, onLabelMass }, state, questions, bounds);
    });
    // A server that no longer does what it did was replaced or restarted with other settings.
    if (!result.ok && result.failure.kind === 'unusable' && (result.failure.status ?? 0) < 500) {
      cache.forget(index);
    }
    return result;
  };
}

async function attempt<Value>(task: () => Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { ok: true, value: await task() };
  } catch (error) {
    if (error instanceof CallError) return { ok: false, failure: error.failure };
    throw error;
  }
}
