import { toErrorBody, type Surface } from '../../../../kernel/http/error-dialects.ts';
import type { Call, Reply, ReplyHeaders } from '../../../../kernel/http/operation.ts';
import type { Caller } from '../../../../kernel/kit/caller.ts';
import type { ModelEvent, ModelRequest, CatalogEntry, OpenedStream } from '../../../models/feature.ts';
import { askStructured, fetchRemotes } from '../../../models/feature.ts';
import { toReply } from '../answer.ts';
import type { RouterServices } from '../router.ts';
import { checkCapabilities, inOnePiece, openCall } from '../router.ts';
import { createSignatures } from '../signatures.ts';
import { remotesOf, toModelRequest } from './convert.ts';
import { ChatEncoder, doneEvent, toCallId, toCompletion } from './events.ts';
import type { RouterChatRequest } from './schema.ts';

interface ChatForm {
  readonly surface: Surface;
  /** Names of tools whose calls are one text. */
  readonly custom?: ReadonlySet<string>;
  readonly headers?: ReplyHeaders;
}

/** Completes chats with any model of the router, on every surface that speaks so. */
export function createModelChat() {
  const signatures = createSignatures();
  return {
    async answer(
      { body, principal, signal }: Pick<Call<RouterChatRequest>, 'body' | 'principal' | 'signal'>,
      services: RouterServices,
      { surface, custom = new Set(), headers = {} }: ChatForm,
    ): Promise<Reply> {
      const { model, stream_options: options } = body;
      const isStreamed = body.stream === true;
      const { caller, entry, ...ids } = openCall(model, principal, signal, services, signatures);
      const media = await fetchRemotes(remotesOf(body), services.fetchMedia, caller);
      const request = { ...toModelRequest(body, media, ids.findSignature), account: caller.account };
      checkCapabilities(entry, request);
      const created = Math.floor(services.clock.now() / 1_000);
      const start = { ...ids, id: ids.newId('chatcmpl-'), created, model, custom };
      const opened = await openChat(services, entry, model, inOnePiece(request, isStreamed), caller);
      return toReply(opened, request, isStreamed, {
        headers,
        toCallId: (call) => toCallId(call, start),
        toBody: (answer, usage) => toCompletion(start, answer, usage),
        createEncoder: (usage) => new ChatEncoder(start, options?.include_usage === true ? usage : null),
        toErrorEvents: (fault, id) => [{ data: JSON.stringify(toErrorBody(surface, fault, id)) }, doneEvent],
      });
    },
  };
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
