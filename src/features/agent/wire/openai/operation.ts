import {
  defineOperation,
  type Bucket,
  type Operation,
  type Reply,
} from '../../../../kernel/http/operation.ts';
import { toIgnoredHeader } from '../../../../kernel/http/headers.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { conversationBytesMax } from '../../../models/feature.ts';
import { AskedEngines } from '../../../search/feature.ts';
import { replyWith } from '../start.ts';
import { beginResponse } from './begin.ts';
import { compactOperation } from './compact.ts';
import { countOperation } from './count.ts';
import { conversationOperations } from './conversations.ts';
import { onOpenAi, openAiLifecycle } from './lifecycle.ts';
import { OpenAiResponse, OpenAiResponseRequest } from './schema.ts';
import { responseSocket } from './socket.ts';

/** Responses as clients of OpenAI know them, made by the agent. Contract 20.1. */
export function openAiResponseOperations(
  settings: Settings,
  buckets: readonly Bucket[],
): readonly Operation<Services>[] {
  return [
    createOpenAiResponse(settings, buckets),
    compactOperation(settings, buckets),
    countOperation(settings, buckets),
    ...openAiLifecycle,
    ...conversationOperations(settings),
  ];
}

function createOpenAiResponse(settings: Settings, buckets: readonly Bucket[]): Operation<Services> {
  return defineOperation({
    ...onOpenAi,
    id: 'createOpenAiResponse',
    summary: 'Answers an input, for clients of OpenAI',
    method: 'POST',
    paths: ['/openai/v1/responses'],
    buckets,
    body: { schema: OpenAiResponseRequest, bytesMax: conversationBytesMax },
    socket: responseSocket,
    responses: { 200: OpenAiResponse },
    async handle(call, services: Services): Promise<Reply> {
      const { body, signal } = call;
      const asked = new AskedEngines();
      const watched = asked.watchIn(services);
      const { live, ignored, failure } = await beginResponse(call, watched, settings);
      const reply = await replyWith(live, body, signal, toIgnoredHeader(ignored));
      const fault = failure();
      // Nothing was sent: clients ask again by the status.
      if (fault !== null && body.stream !== true && body.background !== true) throw fault;
      // A stream begins before anything is asked.
      return body.stream === true ? reply : { ...reply, headers: { ...reply.headers, ...asked.toHeaders() } };
    },
  });
}
