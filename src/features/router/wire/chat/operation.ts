import type { Fault } from '../../../../kernel/faults.ts';
import type { Caller } from '../../../../kernel/kit/caller.ts';
import { toErrorBody } from '../../../../kernel/http/error-dialects.ts';
import { defineOperation, ok, stream, type Operation } from '../../../../kernel/http/operation.ts';
import type { ServerSentEvent } from '../../../../kernel/kit/sse.ts';
import {
  type ModelRequest,
  type CatalogEntry,
  type OpenedStream,
  conversationBytesMax,
  fetchRemotes,
} from '../../../models/feature.ts';
import { createSignatures } from '../router-signatures.ts';
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
} from '../router.ts';
import type { Settings } from '../../../../kernel/feature.ts';
import { remotesOf, toModelRequest } from './convert.ts';
import { ChatEvents, doneEvent } from './events.ts';
import { openRouterChat } from './open.ts';
import { createChatFold, type ChatStart } from './fold.ts';
import { RouterChatRequest, RouterChatResponse } from './schema.ts';

/** `POST /router/v1/chat/completions`: the common protocol for any model of the router. Contract 14.6. */
export function routerChatOperations(settings: Settings): readonly Operation<RouterServices>[] {
  const signatures = createSignatures();
  return [
    defineOperation({
      ...routerCommon,
      id: 'createRouterChatCompletion',
      isBilled: true,
      summary: 'Completes a chat with any model of the router, without search',
      method: 'POST',
      paths: ['/router/v1/chat/completions'],
      surface: 'router',
      buckets: routerBuckets,
      body: { schema: RouterChatRequest, bytesMax: conversationBytesMax },
      responses: { 200: RouterChatResponse },
      timeoutMs: settings.router.timeoutMs,
      async handle({ body, principal, signal }, services: RouterServices) {
        const { models, clock, ids } = services;
        const account = principal?.accountId ?? '';
        const caller = { account, signal };
        const find = (id: string) => signatures.find(account, id);
        const entry = findRouterModel(models, body.model);
        const request = await toRequest(body, entry, services, caller, find);
        const start = {
          id: newId(ids, 'chatcmpl-'),
          created: Math.floor(clock.now() / 1_000),
          model: body.model,
          newId: (prefix: string) => newId(ids, prefix),
          onSigned: (id: string, signature: string) => signatures.keep(account, id, signature),
        };
        const asked = inOnePiece(request, body.stream === true);
        const opened = await openRouterChat(services, entry, body.model, asked, caller);
        if (body.stream !== true) return toJson(opened, request, start);
        return toStream(opened, request, start, body.stream_options?.include_usage === true);
      },
    }),
  ];
}

async function toRequest(
  body: RouterChatRequest,
  entry: CatalogEntry,
  { fetchMedia }: RouterServices,
  caller: Caller,
  findSignature: (callId: string) => string | null,
): Promise<ModelRequest> {
  const remotes = remotesOf(body);
  const media = remotes.length === 0 ? new Map() : await fetchRemotes(remotes, fetchMedia, caller);
  const request = { ...toModelRequest(body, media, findSignature), account: caller.account };
  checkCapabilities(entry, request);
  return request;
}

async function toJson({ entry, events }: OpenedStream, request: ModelRequest, start: ChatStart) {
  const counter = createUsageCounter(request);
  const fold = createChatFold(start);
  for await (const batch of events) {
    counter.observe(batch);
    fold.push(batch);
  }
  const usage = counter.usage();
  return ok(fold.end(usage), {}, routerBilling(entry, usage));
}

function toStream(
  { entry, events }: OpenedStream,
  request: ModelRequest,
  start: ChatStart,
  includeUsage: boolean,
) {
  const counter = createUsageCounter(request);
  const converter = new ChatEvents(start, includeUsage ? counter.usage : null);
  const batches = mapBatches(events, (batch) => {
    counter.observe(batch);
    return converter.push(batch);
  });
  return stream(batches, toErrorEvents, { billing: () => routerBilling(entry, counter.usage()) });
}

function toErrorEvents(fault: Fault, requestId: string): readonly ServerSentEvent[] {
  return [{ data: JSON.stringify(toErrorBody('router', fault, requestId)) }, doneEvent];
}
