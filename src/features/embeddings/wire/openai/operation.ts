import { servedModel } from '../../../../kernel/http/model-name.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { Fault, invalidValue } from '../../../../kernel/faults.ts';
import { toIgnoredHeader } from '../../../../kernel/http/headers.ts';
import {
  accountOf,
  defineOperation,
  ok,
  type Bucket,
  type Operation,
} from '../../../../kernel/http/operation.ts';
import { runInSlices } from '../../../../kernel/kit/slices.ts';
import { toUnit } from '../../encode.ts';
import { lengthsOf, refuseHuge, sumTokens } from '../convert.ts';
import { embeddersOf, type Embedder } from '../embedders.ts';
import { OpenAiEmbeddingsRequest, OpenAiEmbeddingsResponse } from './schema.ts';

const bytesMax = 33_554_432;
const known: ReadonlySet<string> = new Set(['model', 'input', 'encoding_format', 'dimensions']);

/** `POST /openai/v1/embeddings`: floats, as clients of OpenAI read them. */
export function openAiEmbeddings(settings: Settings, bucket: Bucket, timeoutMs: number): Operation<Services> {
  const embedders = embeddersOf(settings, 'standard');
  return defineOperation({
    id: 'createOpenAiEmbeddings',
    isBilled: true,
    summary: 'Turns texts into vectors of floats, for clients of OpenAI',
    group: 'embeddings',
    method: 'POST',
    paths: ['/openai/v1/embeddings'],
    surface: 'openai',
    credentials: 'bearer',
    buckets: [bucket],
    body: { schema: OpenAiEmbeddingsRequest(settings), bytesMax },
    responses: { 200: OpenAiEmbeddingsResponse },
    timeoutMs,
    async handle({ body, principal, signal }, { embeddings: engine }: Services) {
      const embedder = servedModel(embedders, body.model);
      const dimensions = dimensionsOf(body, embedder);
      const texts = typeof body.input === 'string' ? [body.input] : body.input;
      inOwnWords(() => refuseHuge(lengthsOf(texts), 'text'));
      const counts = await engine.countTokens(texts, signal);
      const tokens = inOwnWords(() => sumTokens(counts, 'text'));
      const vectors = await engine.embed(texts, embedder.size, signal, accountOf(principal));
      const isText = body.encoding_format === 'base64';
      const data = await runInSlices(toObjects(vectors, dimensions, isText), signal);
      const ignored = Object.keys(body).filter((name) => !known.has(name));
      return ok(
        { object: 'list', data, model: body.model, usage: { prompt_tokens: tokens, total_tokens: tokens } },
        { 'x-nestor-engine': engine.name, ...toIgnoredHeader(ignored) },
        {
          model: embedder.name,
          inputTokens: tokens,
          outputTokens: 0,
          costParts: { input: (tokens * embedder.priceUsdPerMillion) / 1e6 },
        },
      );
    },
  });
}

function dimensionsOf({ model, dimensions }: OpenAiEmbeddingsRequest, { size }: Embedder): number {
  if (dimensions === undefined || dimensions === null) return size;
  if (dimensions <= size) return dimensions;
  throw invalidValue(`${model} has ${size} dimensions at most`, 'dimensions');
}

/** What is too much is a 400 here. */
function inOwnWords<Value>(check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    throw error instanceof Fault ? invalidValue(error.message, 'input') : error;
  }
}

interface EmbeddingObject {
  readonly object: 'embedding';
  readonly index: number;
  readonly embedding: string | readonly number[];
}

function* toObjects(
  vectors: readonly Float32Array[],
  dimensions: number,
  isText: boolean,
): Generator<void, readonly EmbeddingObject[]> {
  const objects: EmbeddingObject[] = [];
  for (const [index, vector] of vectors.entries()) {
    const unit = toUnit(vector, dimensions);
    objects.push({ object: 'embedding', index, embedding: isText ? toBase64(unit) : [...unit] });
    yield;
  }
  return objects;
}

function toBase64(values: Float32Array): string {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString('base64');
}
