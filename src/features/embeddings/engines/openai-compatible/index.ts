import { withoutEndSlashes } from '../../../../kernel/kit/text.ts';
import type { CallFailure } from '../../../../kernel/kit/call-failure.ts';
import { countEach } from '../../../../kernel/kit/count-tokens.ts';
import {
  openUpstreams,
  type UpstreamRequest,
  type UpstreamsOptions,
  ResponseError,
} from '../../../../kernel/kit/upstreams.ts';
import { toUpstreamFault } from '../../../../kernel/upstream-fault.ts';
import { mixDocument } from '../../context.ts';
import { type EmbeddingEngine, type EmbeddingSize, fit } from '../../embedding.ts';
import { isJsonObject, type Json } from '../../../../kernel/kit/json.ts';

/** Most texts of one call, which servers bound, and concurrent calls of one request. */
const textsPerCall = 64;
const callsAtOnce = 4;

/**
 * Embeddings by servers with OpenAI's interface: vLLM, SGLang, llama-server, Ollama, hosted ones. All upstreams have to
 * run the same model, or vectors of one index do not compare. Tokens are estimated by words, because a server reports
 * its count only afterwards and for the whole call.
 */
export function openOpenAiCompatibleEngine(
  options: Omit<UpstreamsOptions, 'coolDownMs'>,
): Promise<EmbeddingEngine> {
  const upstreams = openUpstreams(options, {
    endpointOf,
    probe: toRequest(['test'], 1_024),
    responseBytesMax: 67_108_864,
  });
  const toFault = (failure: CallFailure) => toUpstreamFault('embedding', failure);
  const embed: EmbeddingEngine['embed'] = async (texts, size, signal, account) => {
    const results = await mapBatches(texts, (batch) =>
      upstreams.ask(toRequest(batch, size), { signal, account, toFault }),
    );
    return results.flat();
  };
  return Promise.resolve({
    name: 'openai-compatible',
    health: upstreams.health,
    countTokens: countEach,
    embed,
    embedChunks: async (chunks, size, signal, account) =>
      mixDocument(await embed(chunks, size, signal, account), signal),
    close: () => upstreams.close(),
  });
}

/** Address of the operation for `http://host/v1`, with or without `/embeddings`. */
function endpointOf(url: string): string {
  const base = withoutEndSlashes(url);
  if (base.endsWith('/embeddings')) return base;
  return /\/v\d+$/.test(base) ? `${base}/embeddings` : `${base}/v1/embeddings`;
}

/** Asks for floats as text, which all servers know; few know base64. */
function toRequest(texts: readonly string[], size: EmbeddingSize): UpstreamRequest<readonly Float32Array[]> {
  return {
    toJson: (model) => JSON.stringify({ model, input: texts, encoding_format: 'float' }),
    read: (body) => fromResponse(body, texts.length, size),
  };
}

/** Results of batches in the order of the texts, few batches at a time. Rejects with the first failure. */
async function mapBatches<Result>(
  texts: readonly string[],
  work: (batch: readonly string[]) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const lane = async () => {
    for (let from = next++ * textsPerCall; from < texts.length; from = next++ * textsPerCall)
      results[from / textsPerCall] = await work(texts.slice(from, from + textsPerCall));
  };
  await Promise.all(Array.from({ length: callsAtOnce }, lane));
  return results;
}

/** Vectors in the order of the texts. Throws ResponseError. */
function fromResponse(body: Json, count: number, size: EmbeddingSize): readonly Float32Array[] {
  const data = isJsonObject(body) ? body['data'] : undefined;
  if (!Array.isArray(data) || data.length !== count)
    throw new ResponseError(`no list of ${count} embeddings`);
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [place, item] of (data as readonly Json[]).entries()) {
    if (!isJsonObject(item)) throw new ResponseError('an embedding is no object');
    const index = typeof item['index'] === 'number' ? item['index'] : place;
    vectors[index] = toVector(item['embedding'], size);
  }
  return vectors.map((vector) => {
    if (vector === undefined) throw new ResponseError('an embedding is missing');
    return vector;
  });
}

function toVector(values: Json | undefined, size: EmbeddingSize): Float32Array {
  if (!Array.isArray(values) || values.length === 0) throw new ResponseError('an embedding is no list');
  // llama.cpp's server does that with a chat model.
  if (Array.isArray(values[0]))
    throw new ResponseError('it gives a vector for each token in place of one for the text');
  const vector = new Float32Array(values.length);
  for (const [index, value] of (values as readonly Json[]).entries()) {
    if (typeof value !== 'number' || !Number.isFinite(value)) throw new ResponseError('a value is no number');
    vector[index] = value;
  }
  return fit(vector, size);
}
