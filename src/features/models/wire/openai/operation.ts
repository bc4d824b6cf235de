import { Type } from 'typebox';
import { Fault } from '../../../../kernel/faults.ts';
import type { Services } from '../../../../kernel/feature.ts';
import { defineOperation, ok, perMinute, type Operation } from '../../../../kernel/http/operation.ts';
import { Strict } from '../../../../kernel/kit/schema.ts';
import { quote } from '../../../../kernel/kit/text.ts';
import type { CatalogEntry } from '../../registry.ts';

const OpenAiModel = Strict(
  {
    id: Type.String(),
    object: Type.Literal('model'),
    created: Type.Integer(),
    owned_by: Type.String(),
  },
  { id: '`provider/model`, or the alias that was asked for.', created: 'Unix seconds; 0 if unknown.' },
);

const common = {
  group: 'models',
  method: 'GET',
  surface: 'openai',
  credentials: 'none',
  buckets: [perMinute('models', 600, 'address')],
} as const;

/** The models as clients of OpenAI list them. */
export const openAiModelOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'listOpenAiModels',
    summary: 'Lists the models, for clients of OpenAI',
    paths: ['/openai/v1/models'],
    responses: { 200: Strict({ object: Type.Literal('list'), data: Type.Array(OpenAiModel) }) },
    handle: (_call, { models }: Services) =>
      ok({ object: 'list', data: models.list().map((entry) => toModel(entry, entry.id)) }),
  }),
  defineOperation({
    ...common,
    id: 'getOpenAiModel',
    summary: 'One model, for clients of OpenAI',
    // A name keeps its slash, encoded or not.
    paths: ['/openai/v1/models/{model}', '/openai/v1/models/{provider}/{name}'],
    responses: { 200: OpenAiModel },
    handle({ params }, { models }: Services) {
      const { model, provider = '', name = '' } = params;
      const id = model ?? `${provider}/${name}`;
      const entry = models.find(id);
      if (entry !== null) return ok(toModel(entry, id));
      throw new Fault('unknown_model', `The model '${quote(id)}' does not exist.`, { param: 'model' });
    },
  }),
];

function toModel({ created, ownedBy }: CatalogEntry, id: string) {
  return { id, object: 'model', created, owned_by: ownedBy };
}
