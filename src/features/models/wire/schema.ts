import { Type } from 'typebox';
import { described } from '../../../kernel/http/described.ts';

const strict = { additionalProperties: false };
const Price = Type.Number({ minimum: 0 });

export const Pricing = Type.Object(
  {
    input: Price,
    output: Price,
    cache_read: Price,
    cache_write: Price,
    unit: Type.Literal('usd_per_1m_tokens'),
  },
  strict,
);

const ModelEntry = Type.Object(
  described(
    {
      id: Type.String(),
      object: Type.Literal('model'),
      created: Type.Integer(),
      owned_by: Type.String(),
      pricing: Pricing,
    },
    { id: '`provider/model`, to be sent as `model`.', created: 'Unix seconds; 0 if unknown.' },
  ),
  strict,
);

const Decider = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    release_date: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }),
  },
  strict,
);

export const ModelList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(ModelEntry),
    models: Type.Optional(Type.Array(Decider, { description: 'Models of decisions.' })),
  },
  strict,
);
