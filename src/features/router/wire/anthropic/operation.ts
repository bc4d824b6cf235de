import { Fault } from '../../../../kernel/faults.ts';
import type { Settings } from '../../../../kernel/feature.ts';
import { toErrorBody } from '../../../../kernel/http/error-dialects.ts';
import { toIgnoredHeader } from '../../../../kernel/http/headers.ts';
import { defineOperation, ok, type Operation } from '../../../../kernel/http/operation.ts';
import { conversationBytesMax } from '../../../models/feature.ts';
import { toReply } from '../answer.ts';
import { MessageEncoder, messagesPing } from '../messages/events.ts';
import { toToolId, toWholeMessage } from '../messages/message.ts';
import { CountTokensResponse } from '../messages/schema.ts';
import { inOnePiece, openStructured, routerBuckets, routerCommon, type RouterServices } from '../router.ts';
import { createSignatures, type Signatures } from '../signatures.ts';
import { openRequest } from './request.ts';
import { AnthropicMessageResponse } from './response-schema.ts';
import { answerServed } from './served/answer.ts';
import { AnthropicCountRequest, AnthropicMessageRequest } from './schema.ts';
import { toThoughts } from './settings.ts';

const common = {
  ...routerCommon,
  method: 'POST',
  surface: 'anthropic',
  buckets: routerBuckets,
} as const;

/** `POST /anthropic/v1/messages` and `count_tokens`: what clients of Anthropic send. Contract 20.1. */
export function anthropicMessagesOperations(settings: Settings): readonly Operation<RouterServices>[] {
  const signatures = createSignatures();
  return [createAnthropicMessage(settings, signatures), countAnthropicTokens(settings, signatures)];
}

function createAnthropicMessage(settings: Settings, signatures: Signatures): Operation<RouterServices> {
  return defineOperation({
    ...common,
    id: 'createAnthropicMessage',
    isBilled: true,
    summary: 'Answers what clients of Anthropic send, with any model of the router',
    paths: ['/anthropic/v1/messages'],
    body: { schema: AnthropicMessageRequest, bytesMax: conversationBytesMax },
    responses: { 200: AnthropicMessageResponse },
    timeoutMs: settings.router.timeoutMs,
    async handle(call, services: RouterServices) {
      const { body } = call;
      const isStreamed = body.stream === true;
      const opening = await openRequest(call, services, signatures, settings);
      const { name, entry, caller, ids, ignored, request, served, choice } = opening;
      const thoughts = toThoughts(body);
      const start = { ...ids, id: ids.newId('msg_'), model: body.model, stop: request.stop, thoughts };
      try {
        if (served !== null) {
          const headers = toIgnoredHeader(ignored.of(entry));
          const how = { start, isStreamed, headers, toFault: toVendorFault };
          return await answerServed({ name, request, served, choice, caller, ...how }, services);
        }
        const asked = inOnePiece(request, isStreamed);
        const opened = await openStructured(
          services,
          entry,
          name,
          asked,
          caller,
          'output_config.format.schema',
        );
        return await toReply(opened, request, isStreamed, {
          thoughts,
          toCallId: (one) => toToolId(one, start),
          toBody: (answer, usage) => toWholeMessage(start, answer, usage),
          createEncoder: (usage) => new MessageEncoder(start, usage),
          toErrorEvents: (fault, id) => [
            { event: 'error', data: JSON.stringify(toErrorBody('anthropic', toVendorFault(fault), id)) },
          ],
          headers: toIgnoredHeader(ignored.of(opened.entry)),
          ping: messagesPing,
        });
      } catch (error) {
        throw toVendorFault(error);
      }
    },
  });
}

function countAnthropicTokens(settings: Settings, signatures: Signatures): Operation<RouterServices> {
  return defineOperation({
    ...common,
    id: 'countAnthropicTokens',
    summary: 'Counts the tokens of what clients of Anthropic send',
    paths: ['/anthropic/v1/messages/count_tokens'],
    body: { schema: AnthropicCountRequest, bytesMax: conversationBytesMax },
    responses: { 200: CountTokensResponse },
    timeoutMs: settings.router.timeoutMs,
    async handle(call, services: RouterServices) {
      const { name, entry, ignored, request } = await openRequest(call, services, signatures, settings);
      try {
        const input_tokens = await services.models.countTokens(name, request, call.signal);
        return ok({ input_tokens }, toIgnoredHeader(ignored.of(entry)));
      } catch (error) {
        throw toVendorFault(error);
      }
    },
  });
}

/** Backends that are busy or away are status 529 there. Other errors are returned unchanged. */
function toVendorFault<Failure>(error: Failure): Failure | Fault {
  if (!(error instanceof Fault) || error.code !== 'service_unavailable') return error;
  return new Fault('model_overloaded', undefined, {
    cause: error,
    retryAfterMs: error.retryAfterMs ?? 1_000,
    away: error.away,
  });
}
