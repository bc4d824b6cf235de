import { servedModel } from '../../../kernel/http/model-name.ts';
import type { Billing, Operation, Reply } from '../../../kernel/http/operation.ts';
import { accountOf, defineOperation, ok, perSecond } from '../../../kernel/http/operation.ts';
import { embeddersOf, type Embedder } from './embedders.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';
import { openAiEmbeddings } from './openai/operation.ts';
import { lengthsOf, refuseHuge, sumTokens, toForm, toObjects, toUsage } from './convert.ts';
import {
  ContextualizedRequest,
  ContextualizedResponse,
  countChunks,
  EmbeddingsRequest,
  EmbeddingsResponse,
} from './schema.ts';

/** A body of exactly this many bytes is refused. */
const bytesMax = 33_554_432;
const timeoutMs = 60_000;

const requestBucket = perSecond('embeddings', [85, 170, 170, 170, 335, 335]);
/** Counts chunks, not requests. */
const chunkBucket = perSecond('contextualized-embeddings', [415, 835, 835, 835, 1_670, 1_670]);

const shared = {
  isBilled: true,
  group: 'embeddings',
  method: 'POST',
  surface: 'embeddings',
  credentials: 'bearer',
  timeoutMs,
} as const;

/** `POST /v1/embeddings` and `POST /v1/contextualizedembeddings`. Contract 12. */
export function embeddingOperations(settings: Settings): readonly Operation<Services>[] {
  return [standard(settings), contextualized(settings), openAiEmbeddings(settings, requestBucket, timeoutMs)];
}

function standard(settings: Settings): Operation<Services> {
  const embedders = embeddersOf(settings, 'standard');
  return defineOperation({
    ...shared,
    id: 'createEmbeddings',
    summary: 'Turns texts into vectors',
    paths: ['/v1/embeddings', '/embeddings'],
    buckets: [requestBucket],
    body: { schema: EmbeddingsRequest(settings), bytesMax },
    responses: { 200: EmbeddingsResponse },
    async handle({ body, principal, signal }, { embeddings: engine }: Services): Promise<Reply> {
      const embedder = servedModel(embedders, body.model);
      const texts = typeof body.input === 'string' ? [body.input] : body.input;
      refuseHuge(lengthsOf(texts), 'text');
      const tokens = sumTokens(await engine.countTokens(texts, signal), 'text');
      const vectors = await engine.embed(texts, embedder.size, signal, accountOf(principal));
      const data = await toObjects(vectors, toForm(body, embedder.size), signal);
      return ok(
        { object: 'list', data, model: body.model, usage: toUsage(tokens, embedder) },
        { 'x-nestor-engine': engine.name },
        toBilling(tokens, embedder),
      );
    },
  });
}

function contextualized(settings: Settings): Operation<Services> {
  const embedders = embeddersOf(settings, 'contextualized');
  return defineOperation({
    ...shared,
    id: 'createContextualizedEmbeddings',
    summary: 'Turns the chunks of documents into vectors that know their document',
    paths: ['/v1/contextualizedembeddings', '/contextualizedembeddings'],
    buckets: [],
    bodyBuckets: {
      buckets: [chunkBucket],
      when: 'valid',
      of: (body) => ({
        buckets: [chunkBucket],
        cost: countChunks((body as { readonly input: readonly (readonly string[])[] }).input),
      }),
    },
    body: { schema: ContextualizedRequest(settings), bytesMax },
    responses: { 200: ContextualizedResponse },
    async handle({ body, principal, signal }, { embeddings: engine }: Services): Promise<Reply> {
      const embedder = servedModel(embedders, body.model);
      const form = toForm(body, embedder.size);
      const account = accountOf(principal);
      const all = body.input.flat();
      refuseHuge(perDocument(body.input, lengthsOf(all)), 'document');
      const counts = await engine.countTokens(all, signal);
      const tokens = sumTokens(perDocument(body.input, counts), 'document');
      const data = [];
      for (const [index, chunks] of body.input.entries()) {
        const vectors = await engine.embedChunks(chunks, embedder.size, signal, account);
        data.push({ object: 'list', index, data: await toObjects(vectors, form, signal) });
      }
      return ok(
        { object: 'list', data, model: body.model, usage: toUsage(tokens, embedder) },
        { 'x-nestor-engine': engine.name },
        { ...toBilling(tokens, embedder), otherUnits: { chunks: counts.length } },
      );
    },
  });
}

function perDocument(
  documents: readonly (readonly string[])[],
  counts: readonly number[],
): readonly number[] {
  let from = 0;
  return documents.map(({ length }) => {
    const sum = counts.slice(from, from + length).reduce((total, count) => total + count, 0);
    from += length;
    return sum;
  });
}

function toBilling(tokens: number, { name, priceUsdPerMillion }: Embedder): Billing {
  const costParts = { input: (tokens * priceUsdPerMillion) / 1e6 };
  return { model: name, inputTokens: tokens, outputTokens: 0, costParts };
}
