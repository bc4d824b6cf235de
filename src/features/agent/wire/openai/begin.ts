import { invalidValue, type Fault } from '../../../../kernel/faults.ts';
import type { Services, Settings } from '../../../../kernel/feature.ts';
import { accountOf, type Call } from '../../../../kernel/http/operation.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import type { Tool } from '../../../tools/feature.ts';
import type { AgentRun } from '../../loop.ts';
import type { RemoteTools } from '../../remote-tools.ts';
import { newRunId, startRun, type RunForm } from '../start.ts';
import { flatName } from './calls.ts';
import { conversationOf, toConversationItems } from './conversations.ts';
import { toFault } from './error.ts';
import { OpenAiResponseEvents } from './events.ts';
import { openFiles } from './file-search.ts';
import { approvedCalls, approvedIn } from './mcp-history.ts';
import { filesIncluded, itemReader, readRequest, summaryOf, type ReadRequest } from './request.ts';
import type { OpenAiResponseRequest } from './schema.ts';

/** Begins the response that a client of OpenAI asks for. Throws Fault. */
export async function beginResponse(
  call: Call<OpenAiResponseRequest, unknown, unknown>,
  services: Services,
  settings: Settings,
) {
  const { body } = call;
  const read = readRequest(body, settings.tools, services);
  const { request, calls, ignored, echo } = read;
  const approvals = approvedIn(request.input);
  const files = read.files && (await openFiles(read.files, calls, services, accountOf(call.principal)));
  const adapt = adaptTo(read, files, approvals, services, settings);
  const unknown: string[] = [];
  const started: { encoder?: OpenAiResponseEvents } = {};
  const id = newRunId(services.ids);
  const begin = (conversation: RunForm['conversation'] = null) =>
    startRun(call, services, settings, {
      id,
      request,
      operation: 'createOpenAiResponse',
      conversation,
      asksModel: body.generate !== false,
      answersSystem: true,
      toItems: itemReader(settings.tools, unknown),
      adapt,
      encode: (parts) =>
        (started.encoder = new OpenAiResponseEvents({
          ...parts,
          echo: { ...echo, ...(conversation && { conversation: { id: conversation.id } }) },
          calls,
          approvals,
          showsFiles: body.include?.includes(filesIncluded) ?? false,
          showsReasoning: summaryOf(body) !== null,
          // Nothing that is not stored can be found by its id.
          seals: body.store === false || (body.include?.includes('reasoning.encrypted_content') ?? false),
        })),
    });
  const conversationId = conversationOf(body);
  const live = await (conversationId === null
    ? begin()
    : services.conversations.goOn(accountOf(call.principal), conversationId, id, (before) =>
        begin({
          id: conversationId,
          before: before.map((item) => JSON.parse(item) as Json),
          items: toConversationItems(request.input, services.ids),
        }),
      ));
  return {
    live,
    /** Names of what was sent and has no effect. */
    ignored: [...ignored, ...unknown],
    /** Why it failed, once it has. */
    failure: (): Fault | null => {
      const failure = started.encoder?.failure ?? null;
      return failure === null ? null : toFault(failure);
    },
  };
}

/** What stands in a request beside what the house has words for. */
function adaptTo(
  read: ReadRequest,
  files: Tool | null,
  approvals: ReturnType<typeof approvedIn>,
  { mcpServers }: Pick<Services, 'mcpServers'>,
  settings: Settings,
): NonNullable<RunForm['adapt']> {
  const servers = read.servers.map((server) => mcpServers.connect(server));
  const nameOf = namesBeside(settings.tools.reservedNames);
  return ({ run, waiting }) => {
    const approved = approvedCalls(approvals, waiting);
    const whole = toRun(run, read, files);
    if (servers.length > 0) return { ...whole, remotes: { servers, approved, nameOf } };
    if (approved.length === 0) return whole;
    throw invalidValue('The MCP server of a call that was approved is not among the tools.', 'tools');
  };
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
export function toRun(run: AgentRun, { isJson, choice: asked }: ReadRequest, files: Tool | null): AgentRun {
  const choice = asked === 'file_search' ? files && { name: files.definition.name } : asked;
  return {
    ...run,
    ...(files !== null && { tools: [...run.tools, files] }),
    ...(isJson && { request: { ...run.request, format: { type: 'json' } } }),
    ...(choice !== null && { toolChoice: choice }),
  };
}
