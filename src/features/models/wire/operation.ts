import { defineOperation, ok, perMinute, type Operation } from '../../../kernel/http/operation.ts';
import type { Services } from '../../../kernel/feature.ts';
import { toModelList } from './convert.ts';
import { openAiModelOperations } from './openai/operation.ts';
import { ModelList } from './schema.ts';

/** `GET /v1/models`, without credentials. System One clients, known by a header, also get the deciders. Contract 8. */
export function modelOperations(deciders: readonly object[]): readonly Operation<Services>[] {
  return [
    defineOperation({
      id: 'listModels',
      summary: 'Lists the models that the agent can run',
      group: 'models',
      method: 'GET',
      paths: ['/v1/models'],
      credentials: 'none',
      surface: 'plain',
      buckets: [perMinute('models', 600, 'address')],
      responses: { 200: ModelList },
      handle({ headers }, { models }: Services) {
        const list = toModelList(models);
        const body = headers['x-typesafe-sdk'] === undefined ? list : { ...list, models: deciders };
        // The body has the keys of the contract and no other.
        return ok(body, { 'x-nestor-prices': models.prices() });
      },
    }),
    ...openAiModelOperations,
  ];
}
