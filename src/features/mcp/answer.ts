import { ApiError, describeApiError } from '../client/feature.ts';
import { isJsonObject, type Json, type JsonObject } from '../../kernel/kit/json.ts';
import { quote } from '../../kernel/kit/text.ts';
import {
  failures,
  protocolVersions,
  toFailure,
  toSuccess,
  type McpRequest,
  type McpResponse,
} from './messages.ts';
import { InputError, type Tool, type ToolContext } from './tool.ts';
import { tools } from './tools.ts';

/** What a request is answered with: who asks, and where news of a running tool go. */
export interface RequestContext extends Omit<ToolContext, 'progress'> {
  /** Of this server. */
  readonly version: string;
  /** Sends a notification that belongs to this request; null where the caller cannot get any. */
  readonly notify: ((notification: JsonObject) => void) | null;
}

const instructions =
  'Nestor answers with evidence. `decide` gives probabilities for yes-or-no, choice and score questions about any text; `search` finds pages; `ask` answers from pages with sources; `research` writes a thorough report.';

/**
 * Answers one request, without a transport and without memory: every request stands for itself. Rejects with the
 * signal's reason only; everything else is an answer.
 */
export async function answerMcp(
  { id, method, params }: McpRequest,
  context: RequestContext,
): Promise<McpResponse> {
  switch (method) {
    case 'initialize':
      return toSuccess(id, toGreeting(params, context.version));
    case 'ping':
      return toSuccess(id, {});
    case 'tools/list':
      return toSuccess(id, { tools: tools.map(toListed) });
    case 'tools/call':
      return callTool(id, params, context);
    default:
      return toFailure(id, failures.methodNotFound, `Unknown method "${quote(method)}".`);
  }
}

/** The version that the client asks for where it is known, else the newest: the client decides whether it goes on. */
function toGreeting({ protocolVersion }: JsonObject, version: string): JsonObject {
  const known = protocolVersions.find((one) => one === protocolVersion);
  return {
    protocolVersion: known ?? protocolVersions[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'nestor', title: 'Nestor', version },
    instructions,
  };
}

function toListed({ name, title, description, inputSchema, outputSchema, annotations }: Tool): JsonObject {
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as unknown as Json,
    outputSchema: outputSchema as unknown as Json,
    // No tool changes anything.
    annotations: { title, readOnlyHint: true, destructiveHint: false, ...annotations },
  };
}

async function callTool(
  id: McpRequest['id'],
  params: JsonObject,
  context: RequestContext,
): Promise<McpResponse> {
  const { name, arguments: input = {}, _meta: meta } = params;
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) {
    const names = tools.map((one) => one.name).join(', ');
    return toFailure(id, failures.invalidParams, `Unknown tool; there are ${names}.`);
  }
  if (!isJsonObject(input)) return toFailure(id, failures.invalidParams, 'arguments must be an object.');
  const token = isJsonObject(meta) ? meta['progressToken'] : undefined;
  try {
    const { text, data } = await tool.call(input, { ...context, progress: toProgress(token, context) });
    return toSuccess(id, { content: [{ type: 'text', text }], structuredContent: data });
  } catch (error) {
    if (context.signal.aborted) throw error;
    const message = toMessage(error);
    if (message === null) throw error;
    // A result and no failure of the protocol: the model that called can read it and do better.
    return toSuccess(id, { content: [{ type: 'text', text: message }], isError: true });
  }
}

function toMessage(error: unknown): string | null {
  if (error instanceof ApiError) return describeApiError(error);
  return error instanceof InputError ? error.message : null;
}

/** The protocol wants numbers that grow; there is no total. */
function toProgress(token: Json | undefined, { notify }: RequestContext): ToolContext['progress'] {
  if (notify === null || (typeof token !== 'string' && typeof token !== 'number')) return () => {};
  let count = 0;
  return (message) => {
    const params = { progressToken: token, progress: ++count, message: quote(message, 500) };
    notify({ jsonrpc: '2.0', method: 'notifications/progress', params });
  };
}
