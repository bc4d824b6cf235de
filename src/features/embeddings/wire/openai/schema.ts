import { Type, type Static } from 'typebox';
import { Count, described, Nullable, Open, Strict } from '../../../../kernel/kit/schema.ts';
import type { Settings } from '../../../../kernel/feature.ts';
import { EmbedderName } from '../embedders.ts';

const Text = Type.String({ minLength: 1 });

/** What OpenAI documents. Further fields are accepted and named in a header. */
export function OpenAiEmbeddingsRequest(settings: Settings) {
  return Open(
    {
      model: EmbedderName(settings, 'standard'),
      input: Type.Union([Text, Type.Array(Text, { minItems: 1, maxItems: 2_048 })], {
        errorMessage:
          'input must be a text or an array of 1 to 2048 texts; tokens of other models are not read',
      }),
      encoding_format: Nullable(Type.Enum(['float', 'base64']), {
        errorMessage: 'encoding_format must be float or base64',
      }),
      dimensions: Nullable(Type.Integer({ minimum: 1 }), { errorMessage: 'dimensions must be at least 1' }),
      user: Nullable(Type.String()),
    },
    {
      encoding_format: '`float`, the default, or `base64` of 32-bit floats, little endian.',
      dimensions: 'At most those of the model. Vectors have length 1 whatever their dimensions.',
      user: 'Has no effect.',
    },
  );
}
export type OpenAiEmbeddingsRequest = Static<ReturnType<typeof OpenAiEmbeddingsRequest>>;

export const OpenAiEmbeddingsResponse = Strict({
  object: Type.Literal('list'),
  data: Type.Array(
    Strict(
      described(
        {
          object: Type.Literal('embedding'),
          index: Count,
          embedding: Type.Union([Type.Array(Type.Number()), Type.String()]),
        },
        { index: 'Place in the input.' },
      ),
    ),
  ),
  model: Type.String(),
  usage: Strict({ prompt_tokens: Count, total_tokens: Count }),
});
