import { Type } from 'typebox';
import { Fault } from '../../../kernel/faults.ts';
import {
  bytes,
  defineOperation,
  ok,
  perSecond,
  stream,
  type Call,
  type Operation,
  type Reply,
} from '../../../kernel/http/operation.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/kit/json.ts';
import { createMcpServer, type McpServer, type RequestContext } from '../create-server.ts';
import { failures, readMessage, toFailure, type McpRequest } from '../messages.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';
import { checkHeaders } from './headers.ts';
import { createNews } from './news.ts';
import { McpMessage, McpReply } from './schema.ts';

/** As large as the largest body of an operation behind it, and what JSON-RPC puts around it. */
const bytesMax = 34_603_008;
/** For messages; a tool takes from the buckets of what it calls as well. */
const bucket = perSecond('mcp', 50);
/** Longer than any tool waits. */
const timeoutMs = 1_500_000;

/**
 * `POST /mcp`: the streamable HTTP transport of MCP, without sessions. Tools call the published operations with the key
 * of the caller, which are limited and metered as if it had called them itself.
 */
export function mcpOperations(settings: Settings): readonly Operation<Services>[] {
  const server = createMcpServer(settings);
  return [
    defineOperation({
      id: 'callMcp',
      summary: 'One message of the Model Context Protocol',
      group: 'mcp',
      method: 'POST',
      paths: ['/mcp'],
      surface: 'plain',
      credentials: 'bearer',
      buckets: [bucket],
      body: { schema: McpMessage, bytesMax },
      responses: { 200: McpReply, 202: Type.Undefined() },
      timeoutMs,
      handle: (call: Call<object>, services: Services) => answer(server, settings, call, services),
    }),
  ];
}

async function answer(
  server: McpServer,
  settings: Settings,
  { body, headers, signal }: Call<object>,
  { published }: Services,
): Promise<Reply> {
  checkHeaders(headers, settings);
  const message = readMessage(body as Json);
  if (message.kind === 'invalid') return ok(message.response);
  // Nothing is remembered, so a notification has nothing to change; a cancelled request ends with its connection.
  if (message.kind !== 'request') return { ...bytes(new Uint8Array(), 'application/json'), status: 202 };
  const context = {
    api: published.withKey(keyOf(headers)),
    names: () => Promise.resolve(namesOf(settings)),
    signal,
  };
  const { request } = message;
  return wantsNews(request, headers)
    ? streamed(server, request, context)
    : ok(await server.answer(request, { ...context, notify: null }));
}

function namesOf({ family, decisions }: Settings) {
  return { decider: decisions.served[0] ?? '', chat: family, research: `${family}-deep-research` };
}

/** The pipeline has accepted it, so it is there. */
function keyOf({ authorization }: Call['headers']): string {
  const found =
    typeof authorization === 'string' ? /^bearer +([^ ].*)$/i.exec(authorization.trimEnd()) : null;
  if (found?.[1] === undefined) throw new Fault('invalid_api_key');
  return found[1];
}

function wantsNews({ method, params }: McpRequest, { accept }: Call['headers']): boolean {
  const meta = params['_meta'];
  const hasToken = isJsonObject(meta) && meta['progressToken'] !== undefined;
  return method === 'tools/call' && hasToken && String(accept).includes('text/event-stream');
}

/** News of the running tool as they come, then its answer. */
function streamed(server: McpServer, request: McpRequest, context: Omit<RequestContext, 'notify'>): Reply {
  const toEvent = (message: object) => ({ event: 'message', data: JSON.stringify(message) });
  async function* events() {
    const news = createNews<JsonObject>();
    const work = server.answer(request, { ...context, notify: news.push }).finally(news.end);
    // Whoever stops reading leaves it to the signal to end the work.
    work.catch(() => {});
    // Empty, so that the head and the pings do not wait for a tool that has nothing to say for minutes.
    yield [];
    for await (const batch of news.batches) yield batch.map(toEvent);
    yield [toEvent(await work)];
  }
  return stream(events(), (fault) => [toEvent(toFailure(request.id, failures.internal, fault.message))]);
}
