import { defineOperation, type Operation, perMinute, perSecond } from '../../../kernel/http/operation.ts';
import { conversationBytesMax } from '../../models/feature.ts';
import { AskedEngines } from '../../search/feature.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';
import { ResponseEvents } from './events.ts';
import { apiKeyPaths, lifecycleOperations, responsePaths } from './lifecycle.ts';
import { openAiResponseOperations } from './openai/operation.ts';
import { AgentResponse } from './response-schema.ts';
import { agentRequestSchema } from './schema.ts';
import { replyWith, startRun } from './start.ts';

const agentBuckets = [
  perSecond('agent_qps', [1, 3, 8, 17, 33, 33]),
  perMinute('agent_rpm', [50, 150, 500, 1_000, 2_000, 2_000]),
];

/** The agent: one answer with searches, pages, code and functions of the caller. Contract 7. */
export function agentOperations(settings: Settings): readonly Operation<Services>[] {
  return [
    createResponse(settings),
    ...lifecycleOperations,
    ...openAiResponseOperations(settings, agentBuckets),
  ];
}

function createResponse(settings: Settings): Operation<Services> {
  return defineOperation({
    id: 'createResponse',
    summary: 'Answers an input, with tools and sources',
    group: 'agent',
    method: 'POST',
    paths: [...responsePaths(''), '/router/v1/responses'],
    surface: 'agent',
    credentials: 'bearer',
    apiKeyPaths: [...apiKeyPaths(''), '/router/v1/responses'],
    buckets: agentBuckets,
    body: { schema: agentRequestSchema(settings.tools), bytesMax: conversationBytesMax },
    responses: { 200: AgentResponse },
    async handle(call, services: Services) {
      const { body, signal } = call;
      const asked = new AskedEngines();
      const includesUsage = body.stream_options?.include_usage ?? true;
      const live = await startRun(call, asked.watchIn(services), settings, {
        request: body,
        operation: 'createResponse',
        adapt: ({ run }) => ({ ...run, verification: services.verifier.forRun(settings.agent.verify) }),
        encode: (parts) => new ResponseEvents({ ...parts, includesUsage }),
      });
      const reply = await replyWith(live, body, signal);
      // A stream begins before anything is asked.
      return body.stream === true ? reply : { ...reply, headers: { ...reply.headers, ...asked.toHeaders() } };
    },
  });
}
