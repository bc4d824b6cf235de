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
import { createBatches } from '../../../kernel/kit/batches.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/kit/json.ts';
import { quote } from '../../../kernel/kit/text.ts';
import { answerMcp, type RequestContext } from '../answer.ts';
import { failures, protocolVersions, readMessage, toFailure, type McpRequest } from '../messages.ts';
import type { Services, Settings } from '../../../kernel/feature.ts';

/** One message of JSON-RPC. Answers of a client are taken and dropped, so neither `method` nor `id` is a must. */
const McpMessage = Type.Object({
  jsonrpc: Type.Literal('2.0', { errorMessage: 'jsonrpc must be "2.0"' }),
  id: Type.Optional(
    Type.Union([Type.String(), Type.Number()], { errorMessage: 'id must be a string or a number' }),
  ),
  method: Type.Optional(
    Type.String({
      description: 'For example `tools/list` or `tools/call`. Absent in an answer of a client.',
    }),
  ),
  params: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
});

const McpReply = Type.Object({
  jsonrpc: Type.Literal('2.0'),
  id: Type.Union([Type.String(), Type.Number(), Type.Null()]),
  result: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
  error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String() })),
});

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
      handle: (call: Call<object>, services: Services) => answer(settings, call, services),
    }),
  ];
}

async function answer(
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
    version: settings.version,
    api: published.withKey(keyOf(headers)),
    names: () => Promise.resolve(namesOf(settings)),
    signal,
  };
  const { request } = message;
  return wantsNews(request, headers)
    ? streamed(request, context)
    : ok(await answerMcp(request, { ...context, notify: null }));
}

const localNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses a version of the protocol that is not spoken here, and pages that the operator has not allowed: a page that
 * makes its own name lead to this machine would otherwise be taken for a client on it. Throws Fault.
 */
function checkHeaders(
  { origin, 'mcp-protocol-version': version }: Call['headers'],
  settings: Settings,
): void {
  if (typeof origin === 'string' && !isAllowed(origin, settings)) {
    throw new Fault('permission_denied', 'Pages of this origin may not call this server.');
  }
  if (version === undefined || protocolVersions.some((one) => one === version)) return;
  throw new Fault(
    'invalid_value',
    `Unsupported protocol version "${quote(String(version))}"; there are ${protocolVersions.join(', ')}`,
  );
}

function isAllowed(origin: string, { corsOrigins, publicUrl }: Settings): boolean {
  if (corsOrigins.includes('*') || corsOrigins.includes(origin)) return true;
  const parsed = URL.parse(origin);
  if (parsed === null) return false;
  return (
    localNames.has(parsed.hostname) || (publicUrl !== null && parsed.origin === URL.parse(publicUrl)?.origin)
  );
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
function streamed(request: McpRequest, context: Omit<RequestContext, 'notify'>): Reply {
  const toEvent = (message: object) => ({ event: 'message', data: JSON.stringify(message) });
  async function* events() {
    const { batches, size, push, end } = createBatches<JsonObject>();
    const notify = (news: JsonObject) => {
      if (size() < waitingMax) push(news);
    };
    const work = answerMcp(request, { ...context, notify }).finally(end);
    // Whoever stops reading leaves it to the signal to end the work.
    work.catch(() => {});
    // Empty, so that the head and the pings do not wait for a tool that has nothing to say for minutes.
    yield [];
    for await (const batch of batches) yield batch.map(toEvent);
    yield [toEvent(await work)];
  }
  return stream(events(), (fault) => [toEvent(toFailure(request.id, failures.internal, fault.message))]);
}

/** Messages are dropped while this many wait: they are for watching, and the answer does not depend on them. */
const waitingMax = 100;
