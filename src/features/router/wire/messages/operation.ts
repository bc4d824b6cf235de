import { toErrorBody } from '../../../../kernel/http/error-dialects.ts';
import { defineOperation, ok, stream, type Operation } from '../../../../kernel/http/operation.ts';
import type { Fault } from '../../../../kernel/faults.ts';
import type { Caller } from '../../../../kernel/kit/caller.ts';
import type { ServerSentEvent } from '../../../../kernel/kit/sse.ts';
import {
  type ModelRequest,
  type CatalogEntry,
  type OpenedStream,
  conversationBytesMax,
  fetchRemotes,
} from '../../../models/feature.ts';
import { createSignatures, type Signatures } from '../router-signatures.ts';
import { mapBatches } from '../router-stream.ts';
import { createUsageCounter } from '../usage-counter.ts';
import {
  checkCapabilities,
  findRouterModel,
  inOnePiece,
  newId,
  routerBilling,
  routerBuckets,
  routerCommon,
  type RouterServices,
  toOverloaded,
} from '../router.ts';
import type { Settings } from '../../../../kernel/feature.ts';
import { remotesOf, toModelRequest } from './convert.ts';
import { readDocuments } from './documents.ts';
import { MessageEvents, messagesPing } from './events.ts';
import { createMessageFold, type MessageStart } from './fold.ts';
import { ignoredFields, toIgnoredHeader } from './lenient.ts';
import { CountTokensRequest, CountTokensResponse, MessagesRequest, MessagesResponse } from './schema.ts';

const common = {
  ...routerCommon,
  method: 'POST',
  surface: 'messages',
  buckets: routerBuckets,
} as const;

/** `POST /router/v1/messages` and `count_tokens`: any model behind the Messages schema. Contract 14. */
export function routerMessagesOperations(settings: Settings): readonly Operation<RouterServices>[] {
  const signatures = createSignatures();
  return [createMessage(settings, signatures), countMessageTokens(settings, signatures)];
}

function createMessage(settings: Settings, signatures: Signatures): Operation<RouterServices> {
  return defineOperation({
    ...common,
    id: 'createMessage',
    isBilled: true,
    summary: 'Answers a conversation of the Messages schema with any model of the router',
    paths: ['/router/v1/messages', '/v1/messages', '/router/v1/v1/messages'],
    body: { schema: MessagesRequest(settings), bytesMax: conversationBytesMax },
    responses: { 200: MessagesResponse },
    timeoutMs: settings.router.timeoutMs,
    async handle({ body, principal, signal }, services: RouterServices) {
      const { models, ids } = services;
      const account = principal?.accountId ?? '';
      const find = (id: string) => signatures.find(account, id);
      const entry = findRouterModel(models, body.model);
      const request = await toRequest(body, entry, services, { signal, account }, find);
      const newIdOf = (prefix: string) => newId(ids, prefix);
      const start = {
        id: newIdOf('msg_'),
        model: body.model,
        stop: body.stop_sequences ?? [],
        newId: newIdOf,
        onSigned: (id: string, signature: string) => signatures.keep(account, id, signature),
      };
      const headers = settings.router.lenient ? toIgnoredHeader(ignoredFields(body)) : {};
      const opened = await openFirst(services, body.model, inOnePiece(request, body.stream === true), signal);
      return body.stream === true
        ? toStream(opened, request, start, headers)
        : toJson(opened, request, start, headers);
    },
  });
}

function countMessageTokens(settings: Settings, signatures: Signatures): Operation<RouterServices> {
  return defineOperation({
    ...common,
    id: 'countMessageTokens',
    summary: 'Counts the tokens of a conversation without answering it',
    paths: [
      '/router/v1/messages/count_tokens',
      '/v1/messages/count_tokens',
      '/router/v1/v1/messages/count_tokens',
    ],
    body: { schema: CountTokensRequest(settings), bytesMax: conversationBytesMax },
    responses: { 200: CountTokensResponse },
    timeoutMs: settings.router.timeoutMs,
    async handle({ body, principal, signal }, services: RouterServices) {
      const account = principal?.accountId ?? '';
      const find = (id: string) => signatures.find(account, id);
      const entry = findRouterModel(services.models, body.model);
      const request = await toRequest(body, entry, services, { signal, account }, find);
      const headers = settings.router.lenient ? toIgnoredHeader(ignoredFields(body)) : {};
      try {
        const input_tokens = await services.models.countTokens(body.model, request, signal);
        return ok({ input_tokens }, headers);
      } catch (error) {
        throw toOverloaded(error);
      }
    },
  });
}

async function toRequest(
  body: CountTokensRequest | MessagesRequest,
  entry: CatalogEntry,
  { fetchMedia, pages }: RouterServices,
  caller: Caller,
  findSignature: (callId: string) => string | null,
): Promise<ModelRequest> {
  const remotes = remotesOf(body);
  const media = remotes.length === 0 ? new Map() : await fetchRemotes(remotes, fetchMedia, caller);
  const texts = entry.capabilities.documents ? new Map() : await readDocuments(body, media, pages, caller);
  const request = { ...toModelRequest(body, { media, texts }, findSignature), account: caller.account };
  checkCapabilities(entry, request);
  // A model that does not reason may not know the word for it.
  return request.effort === null || entry.capabilities.reasoning ? request : { ...request, effort: null };
}

async function openFirst(
  { models }: RouterServices,
  name: string,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<OpenedStream> {
  try {
    return await models.open([name], request, signal);
  } catch (error) {
    throw toOverloaded(error);
  }
}

type Headers = Readonly<Record<string, string>>;

async function toJson(
  { entry, events }: OpenedStream,
  request: ModelRequest,
  start: MessageStart,
  headers: Headers,
) {
  const counter = createUsageCounter(request);
  const fold = createMessageFold(start);
  try {
    for await (const batch of events) {
      counter.observe(batch);
      fold.push(batch);
    }
  } catch (error) {
    throw toOverloaded(error);
  }
  const usage = counter.usage();
  return ok(fold.end(usage), headers, routerBilling(entry, usage));
}

function toStream(
  { entry, events }: OpenedStream,
  request: ModelRequest,
  start: MessageStart,
  headers: Headers,
) {
  const counter = createUsageCounter(request);
  const converter = new MessageEvents(start, counter.usage);
  const batches = mapBatches(events, (batch) => {
    counter.observe(batch);
    return converter.push(batch);
  });
  return stream(batches, toErrorEvents, {
    headers,
    ping: messagesPing,
    billing: () => routerBilling(entry, counter.usage()),
  });
}

function toErrorEvents(fault: Fault, requestId: string): readonly ServerSentEvent[] {
  return [{ event: 'error', data: JSON.stringify(toErrorBody('messages', toOverloaded(fault), requestId)) }];
}
