import {
  defineOperation,
  type Bucket,
  type Operation,
  type Reply,
} from '../../../../kernel/http/operation.ts';
import { toIgnoredHeader } from '../../../../kernel/http/headers.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import { conversationBytesMax } from '../../../models/feature.ts';
import type { AgentRun } from '../../loop.ts';
import { replyWith, startRun } from '../start.ts';
import { compactOperation } from './compact.ts';
import { toFault } from './error.ts';
import { OpenAiResponseEvents } from './events.ts';
import { onOpenAi, openAiLifecycle } from './lifecycle.ts';
import { readItems, readRequest, summaryOf } from './request.ts';
import { OpenAiResponse, OpenAiResponseRequest } from './schema.ts';

/** Responses as clients of OpenAI know them, made by the agent. Contract 20.1. */
export function openAiResponseOperations(
  settings: Settings,
  buckets: readonly Bucket[],
): readonly Operation<Services>[] {
  return [createOpenAiResponse(settings, buckets), compactOperation(settings, buckets), ...openAiLifecycle];
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
    responses: { 200: OpenAiResponse },
    async handle(call, services: Services): Promise<Reply> {
      const { body, signal } = call;
      const { request, calls, ignored, isJson, echo } = readRequest(body, settings.tools, services);
      const unknown: string[] = [];
      const started: { encoder?: OpenAiResponseEvents } = {};
      const live = await startRun(call, services, settings, {
        request,
        operation: 'createOpenAiResponse',
        toItems(items: readonly Json[]) {
          const read = readItems(items, settings.tools);
          unknown.push(...read.ignored);
          return read.items;
        },
        adapt: (run) => (isJson ? asJson(run) : run),
        encode: (parts) =>
          (started.encoder = new OpenAiResponseEvents({
            ...parts,
            echo,
            calls,
            showsReasoning: summaryOf(body) !== null,
            seals: body.include?.includes('reasoning.encrypted_content') ?? false,
          })),
      });
      const reply = await replyWith(live, body, signal, toIgnoredHeader([...ignored, ...unknown]));
      const failure = started.encoder?.failure ?? null;
      // Nothing was sent: clients ask again by the status.
      if (failure !== null && body.stream !== true && body.background !== true) throw toFault(failure);
      return reply;
    },
  });
}

function asJson(run: AgentRun): AgentRun {
  return { ...run, request: { ...run.request, format: { type: 'json' } } };
}
