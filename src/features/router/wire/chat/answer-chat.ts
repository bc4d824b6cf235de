import { toErrorBody, type Surface } from '../../../../kernel/http/error-dialects.ts';
import type { Call, Reply, ReplyHeaders } from '../../../../kernel/http/operation.ts';
import { fetchRemotes } from '../../../models/feature.ts';
import { toReply } from '../answer.ts';
import type { RouterServices } from '../router.ts';
import { checkCapabilities, findEntry, inOnePiece, openCall, openStructured } from '../router.ts';
import { createSignatures } from '../signatures.ts';
import { remotesOf, toModelRequest } from './convert.ts';
import { ChatEncoder, doneEvent, toCallId, toCompletion } from './events.ts';
import type { RouterChatRequest } from './schema.ts';

interface ChatForm {
  readonly surface: Surface;
  /** Names of tools whose calls are one text. */
  readonly custom?: ReadonlySet<string>;
  readonly cacheKey?: string | null;
  readonly headers?: ReplyHeaders;
}

/** Completes chats with any model of the router, on every surface that speaks so. */
export function createModelChat() {
  const signatures = createSignatures();
  return {
    async answer(
      { body, principal, signal }: Pick<Call<RouterChatRequest>, 'body' | 'principal' | 'signal'>,
      services: RouterServices,
      { surface, custom = new Set(), cacheKey = null, headers = {} }: ChatForm,
    ): Promise<Reply> {
      const { model, stream_options: options } = body;
      const isStreamed = body.stream === true;
      const named = findEntry(model, services.models);
      const call = openCall(named, principal, signal, services, signatures);
      const { caller, entry, findSignature, newId, onSigned } = call;
      const media = await fetchRemotes(remotesOf(body), services.fetchMedia, caller);
      const request = {
        ...toModelRequest(body, media, findSignature),
        account: caller.account,
        ...(cacheKey !== null && { cacheKey }),
      };
      checkCapabilities(entry, request);
      const created = Math.floor(services.clock.now() / 1_000);
      const start = { newId, onSigned, id: newId('chatcmpl-'), created, model, custom };
      const asked = inOnePiece(request, isStreamed);
      const place = 'response_format.json_schema.schema';
      const opened = await openStructured(services, entry, model, asked, caller, place);
      return toReply(opened, request, isStreamed, {
        headers,
        toCallId: (started) => toCallId(started, start),
        toBody: (answer, usage) => toCompletion(start, answer, usage),
        createEncoder: (usage) => new ChatEncoder(start, options?.include_usage === true ? usage : null),
        toErrorEvents: (fault, id) => [{ data: JSON.stringify(toErrorBody(surface, fault, id)) }, doneEvent],
      });
    },
  };
}
