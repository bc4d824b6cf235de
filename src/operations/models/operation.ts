import { Type } from 'typebox';
import { defineOperation, ok, perMinute, type Operation } from '../../http/operation.ts';
import { systemOneModels } from '../deciders.ts';
import type { Services, Settings } from '../services.ts';

const strict = { additionalProperties: false };
const Price = Type.Number({ minimum: 0 });

const ModelEntry = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('model'),
    created: Type.Integer(),
    owned_by: Type.String(),
    pricing: Type.Object(
      {
        input: Price,
        output: Price,
        cache_read: Price,
        cache_write: Price,
        unit: Type.Literal('usd_per_1m_tokens'),
      },
      strict,
    ),
  },
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

const ModelList = Type.Object(
  {
    object: Type.Literal('list'),
    data: Type.Array(ModelEntry),
    models: Type.Optional(Type.Array(Decider)),
  },
  strict,
);

/**
 * `GET /v1/models`: the models that the agent can run, without credentials. A System One client, known by its
 * own header, also finds the deciders. Contract 8.
 */
export function modelOperations(settings: Settings): readonly Operation<Services>[] {
  const deciders = systemOneModels(settings);
  return [
    defineOperation({
      id: 'listModels',
      summary: 'Lists the models that the agent can run',
      group: 'models',
      method: 'GET',
      paths: ['/v1/models', '/openai/v1/models'],
      credentials: 'none',
      surface: 'plain',
      buckets: [perMinute('models', 600, 'address')],
      responses: { 200: ModelList },
      handle({ headers }) {
        const list = { object: 'list', data: [] };
        return ok(headers['x-typesafe-sdk'] === undefined ? list : { ...list, models: deciders });
      },
    }),
  ];
}
