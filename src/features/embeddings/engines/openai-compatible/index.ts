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
import { countEach } from '../../../../kernel/kit/count-tokens.ts';
import { mixDocument } from '../../context.ts';
import type { EmbeddingEngine, EmbeddingSize } from '../../embedding.ts';
import { toFault } from '../../upstream-fault.ts';
import { endpointOf, toRequest } from './request.ts';
import { fromResponse, ResponseError } from './response.ts';

export interface EmbeddingUpstream {
  /** `http://host:port/v1`. */
  readonly url: string;
  readonly key: string | null;
  readonly model: string;
}

export interface OpenAiCompatibleOptions {
  /** Tried in order. They have to run the same model, or vectors of one index do not compare. */
  readonly upstreams: readonly EmbeddingUpstream[];
  /** For a whole request, retries and other upstreams included. Unit: ms. */
  readonly timeoutMs: number;
  readonly clock?: Clock;
  /** In [0, 1). Spreads retries only. */
  readonly random?: () => number;
}

const retryPolicy = { retriesMax: 2, baseMs: 250, capMs: 2_000, retryAfterMaxMs: 5_000 };
const breakerPolicy = { failuresMax: 3, coolDownMs: 5_000, coolDownMaxMs: 60_000 };
const responseBytesMax = 67_108_864;
/** Texts of one call, which servers bound, and calls of one request at a time. */
const textsPerCall = 64;
const callsAtOnce = 4;

/**
 * Embeddings of servers with OpenAI's interface: vLLM, SGLang, llama-server, Ollama, hosted ones. Tokens are estimated
 * by words, because a server tells its count only afterwards and for the whole call.
 */
export function openOpenAiCompatibleEngine(options: OpenAiCompatibleOptions): Promise<EmbeddingEngine> {
  const { clock = systemClock, random = Math.random, timeoutMs } = options;
  const targets = options.upstreams.map((upstream) => ({ ...upstream, url: endpointOf(upstream.url) }));
  const outbound = openOutbound({ responseBytesMax, connectionsMax: 64 });
  const parts: CallDependencies = { outbound, policy: retryPolicy, clock, random };
  const indices = targets.map((_, index) => index);
  const ask = async (index: number, call: Batch, bounds: Bounds) =>
    askOne(parts, targets[index], call, bounds);
  const breakers = createBreakers<number>({
    policy: breakerPolicy,
    clock,
    probe: async (index, signal) => {
      const deadlineAt = clock.monotonic() + timeoutMs;
      return verdictOf(await ask(index, { texts: ['test'], size: 1_024 }, { deadlineAt, signal }));
    },
  });

  const embed: EmbeddingEngine['embed'] = async (texts, size, signal, account) => {
    const results = await mapBatches(texts, async (batch) => {
      const result = await failover(
        { breakers, indices, clock, timeoutMs, signal, account },
        (index, deadlineAt) => ask(index, { texts: batch, size }, { deadlineAt, signal }),
      );
      if (!result.ok) throw toFault(result.failure);
      return result.value;
    });
    return results.flat();
  };

  return Promise.resolve({
    name: 'openai-compatible',
    health: () => (indices.every((index) => breakers.isResting(index)) ? 'down' : 'ok'),
    countTokens: countEach,
    embed,
    embedChunks: async (chunks, size, signal, account) =>
      mixDocument(await embed(chunks, size, signal, account), signal),
    async close() {
      breakers.close();
      await outbound.close();
    },
  });
}

interface Batch {
  readonly texts: readonly string[];
  readonly size: EmbeddingSize;
}

interface Bounds {
  readonly deadlineAt: number;
  readonly signal: AbortSignal;
}

/** Batches in order of the texts, few at a time; the first failure is the request's. */
async function mapBatches<Result>(
  texts: readonly string[],
  work: (batch: readonly string[]) => Promise<Result>,
): Promise<Result[]> {
  const batches: (readonly string[])[] = [];
  for (let from = 0; from < texts.length; from += textsPerCall)
    batches.push(texts.slice(from, from + textsPerCall));
  const results: Result[] = [];
  let next = 0;
  const lane = async () => {
    for (let place = next++; place < batches.length; place = next++)
      results[place] = await work(batches[place] ?? []);
  };
  await Promise.all(Array.from({ length: callsAtOnce }, lane));
  return results;
}

async function askOne(
  parts: CallDependencies,
  target: EmbeddingUpstream | undefined,
  { texts, size }: Batch,
  bounds: Bounds,
): Promise<Attempt<readonly Float32Array[]>> {
  if (target === undefined) return { ok: false, failure: unusable('no such upstream') };
  const { url, key, model } = target;
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const outcome = await callOne(
    parts,
    { method: 'POST', url, headers, json: toRequest(model, texts) },
    bounds,
  );
  if (!outcome.ok) return { ok: false, failure: toFailure(outcome, parts.clock.now()) };
  try {
    return { ok: true, value: fromResponse(outcome.body, texts.length, size) };
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    return { ok: false, failure: unusable(error.message) };
  }
}
