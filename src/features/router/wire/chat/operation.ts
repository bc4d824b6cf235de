import type { Settings } from '../../../../kernel/feature.ts';
import { toErrorBody } from '../../../../kernel/http/error-dialects.ts';
import { defineOperation, type Operation } from '../../../../kernel/http/operation.ts';
import type { Caller } from '../../../../kernel/kit/caller.ts';
import type { ModelEvent, ModelRequest, CatalogEntry, OpenedStream } from '../../../models/feature.ts';
import { askStructured, conversationBytesMax, fetchRemotes } from '../../../models/feature.ts';
import { toReply } from '../answer.ts';
import type { RouterServices } from '../router.ts';
import { checkCapabilities, inOnePiece, openCall, routerBuckets, routerCommon } from '../router.ts';
import { createSignatures } from '../signatures.ts';
import { remotesOf, toModelRequest } from './convert.ts';
import { ChatEncoder, doneEvent, toCallId, toCompletion } from './events.ts';
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
        const { model, stream_options: options } = body;
        const isStreamed = body.stream === true;
        const { caller, entry, ...ids } = openCall(model, principal, signal, services, signatures);
        const media = await fetchRemotes(remotesOf(body), services.fetchMedia, caller);
        const request = { ...toModelRequest(body, media, ids.findSignature), account: caller.account };
        checkCapabilities(entry, request);
        const created = Math.floor(services.clock.now() / 1_000);
        const start = { ...ids, id: ids.newId('chatcmpl-'), created, model };
        const opened = await openChat(services, entry, model, inOnePiece(request, isStreamed), caller);
        return toReply(opened, request, isStreamed, {
          toCallId: (call) => toCallId(call, start),
          toBody: (answer, usage) => toCompletion(start, answer, usage),
          createEncoder: (usage) => new ChatEncoder(start, options?.include_usage === true ? usage : null),
          toErrorEvents: (fault, id) => [
            { data: JSON.stringify(toErrorBody('router', fault, id)) },
            doneEvent,
          ],
        });
      },
    }),
  ];
}

/**
 * Asks the model. The answer is held back until it is valid when the caller wants a JSON Schema that the model cannot
 * enforce.
 */
async function openChat(
  { models, structured }: Pick<RouterServices, 'models' | 'structured'>,
  { capabilities }: CatalogEntry,
  name: string,
  request: ModelRequest,
  caller: Caller,
): Promise<OpenedStream> {
  const ask = (asked: ModelRequest) => models.open([name], asked, caller.signal);
  const { format } = request;
  if (format.type !== 'json-schema' || capabilities.jsonSchema) return ask(request);
  const check = await structured.parseSchema(format.schema, 'response_format.json_schema.schema', caller);
  const { opened, events } = await askStructured({ request, check, enforced: false, ask });
  return { ...opened, events: once(events) };
}

async function* once(events: readonly ModelEvent[]): AsyncGenerator<readonly ModelEvent[]> {
  yield events;
}
