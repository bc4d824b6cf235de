import { Type } from 'typebox';
import type { Services } from '../../../../kernel/feature.ts';
import {
  accountOf,
  defineOperation,
  ok,
  perMinute,
  type Operation,
} from '../../../../kernel/http/operation.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import { deleteResponse, idOf, ReadQuery, readResponse, storedRun, wholeResponse } from '../lifecycle.ts';
import { Deleted } from '../response-schema.ts';
import { itemsQuery, readItemsQuery, toItemsPage, toShownItems, unknownAfter } from './input-items.ts';
import { InputItems, OpenAiResponse } from './schema.ts';

/** What the operations on responses share. */
export const onOpenAi = { group: 'agent', surface: 'openai', credentials: 'bearer' } as const;

/** What those on what is stored share. */
export const onStored = { ...onOpenAi, buckets: [perMinute('agent_objects', 6_000)] } as const;

/** What can be done with a response that exists, as OpenAI documents it. */
export const openAiLifecycle: readonly Operation<Services>[] = [
  defineOperation({
    ...onStored,
    id: 'getOpenAiResponse',
    summary: 'A stored response, or its events from a place on, for clients of OpenAI',
    method: 'GET',
    paths: ['/openai/v1/responses/{response_id}'],
    query: ReadQuery,
    responses: { 200: OpenAiResponse },
    handle: readResponse,
  }),
  defineOperation({
    ...onStored,
    id: 'deleteOpenAiResponse',
    summary: 'Deletes a response with its files, for clients of OpenAI',
    method: 'DELETE',
    paths: ['/openai/v1/responses/{response_id}'],
    responses: { 200: Deleted },
    handle: deleteResponse,
  }),
  defineOperation({
    ...onStored,
    id: 'cancelOpenAiResponse',
    summary: 'Ends a response that is being made, and shows what has become of it',
    method: 'POST',
    paths: ['/openai/v1/responses/{response_id}/cancel'],
    body: { schema: Type.Object({}), bytesMax: 1_048_576, emptyAllowed: true },
    responses: { 200: OpenAiResponse },
    async handle(call, { runs }: Services) {
      await runs.stop(accountOf(call.principal), idOf(call));
      return wholeResponse(call, runs);
    },
  }),
  defineOperation({
    ...onStored,
    id: 'listOpenAiInputItems',
    summary: 'The input of a stored response',
    method: 'GET',
    paths: ['/openai/v1/responses/{response_id}/input_items'],
    query: Type.Object(itemsQuery),
    responses: { 200: InputItems },
    async handle(call, { runs }: Services) {
      const { after, limit, order } = readItemsQuery(call.query);
      const run = await storedRun(call, runs);
      const mark = run.id.slice('resp_'.length);
      const items = toShownItems(
        JSON.parse(run.input) as string | readonly Json[],
        (_type, at) => `item_${mark}_${at}`,
      );
      const ordered = order === 'asc' ? items : items.toReversed();
      const last = after === null ? -1 : ordered.findIndex((one) => one.id === after);
      if (after !== null && last < 0) throw unknownAfter(after);
      const rest = ordered.slice(last + 1);
      return ok(toItemsPage(rest.slice(0, limit), rest.length > limit));
    },
  }),
];
