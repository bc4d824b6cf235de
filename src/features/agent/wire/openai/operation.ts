import {
  defineOperation,
  type Bucket,
  type Operation,
  type Reply,
} from '../../../../kernel/http/operation.ts';
import { invalidValue } from '../../../../kernel/faults.ts';
import { toIgnoredHeader } from '../../../../kernel/http/headers.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import { conversationBytesMax } from '../../../models/feature.ts';
import type { Tool } from '../../../tools/feature.ts';
import type { AgentRun } from '../../loop.ts';
import type { RemoteTools } from '../../remote-tools.ts';
import { replyWith, startRun } from '../start.ts';
import { flatName } from './calls.ts';
import { compactOperation } from './compact.ts';
import { conversationOperations, openConversation } from './conversations.ts';
import { toFault } from './error.ts';
import { OpenAiResponseEvents } from './events.ts';
import { openFiles } from './file-search.ts';
import { onOpenAi, openAiLifecycle } from './lifecycle.ts';
import { approvedCalls, approvedIn } from './mcp-history.ts';
import { filesIncluded, readItems, readRequest, summaryOf, type ReadRequest } from './request.ts';
import { OpenAiResponse, OpenAiResponseRequest } from './schema.ts';

/** Responses as clients of OpenAI know them, made by the agent. Contract 20.1. */
export function openAiResponseOperations(
  settings: Settings,
  buckets: readonly Bucket[],
): readonly Operation<Services>[] {
  return [
    createOpenAiResponse(settings, buckets),
    compactOperation(settings, buckets),
    ...openAiLifecycle,
    ...conversationOperations(settings),
  ];
}

function createOpenAiResponse(settings: Settings, buckets: readonly Bucket[]): Operation<Services> {
  const nameOf = namesBeside(settings.tools.reservedNames);
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
      const read = readRequest(body, settings.tools, services);
      const { request, calls, ignored, echo } = read;
      const approvals = approvedIn(request.input);
      const servers = read.servers.map((server) => services.mcpServers.connect(server));
      const files = read.files && (await openFiles(read.files, calls, services));
      const unknown: string[] = [];
      const started: { encoder?: OpenAiResponseEvents } = {};
      const conversation = await openConversation(body, request.input, call, services);
      const live = await startRun(call, services, settings, {
        request,
        operation: 'createOpenAiResponse',
        conversation,
        toItems(items: readonly Json[]) {
          const history = readItems(items, settings.tools);
          unknown.push(...history.ignored);
          return history.items;
        },
        adapt: ({ run, waiting }) => {
          const approved = approvedCalls(approvals, waiting);
          const whole = toRun(run, read, files);
          if (servers.length > 0) return { ...whole, remotes: { servers, approved, nameOf } };
          if (approved.length === 0) return whole;
          throw invalidValue('The MCP server of a call that was approved is not among the tools.', 'tools');
        },
        encode: (parts) =>
          (started.encoder = new OpenAiResponseEvents({
            ...parts,
            echo: { ...echo, ...(conversation && { conversation: { id: conversation.id } }) },
            calls,
            approvals,
            showsFiles: body.include?.includes(filesIncluded) ?? false,
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

/** The name of a tool of another server that no other tool of the run has. */
const namesBeside =
  (reserved: ReadonlySet<string>): RemoteTools['nameOf'] =>
  (tool, label, taken) => {
    for (let count = 1; ; count++) {
      const name = flatName(count === 1 ? tool : `${tool}_${count}`, label, reserved);
      if (!taken.has(name)) return name;
    }
  };

/** With what a request of the house has no words for. */
function toRun(run: AgentRun, { isJson, choice: asked }: ReadRequest, files: Tool | null): AgentRun {
  const choice = asked === 'file_search' ? files && { name: files.definition.name } : asked;
  return {
    ...run,
    ...(files !== null && { tools: [...run.tools, files] }),
    ...(isJson && { request: { ...run.request, format: { type: 'json' } } }),
    ...(choice !== null && { toolChoice: choice }),
  };
}
