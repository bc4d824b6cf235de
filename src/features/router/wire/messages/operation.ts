import type { Settings } from '../../../../kernel/feature.ts';
import { toErrorBody } from '../../../../kernel/http/error-dialects.ts';
import { defineOperation, ok, type Operation } from '../../../../kernel/http/operation.ts';
import type { Caller } from '../../../../kernel/kit/caller.ts';
import type { ModelRequest, CatalogEntry } from '../../../models/feature.ts';
import { conversationBytesMax, fetchRemotes } from '../../../models/feature.ts';
import { toReply } from '../answer.ts';
import {
  checkCapabilities,
  findEntry,
  inOnePiece,
  openCall,
  routerBuckets,
  routerCommon,
  type FindSignature,
  type RouterServices,
  toOverloaded,
} from '../router.ts';
import { createSignatures, type Signatures } from '../signatures.ts';
import { remotesOf } from './blocks.ts';
import { toModelRequest } from './convert.ts';
import { readDocuments } from './documents.ts';
import { MessageEncoder, messagesPing } from './events.ts';
import { toToolId, toWholeMessage } from './message.ts';
import { toIgnoredHeader } from '../../../../kernel/http/headers.ts';
import { ignoredFields } from './lenient.ts';
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
      const { model, stop_sequences: stop = [] } = body;
      const isStreamed = body.stream === true;
      const named = findEntry(model, services.models);
      const call = openCall(named, principal, signal, services, signatures);
      const { caller, entry, findSignature, newId, onSigned } = call;
      const request = await toRequest(body, entry, services, caller, findSignature);
      const start = { newId, onSigned, id: newId('msg_'), model, stop, thoughts: 'dropped' } as const;
      try {
        const opened = await services.models.open([model], inOnePiece(request, isStreamed), signal);
        return await toReply(opened, request, isStreamed, {
          toCallId: (started) => toToolId(started, start),
          toBody: (answer, usage) => toWholeMessage(start, answer, usage),
          createEncoder: (usage) => new MessageEncoder(start, usage),
          toErrorEvents: (fault, id) => [
            { event: 'error', data: JSON.stringify(toErrorBody('messages', toOverloaded(fault), id)) },
          ],
          headers: headersOf(body, settings),
          ping: messagesPing,
        });
      } catch (error) {
        throw toOverloaded(error);
      }
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
      const { caller, entry, findSignature } = openCall(
        findEntry(body.model, services.models),
        principal,
        signal,
        services,
        signatures,
      );
      const request = await toRequest(body, entry, services, caller, findSignature);
      try {
        const input_tokens = await services.models.countTokens(body.model, request, signal);
        return ok({ input_tokens }, headersOf(body, settings));
      } catch (error) {
        throw toOverloaded(error);
      }
    },
  });
}

function headersOf(body: CountTokensRequest, { router }: Settings): Readonly<Record<string, string>> {
  return router.lenient ? toIgnoredHeader(ignoredFields(body)) : {};
}

async function toRequest(
  body: CountTokensRequest | MessagesRequest,
  entry: CatalogEntry,
  { fetchMedia, pages }: RouterServices,
  caller: Caller,
  findSignature: FindSignature,
): Promise<ModelRequest> {
  const { capabilities } = entry;
  const { messages } = body;
  const media = await fetchRemotes(remotesOf(messages), fetchMedia, caller);
  const texts = capabilities.documents ? new Map() : await readDocuments(messages, media, pages, caller);
  const read = { media, texts, marks: new Map(), findSignature };
  const request = { ...toModelRequest(body, read), account: caller.account };
  checkCapabilities(entry, request);
  // A model that does not reason may refuse the setting.
  return request.effort === null || capabilities.reasoning ? request : { ...request, effort: null };
}
