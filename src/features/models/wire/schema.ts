import { Type } from 'typebox';
import { Strict } from '../../../kernel/kit/schema.ts';

const Price = Type.Number({ minimum: 0 });

export const Pricing = Strict({
  input: Price,
  output: Price,
  cache_read: Price,
  cache_write: Price,
  unit: Type.Literal('usd_per_1m_tokens'),
});

const ModelEntry = Strict(
  {
    id: Type.String(),
    object: Type.Literal('model'),
    created: Type.Integer(),
    owned_by: Type.String(),
    pricing: Pricing,
    available: Type.Boolean(),
  },
  {
    id: '`provider/model`, to be sent as `model`.',
    created: 'Unix seconds; 0 if unknown.',
    available:
      'Whether a model answers it now. Names of the service itself are answered with quoted sentences, where the surface ' +
      'has sources, until a model stands behind them.',
  },
);

const Decider = Strict({
  name: Type.String(),
  description: Type.String(),
  release_date: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
});

export const ModelList = Strict({
  object: Type.Literal('list'),
  data: Type.Array(ModelEntry),
  models: Type.Optional(Type.Array(Decider, { description: 'Models of decisions.' })),
});
