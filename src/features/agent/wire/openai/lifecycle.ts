import { Type } from 'typebox';
import type { Services } from '../../../../kernel/feature.ts';
import {
  accountOf,
  bytes,
  defineOperation,
  ok,
  perMinute,
  type Operation,
} from '../../../../kernel/http/operation.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import { unknownRun } from '../../runs.ts';
import { deleteResponse, idOf, ReadQuery, readResponse } from '../lifecycle.ts';
import { Deleted } from '../response-schema.ts';
import { toShownItems, unknownAfter } from './input-items.ts';
import { InputItems, OpenAiResponse } from './schema.ts';

/** What the operations on responses share. */
export const onOpenAi = { group: 'agent', surface: 'openai', credentials: 'bearer' } as const;

const onResponse = { ...onOpenAi, buckets: [perMinute('agent_objects', 6_000)] } as const;
const itemsMax = 100;

/** What can be done with a response that exists, as OpenAI documents it. */
export const openAiLifecycle: readonly Operation<Services>[] = [
  defineOperation({
    ...onResponse,
    id: 'getOpenAiResponse',
    summary: 'A stored response, or its events from a place on, for clients of OpenAI',
    method: 'GET',
    paths: ['/openai/v1/responses/{response_id}'],
    query: ReadQuery,
    responses: { 200: OpenAiResponse },
    handle: readResponse,
  }),
  defineOperation({
    ...onResponse,
    id: 'deleteOpenAiResponse',
    summary: 'Deletes a response with its files, for clients of OpenAI',
    method: 'DELETE',
    paths: ['/openai/v1/responses/{response_id}'],
    responses: { 200: Deleted },
    handle: deleteResponse,
  }),
  defineOperation({
    ...onResponse,
    id: 'cancelOpenAiResponse',
    summary: 'Ends a response that is being made, and shows what has become of it',
    method: 'POST',
    paths: ['/openai/v1/responses/{response_id}/cancel'],
    body: { schema: Type.Object({}), bytesMax: 1_048_576, emptyAllowed: true },
    responses: { 200: OpenAiResponse },
    async handle(call, { runs }: Services) {
      const id = idOf(call);
      const accountId = accountOf(call.principal);
      await runs.stop(accountId, id);
      const response = await runs.get(accountId, id);
      if (response === null) throw unknownRun(id);
      return bytes(Buffer.from(response), 'application/json; charset=utf-8');
    },
  }),
  defineOperation({
    ...onResponse,
    id: 'listOpenAiInputItems',
    summary: 'The input of a stored response',
    method: 'GET',
    paths: ['/openai/v1/responses/{response_id}/input_items'],
    query: Type.Object({
      after: Type.Optional(Type.String({ description: 'Only items behind the one with this id.' })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: itemsMax, description: '20 by default.' })),
      order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
    }),
    responses: { 200: InputItems },
    async handle(call, { runs }: Services) {
      const { after, limit = 20, order = 'desc' } = call.query;
      const id = idOf(call);
      const run = await runs.find(accountOf(call.principal), id);
      if (run === null || !run.isStored) throw unknownRun(id);
      const mark = id.slice('resp_'.length);
      const items = toShownItems(
        JSON.parse(run.input) as string | readonly Json[],
        (_type, at) => `item_${mark}_${at}`,
      );
      const ordered = order === 'asc' ? items : items.toReversed();
      const last = after === undefined ? -1 : ordered.findIndex((one) => one.id === after);
      if (after !== undefined && last < 0) throw unknownAfter(after);
      const rest = ordered.slice(last + 1);
      const data = rest.slice(0, limit);
      return ok({
        object: 'list',
        data,
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
        has_more: rest.length > data.length,
      });
    },
  }),
];
