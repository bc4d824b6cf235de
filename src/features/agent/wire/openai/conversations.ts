import { Type } from 'typebox';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { Fault, invalidValue } from '../../../../kernel/faults.ts';
import { accountOf, defineOperation, ok, type Operation } from '../../../../kernel/http/operation.ts';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { AnyObject, named, Nullable, Open } from '../../../../kernel/kit/schema.ts';
import type { ConversationItem, StoredConversation } from '../../store/conversations.ts';
import { conversationBytesMax } from '../../../models/feature.ts';
import { parseInput } from '../input.ts';
import { fieldsAfter } from '../schema.ts';
import {
  itemsQuery,
  readItemsQuery,
  toItemsPage,
  toShownItems,
  unknownAfter,
  type ShownItem,
} from './input-items.ts';
import { onStored } from './lifecycle.ts';
import { readItems } from './request.ts';
import { InputItems, type OpenAiResponseRequest } from './schema.ts';

const itemsAtOnceMax = 20;

const Conversation = named(
  'OpenAiConversation',
  Open(
    {
      id: Type.String({ pattern: '^conv_' }),
      object: Type.Literal('conversation'),
      created_at: Type.Integer(),
      metadata: AnyObject,
    },
    { created_at: 'Unix seconds.' },
  ),
);
const items = Type.Array(AnyObject, {
  maxItems: itemsAtOnceMax,
  errorMessage: `items must have at most ${itemsAtOnceMax} entries`,
});
const { metadata } = fieldsAfter;

const one = '/openai/v1/conversations/{conversation_id}';
const InConversation = Type.Object({ conversation_id: Type.String() });
const InItem = Type.Object({ conversation_id: Type.String(), item_id: Type.String() });

/** Conversations as OpenAI documents them. Contract 20.1. */
export function conversationOperations({ tools }: Settings): readonly Operation<Services>[] {
  return [...filledOperations(tools), ...plainOperations, ...itemOperations];
}

/** Those that bring items. What no answer could be made of is refused at once. */
function filledOperations(set: Settings['tools']): readonly Operation<Services>[] {
  const read = (sent: readonly Json[], ids: Ids): readonly ConversationItem[] => {
    parseAll(sent, set);
    return toConversationItems(sent, ids);
  };
  return [
    defineOperation({
      ...onStored,
      id: 'createOpenAiConversation',
      summary: 'Begins a conversation, for clients of OpenAI',
      method: 'POST',
      paths: ['/openai/v1/conversations'],
      body: {
        schema: Open({ items: Nullable(items), metadata }, {}),
        bytesMax: conversationBytesMax,
        emptyAllowed: true,
      },
      responses: { 200: Conversation },
      async handle(call, services: Services) {
        const { body, principal } = call;
        const accountId = accountOf(principal);
        const made = read(body.items ?? [], services.ids);
        await refuseOverQuota(accountId, made, services);
        return ok(toConversation(await services.conversations.create(accountId, body.metadata ?? {}, made)));
      },
    }),
    defineOperation({
      ...onStored,
      id: 'createOpenAiConversationItems',
      summary: 'Adds items to a conversation, for clients of OpenAI',
      method: 'POST',
      paths: [`${one}/items`],
      params: InConversation,
      query: Type.Object({ include: Type.Optional(Type.String({ description: 'Has no effect.' })) }),
      body: { schema: Open({ items }, {}), bytesMax: conversationBytesMax },
      responses: { 200: InputItems },
      async handle({ params: { conversation_id: id }, body, principal }, services: Services) {
        const accountId = accountOf(principal);
        const made = read(body.items, services.ids);
        await refuseOverQuota(accountId, made, services);
        await services.conversations.append(accountId, id, made);
        return ok(toItemsPage(made.map(toItem), false));
      },
    }),
  ];
}

const plainOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...onStored,
    id: 'getOpenAiConversation',
    summary: 'A conversation, for clients of OpenAI',
    method: 'GET',
    paths: [one],
    params: InConversation,
    responses: { 200: Conversation },
    async handle({ params, principal }, { conversations }: Services) {
      return ok(toConversation(await conversations.get(accountOf(principal), params.conversation_id)));
    },
  }),
  defineOperation({
    ...onStored,
    id: 'updateOpenAiConversation',
    summary: 'Replaces the metadata of a conversation, for clients of OpenAI',
    method: 'POST',
    paths: [one],
    params: InConversation,
    body: { schema: Open({ metadata }, {}), bytesMax: 1_048_576 },
    responses: { 200: Conversation },
    async handle({ params, body, principal }, { conversations }: Services) {
      const accountId = accountOf(principal);
      const after = await conversations.update(accountId, params.conversation_id, body.metadata ?? {});
      return ok(toConversation(after));
    },
  }),
  defineOperation({
    ...onStored,
    id: 'deleteOpenAiConversation',
    summary: 'Deletes a conversation with its items, for clients of OpenAI',
    method: 'DELETE',
    paths: [one],
    params: InConversation,
    responses: {
      200: Type.Object({
        id: Type.String(),
        object: Type.Literal('conversation.deleted'),
        deleted: Type.Literal(true),
      }),
    },
    async handle({ params: { conversation_id: id }, principal }, { conversations }: Services) {
      await conversations.remove(accountOf(principal), id);
      return ok({ id, object: 'conversation.deleted', deleted: true });
    },
  }),
];

const itemOperations: readonly Operation<Services>[] = [
  defineOperation({
    ...onStored,
    id: 'listOpenAiConversationItems',
    summary: 'The items of a conversation, for clients of OpenAI',
    method: 'GET',
    paths: [`${one}/items`],
    params: InConversation,
    query: Type.Object({
      ...itemsQuery,
      include: Type.Optional(Type.String({ description: 'Has no effect.' })),
    }),
    responses: { 200: InputItems },
    async handle({ params: { conversation_id: id }, query, principal }, { conversations }: Services) {
      const { after, limit, order } = readItemsQuery(query);
      await conversations.get(accountOf(principal), id);
      if (after !== null && !(await conversations.hasItem(id, after))) throw unknownAfter(after);
      const found = await conversations.list(id, { after, order, limit: limit + 1 });
      return ok(toItemsPage(found.slice(0, limit).map(toItem), found.length > limit));
    },
  }),
  defineOperation({
    ...onStored,
    id: 'getOpenAiConversationItem',
    summary: 'An item of a conversation, for clients of OpenAI',
    method: 'GET',
    paths: [`${one}/items/{item_id}`],
    params: InItem,
    query: Type.Object({ include: Type.Optional(Type.String({ description: 'Has no effect.' })) }),
    responses: { 200: AnyObject },
    async handle(
      { params: { conversation_id: id, item_id: itemId }, principal },
      { conversations }: Services,
    ) {
      await conversations.get(accountOf(principal), id);
      return ok(toItem(await conversations.getItem(id, itemId)));
    },
  }),
  defineOperation({
    ...onStored,
    id: 'deleteOpenAiConversationItem',
    summary: 'Deletes an item of a conversation, for clients of OpenAI',
    method: 'DELETE',
    paths: [`${one}/items/{item_id}`],
    params: InItem,
    responses: { 200: Conversation },
    async handle(
      { params: { conversation_id: id, item_id: itemId }, principal },
      { conversations }: Services,
    ) {
      const conversation = await conversations.get(accountOf(principal), id);
      await conversations.removeItem(id, itemId);
      return ok(toConversation(conversation));
    },
  }),
];

/** The conversation that a response belongs to; null without one. Throws Fault `invalid_value`. */
export function conversationOf({
  conversation: asked,
  previous_response_id: previousId,
}: Pick<OpenAiResponseRequest, 'conversation' | 'previous_response_id'>): string | null {
  const id = isJsonObject(asked ?? null) ? (asked as JsonObject)['id'] : (asked ?? null);
  if (id === null || id === undefined) return null;
  if (typeof id !== 'string') throw invalidValue("Invalid value: 'conversation'.", 'conversation');
  if (typeof previousId === 'string')
    throw invalidValue("'conversation' and 'previous_response_id' cannot both be sent.", 'conversation');
  return id;
}

/** Items as a conversation keeps them, each with an id that says what it is. */
export function toConversationItems(sent: string | readonly Json[], ids: Ids): readonly ConversationItem[] {
  const own = typeof sent === 'string' ? sent : sent.filter((item) => !isReference(item));
  const shown = toShownItems(own, (type) => `${prefixes[type] ?? 'item'}_${ids.uuid()}`);
  return shown.map((item) => ({ id: item.id, item: JSON.stringify(item) }));
}

/** What it refers to is kept where it stands. */
const isReference = (item: Json): boolean => isJsonObject(item) && item['type'] === 'item_reference';

const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  reasoning: 'rs',
};

async function refuseOverQuota(
  accountId: string,
  made: readonly ConversationItem[],
  { storageQuota }: Pick<Services, 'storageQuota'>,
): Promise<void> {
  const room = await storageQuota.admit(accountId);
  const bytes = made.reduce((sum, { item }) => sum + Buffer.byteLength(item), 0);
  if (bytes > room) throw new Fault('storage_quota_exceeded');
}

function parseAll(sent: readonly Json[], set: Settings['tools']): void {
  const { items: read } = readItems(sent, set);
  if (read.length > 0) parseInput(read, set.itemTypes);
}

function toConversation({ id, metadata: text, createdAtMs }: StoredConversation) {
  return {
    id,
    object: 'conversation' as const,
    created_at: Math.floor(createdAtMs / 1_000),
    metadata: JSON.parse(text) as JsonObject,
  };
}

const toItem = ({ item }: ConversationItem) => JSON.parse(item) as ShownItem;
