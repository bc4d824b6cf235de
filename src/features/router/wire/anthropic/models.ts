import { Type, type Static } from 'typebox';
import { Fault } from '../../../../kernel/faults.ts';
import type { Settings } from '../../../../kernel/feature.ts';
import { defineOperation, ok, type Operation } from '../../../../kernel/http/operation.ts';
import { Count, named, orNull, Strict } from '../../../../kernel/kit/schema.ts';
import type { CatalogEntry } from '../../../models/feature.ts';
import { routerCommon, type RouterServices } from '../router.ts';
import { findModel } from './model-name.ts';

const Supported = Strict({ supported: Type.Boolean() });
const Name = orNull(Type.String());

const AnthropicModel = named(
  'AnthropicModel',
  Strict({
    id: Type.String({ description: '`provider/model`, to be sent as `model`.' }),
    type: Type.Literal('model'),
    display_name: Type.String(),
    created_at: Type.String({ description: 'ISO 8601; the beginning of 1970 if unknown.' }),
    deprecated_at: Type.Null(),
    retires_at: Type.Null(),
    lifecycle: Type.Literal('active'),
    line: Type.Null(),
    max_input_tokens: orNull(Count),
    max_tokens: Type.Null(),
    capabilities: Strict({ image_input: Supported, pdf_input: Supported, structured_outputs: Supported }),
  }),
);

const AnthropicModelList = Strict({
  data: Type.Array(AnthropicModel),
  has_more: Type.Boolean(),
  first_id: Name,
  last_id: Name,
});

const Page = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: '20 unless sent.' })),
  after_id: Type.Optional(Type.String({ description: 'Begins behind this model.' })),
  before_id: Type.Optional(Type.String({ description: 'Ends before this model.' })),
});

const Params = Type.Object({
  model: Type.Optional(Type.String({ description: 'The id, its slashes written as `%2F`.' })),
  provider: Type.Optional(Type.String({ description: 'What stands before the first slash.' })),
  name: Type.Optional(Type.String({ description: 'What stands behind the first slash.' })),
  more: Type.Optional(Type.String({ description: 'What stands behind the second slash.' })),
});

const common = { ...routerCommon, method: 'GET', surface: 'anthropic', buckets: [] } as const;
const root = '/anthropic/v1/models';

/** `GET /anthropic/v1/models` and one of them, as clients of Anthropic read them. Contract 20.1. */
export function anthropicModelsOperations({ router }: Settings): readonly Operation<RouterServices>[] {
  return [
    defineOperation({
      ...common,
      id: 'listAnthropicModels',
      summary: 'Lists the models of the router to clients of Anthropic',
      paths: [root],
      query: Page,
      responses: { 200: AnthropicModelList },
      handle: ({ query }, { models }: RouterServices) =>
        ok(
          toPage(
            models
              .list()
              .filter((entry) => entry.router)
              .map(toModel),
            query,
          ),
        ),
    }),
    defineOperation({
      ...common,
      id: 'getAnthropicModel',
      summary: 'Describes one model of the router to clients of Anthropic',
      paths: [`${root}/{model}`, `${root}/{provider}/{name}`, `${root}/{provider}/{name}/{more}`],
      params: Params,
      responses: { 200: AnthropicModel },
      handle({ params: { model, provider, name, more } }, { models }: RouterServices) {
        const sent = model ?? [provider, name, more].filter((part) => part !== undefined).join('/');
        const found = findModel(sent, models, router.defaultModel);
        if (found === null) throw new Fault('not_found', `model: ${sent} is not known here`);
        return ok(toModel(found.entry));
      },
    }),
  ];
}

function toModel(entry: CatalogEntry): Static<typeof AnthropicModel> {
  const { id, displayName, created, capabilities, contextTokensMax } = entry;
  return {
    id,
    type: 'model',
    display_name: displayName,
    created_at: new Date(created * 1_000).toISOString().replace('.000Z', 'Z'),
    deprecated_at: null,
    retires_at: null,
    lifecycle: 'active',
    line: null,
    max_input_tokens: contextTokensMax,
    max_tokens: null,
    capabilities: {
      image_input: { supported: capabilities.images },
      pdf_input: { supported: capabilities.documents },
      structured_outputs: { supported: capabilities.jsonSchema },
    },
  };
}

/** Throws Fault `invalid_value` for a cursor that is no model. */
function toPage(
  all: readonly Static<typeof AnthropicModel>[],
  { limit = 20, after_id: after, before_id: before }: Static<typeof Page>,
): Static<typeof AnthropicModelList> {
  const indexOf = (cursor: string, param: string): number => {
    const index = all.findIndex(({ id }) => id === cursor);
    if (index < 0) throw new Fault('invalid_value', 'No model has this id', { param });
    return index;
  };
  const from = after === undefined ? 0 : indexOf(after, 'after_id') + 1;
  const to = before === undefined ? all.length : indexOf(before, 'before_id');
  const isBackwards = before !== undefined && after === undefined;
  const data = isBackwards
    ? all.slice(Math.max(0, to - limit), to)
    : all.slice(from, Math.min(to, from + limit));
  return {
    data,
    has_more: data.length < Math.max(0, to - from),
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  };
}
