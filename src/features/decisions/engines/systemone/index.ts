import { systemClock, type Clock } from '../../../../kernel/kit/clock.ts';
import { openOutbound } from '../../../../kernel/kit/outbound.ts';
import { createBreakers } from '../../../../kernel/kit/breakers.ts';
import { toFailure, unusable } from '../../../../kernel/kit/call-failure.ts';
import {
  callOne,
  failover,
  verdictOf,
  type Attempt,
  type CallDependencies,
} from '../../../../kernel/kit/upstreams-call.ts';
import type { DecisionEngine } from '../../engine.ts';
import type { State } from '../../state.ts';
import { estimateTokens } from '../../token-estimate.ts';
import type { Distribution, NormalizedQuestion } from '../../normalized-question.ts';
import { toFault } from '../../upstream-fault.ts';
import { endpointOf, toRequest, type Request } from './request.ts';
import { fromResponse, ResponseError } from './response.ts';

export interface SystemOneUpstream {
  /** `http://host:port`, with or without `/v1` or `/v1/systemone`. */
  readonly url: string;
  readonly key: string | null;
  readonly model: string;
}

export interface SystemOneOptions {
  /** Tried in order. */
  readonly upstreams: readonly SystemOneUpstream[];
  /** For a whole request, retries and other upstreams included. Unit: ms. */
  readonly timeoutMs: number;
  readonly clock?: Clock;
  /** In [0, 1). Spreads retries only; no answer depends on it. */
  readonly random?: () => number;
  /** First time that a failing upstream is left alone. Unit: ms. */
  readonly coolDownMs?: number;
}

const retryPolicy = { retriesMax: 2, baseMs: 250, capMs: 2_000, retryAfterMaxMs: 5_000 };
const responseBytesMax = 16_777_216;

/** The smallest real question: an upstream that answers it answers others. */
const probeState: State = { entry: 'test', text: 'test', images: [] };
const probeQuestions: readonly NormalizedQuestion[] = [
  {
    kind: 'noul',
    question: 'Is this a test?',
    options: [
      { name: 'true', description: '' },
      { name: 'false', description: '' },
    ],
  },
];

/**
 * Forwards decisions to servers that speak System One: SGLang, Ollama, a hosted service, another Nestor. One
 * request is one call, retried and failed over; what comes back is checked and renormalised, never trusted.
 *
 * `countTokens` is an estimate by words: an upstream tells its count only afterwards, and then of its own prompt.
 * An upstream that is away by our own probe is left to a few calls at a time until a probe finds it back.
 */
export async function openSystemOneEngine(options: SystemOneOptions): Promise<DecisionEngine> {
  const { clock = systemClock, random = Math.random, timeoutMs, coolDownMs = 5_000 } = options;
  const targets = options.upstreams.map((upstream) => ({ ...upstream, url: endpointOf(upstream.url) }));
  const outbound = openOutbound({ responseBytesMax, connectionsMax: 64 });
  const parts: CallDependencies = { outbound, policy: retryPolicy, clock, random };
  const indices = targets.map((_, index) => index);
  const ask = async (index: number, request: Request, deadlineAt: number, signal: AbortSignal) =>
    askOne(parts, targets[index], request, { deadlineAt, signal });
  const breakers = createBreakers<number>({
    policy: { failuresMax: 3, coolDownMs, coolDownMaxMs: Math.max(60_000, coolDownMs) },
    clock,
    everyMs: Math.min(1_000, coolDownMs),
    probe: async (index, signal) =>
      verdictOf(
        await ask(index, toRequest(probeState, probeQuestions), clock.monotonic() + timeoutMs, signal),
      ),
  });

  async function forward(
    state: State,
    questions: readonly NormalizedQuestion[],
    signal: AbortSignal,
    account?: string,
  ) {
    const request = toRequest(state, questions);
    const result = await failover(
      { breakers, indices, clock, timeoutMs, signal, account },
      (index, deadlineAt) => ask(index, request, deadlineAt, signal),
    );
    if (!result.ok) throw toFault(result.failure);
    return result.value;
  }

  return {
    name: 'systemone',
    vision: true,
    health: () => (indices.every((index) => breakers.isResting(index)) ? 'down' : 'ok'),
    countTokens: (state, questions) => Promise.resolve(estimateTokens(state, questions)),
    async score(state, questions, signal, account) {
      const parts = await Promise.all(
        chunksOf(questions).map((chunk) => forward(state, chunk, signal, account)),
      );
      return parts.flat();
    },
    async close() {
      breakers.close();
      await outbound.close();
    },
  };
}

/** The protocol takes so many questions at once; orders and negation can make more of a request than it had. */
const questionsPerRequest = 128;

function chunksOf(questions: readonly NormalizedQuestion[]): (readonly NormalizedQuestion[])[] {
  const chunks: (readonly NormalizedQuestion[])[] = [];
  for (let from = 0; from < questions.length; from += questionsPerRequest) {
    chunks.push(questions.slice(from, from + questionsPerRequest));
  }
  return chunks;
}

async function askOne(
  parts: CallDependencies,
  target: SystemOneUpstream | undefined,
  request: Request,
  bounds: { readonly deadlineAt: number; readonly signal: AbortSignal },
): Promise<Attempt<readonly Distribution[]>> {
  if (target === undefined) return { ok: false, failure: unusable('no such upstream') };
  const { url, key, model } = target;
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const call = { method: 'POST', url, headers, json: request.toJson(model) } as const;
  const outcome = await callOne(parts, call, bounds);
  if (!outcome.ok) return { ok: false, failure: toFailure(outcome, parts.clock.now()) };
  try {
    return { ok: true, value: fromResponse(outcome.body, request.asked) };
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    return { ok: false, failure: unusable(error.message) };
  }
}
