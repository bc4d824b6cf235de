import { systemClock, type Clock } from '../../../../kernel/kit/clock.ts';
import { openOutbound } from '../../../../kernel/kit/outbound.ts';
import type { RetryBounds } from '../../../../kernel/kit/retry.ts';
import { createBreakers } from '../../../../kernel/kit/breakers.ts';
import { failover, type Attempt, type CallDependencies } from '../../../../kernel/kit/upstreams-call.ts';
import type { DecisionEngine } from '../../engine.ts';
import type { State } from '../../state.ts';
import { estimateTokens } from '../../token-estimate.ts';
import type { Distribution, NormalizedQuestion } from '../../normalized-question.ts';
import type { Capabilities } from './capabilities.ts';
import { toFault } from '../../upstream-fault.ts';
import { createKnowledge, type Knowledge } from './knowledge.ts';
import { scoreAll } from './score.ts';
import { CallError, unusableError, type LogprobsUpstream } from './server.ts';

export interface LogprobsOptions {
  /** Tried in order. */
  readonly upstreams: readonly LogprobsUpstream[];
  /** For a whole request, retries and other upstreams included. Unit: ms. */
  readonly timeoutMs: number;
  /** Requests under way at once for one call; without it what the server tells, else 8. */
  readonly concurrency?: number;
  /** Told once per question: how much of the model's whole distribution fell on labels, in [0,1]. */
  readonly onLabelMass?: (mass: number) => void;
  readonly clock?: Clock;
  /** In [0, 1). Spreads retries only; no answer depends on it. */
  readonly random?: () => number;
  /** First time that a failing upstream is left alone. Unit: ms. */
  readonly coolDownMs?: number;
  /** Longest wait at the start for what the servers can do. Unit: ms. */
  readonly openWaitMs?: number;
}

const retryPolicy = { retriesMax: 2, baseMs: 250, capMs: 2_000, retryAfterMaxMs: 5_000 };
const responseBytesMax = 8_388_608;
const widthUsual = 8;

/**
 * Decisions over any server that speaks the OpenAI interface: the probabilities of the options' labels are read at
 * the answer position. What a server can do is found by asking it, once; see `probe.ts`.
 *
 * `vision` is known once a server answered: it is asked at the start for a few seconds and again when it comes
 * back. `countTokens` is an estimate by words: asking the server would cost a request that evaluates nothing.
 */
export async function openLogprobsEngine(options: LogprobsOptions): Promise<DecisionEngine> {
  const { clock = systemClock, random = Math.random, timeoutMs, coolDownMs = 5_000 } = options;
  const outbound = openOutbound({ responseBytesMax, connectionsMax: 256 });
  const calls: CallDependencies = { outbound, policy: retryPolicy, clock, random };
  const policy = { failuresMax: 3, coolDownMs, coolDownMaxMs: Math.max(60_000, coolDownMs) };
  const indices = options.upstreams.map((_, index) => index);
  const knowledge = createKnowledge(calls, options.upstreams, timeoutMs);
  const ask = createAsk(options, calls, knowledge);
  const sees = (index: number) => knowledge.known(index)?.vision;
  const breakers = createBreakers<number>({
    policy,
    clock,
    everyMs: Math.min(1_000, coolDownMs),
    // One of which nothing can be learnt answers nobody, whatever the reason.
    async probe(index, signal) {
      knowledge.forget(index);
      const deadlineAt = clock.monotonic() + timeoutMs;
      const learnt = await attempt<Capabilities>(() => knowledge.learn(index, { deadlineAt, signal }));
      return learnt.ok ? 'answered' : 'away';
    },
  });
  await knowledge.learnAll(options.openWaitMs ?? 5_000, (index) => breakers.rest(index));
  return {
    name: 'logprobs',
    get vision() {
      return options.upstreams.some((_, index) => sees(index) === true);
    },
    health: () => (indices.every((index) => breakers.isResting(index)) ? 'down' : 'ok'),
    countTokens: (state, questions) => Promise.resolve(estimateTokens(state, questions)),
    async score(state, questions, signal, account) {
      const suiting = indices.filter((index) => state.images.length === 0 || sees(index) !== false);
      const parts = { breakers, indices: suiting, clock, timeoutMs, signal, account };
      const result = await failover(parts, (index, deadlineAt) =>
        ask(index, state, questions, { deadlineAt, signal }),
      );
      if (!result.ok) throw toFault(result.failure);
      return result.value;
    },
    async close() {
      breakers.close();
      knowledge.close();
      await outbound.close();
    },
  };
}

type Ask = (
  index: number,
  state: State,
  questions: readonly NormalizedQuestion[],
  bounds: RetryBounds,
) => Promise<Attempt<readonly Distribution[]>>;

function createAsk(options: LogprobsOptions, calls: CallDependencies, knowledge: Knowledge): Ask {
  const { upstreams, concurrency, onLabelMass = () => {} } = options;
  return async (index, state, questions, bounds) => {
    const result = await attempt(async () => {
      const upstream = upstreams[index];
      const capabilities = await knowledge.learn(index, bounds);
      if (upstream === undefined) throw unusableError('no such upstream');
      if (state.images.length > 0 && !capabilities.vision) throw unusableError('no vision');
      const width = concurrency ?? capabilities.slots ?? widthUsual;
      return scoreAll({ calls, upstream, capabilities, width, onLabelMass }, state, questions, bounds);
    });
    // A server that does not do what it did before is another one now, or runs with other settings.
    if (!result.ok && result.failure.kind === 'unusable' && (result.failure.status ?? 0) < 500) {
      knowledge.forget(index);
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
