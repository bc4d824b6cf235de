import { Type, type Static } from 'typebox';
import type { EmbeddingSize } from '../embedding.ts';
import { Count, described, named, Nullable, Strict } from '../../../kernel/kit/schema.ts';
import { embeddersOf, EmbedderName, type EmbeddingKind } from './embedders.ts';
import type { Settings } from '../../../kernel/feature.ts';

const dimensionsMin = 128;
const dimensionsMax: EmbeddingSize = 2560;
const chunksMax = 16_000;

const Text = Type.String({ minLength: 1 });

function shared(settings: Settings, kind: EmbeddingKind) {
  return described(
    {
      model: EmbedderName(settings, kind),
      dimensions: Nullable(Type.Integer({ minimum: dimensionsMin, maximum: dimensionsMax })),
      encoding_format: Nullable(Type.Enum(['base64_int8', 'base64_binary'])),
    },
    {
      dimensions:
        'Length of the vectors, at most that of the model, which is the default: 1024 for `-0.6b`, 2560 for `-4b`. A multiple of 8 with `base64_binary`.',
      encoding_format:
        '`base64_int8`, the default, is one signed byte per dimension, to be compared by cosine; `base64_binary` is one bit, most significant first, to be compared by Hamming distance.',
    },
  );
}

/** Rules between fields, reported for `dimensions`: at most those of the model, and whole bytes of bits. */
function refused(settings: Settings, kind: EmbeddingKind) {
  const embedders = embeddersOf(settings, kind);
  return ({ model, dimensions, encoding_format: encoding }: Shared): string | null => {
    const size = embedders.get(model)?.size ?? dimensionsMax;
    if (typeof dimensions !== 'number') return null;
    if (dimensions > size) return `${model} has ${size} dimensions at most`;
    if (encoding === 'base64_binary' && dimensions % 8 !== 0)
      return 'has to be a multiple of 8 with base64_binary';
    return null;
  };
}

interface Shared {
  readonly model: string;
  readonly dimensions?: number | null;
  readonly encoding_format?: string | null;
}

export function EmbeddingsRequest(settings: Settings) {
  const check = refused(settings, 'standard');
  const request = Type.Object({
    ...shared(settings, 'standard'),
    input: Type.Union([Text, Type.Array(Text, { minItems: 1, maxItems: 512 })], {
      description: 'One text or several, each of at most 32,768 tokens, and 120,000 in all.',
    }),
  });
  return Type.Refine(
    { ...request, ruleField: 'dimensions' },
    (body) => check(body) === null,
    (body) => check(body) ?? '',
  );
}
export type EmbeddingsRequest = Static<ReturnType<typeof EmbeddingsRequest>>;

export function ContextualizedRequest(settings: Settings) {
  const check = refused(settings, 'contextualized');
  const Documents = Type.Refine(
    Type.Array(Type.Array(Text, { minItems: 1 }), {
      minItems: 1,
      maxItems: 512,
      description: `Documents, each as its chunks in order: at most ${chunksMax} chunks and 120,000 tokens in all, and 32,768 tokens per document.`,
    }),
    (documents) => countChunks(documents) <= chunksMax,
    () => `List should have at most ${chunksMax} chunks in all`,
  );
  const request = Type.Object({ ...shared(settings, 'contextualized'), input: Documents });
  return Type.Refine(
    { ...request, ruleField: 'dimensions' },
    (body) => check(body) === null,
    (body) => check(body) ?? '',
  );
}
export type ContextualizedRequest = Static<ReturnType<typeof ContextualizedRequest>>;

export function countChunks(documents: readonly (readonly string[])[]): number {
  return documents.reduce((sum, chunks) => sum + chunks.length, 0);
}

const Amount = Type.Number({ minimum: 0 });

const EmbeddingUsage = named(
  'EmbeddingUsage',
  Strict({
    prompt_tokens: Count,
    total_tokens: Count,
    cost: Strict({ input_cost: Amount, total_cost: Amount, currency: Type.Literal('USD') }),
  }),
);
export type EmbeddingUsage = Static<typeof EmbeddingUsage>;

const EmbeddingObject = Strict(
  { object: Type.Literal('embedding'), index: Count, embedding: Type.String() },
  { index: 'Place in the input.', embedding: 'The vector in `encoding_format`, as base64 with padding.' },
);
export type EmbeddingObject = Static<typeof EmbeddingObject>;

export const EmbeddingsResponse = Strict({
  object: Type.Literal('list'),
  data: Type.Array(EmbeddingObject),
  model: Type.String(),
  usage: EmbeddingUsage,
});

export const ContextualizedResponse = Strict({
  object: Type.Literal('list'),
  data: Type.Array(
    Strict(
      { object: Type.Literal('list'), index: Count, data: Type.Array(EmbeddingObject) },
      { index: 'Place of the document in the input.', data: 'Its chunks in order.' },
    ),
  ),
  model: Type.String(),
  usage: EmbeddingUsage,
});
