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

const root = '/openai/v1/models';

/** The models as clients of OpenAI list them. */
export const openAiModelOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...common,
    id: 'listOpenAiModels',
    summary: 'Lists the models, for clients of OpenAI',
    paths: [root],
    responses: { 200: Strict({ object: Type.Literal('list'), data: Type.Array(OpenAiModel) }) },
    handle: (_call, { models }: Services) =>
      ok({ object: 'list', data: models.list().map((entry) => toModel(entry, entry.id)) }),
  }),
  defineOperation({
    ...common,
    id: 'getOpenAiModel',
    summary: 'One model, for clients of OpenAI',
    // A name keeps its slashes, encoded or not.
    paths: [`${root}/{model}`, `${root}/{provider}/{name}`, `${root}/{provider}/{name}/{more}`],
    responses: { 200: OpenAiModel },
    handle({ params }, { models }: Services) {
      const { model, provider, name, more } = params;
      const id = model ?? [provider, name, more].filter((part) => part !== undefined).join('/');
      const entry = models.find(id);
      if (entry !== null) return ok(toModel(entry, id));
      throw new Fault('unknown_model', `The model '${quote(id)}' does not exist.`, { param: 'model' });
    },
  }),
];

function toModel({ created, ownedBy }: CatalogEntry, id: string) {
  return { id, object: 'model', created, owned_by: ownedBy };
}
