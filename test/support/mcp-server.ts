import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import type { TestScope } from './server.ts';

/** A request that a server of tools got. */
export interface Heard {
  readonly method: string;
  readonly rpc: string | null;
  readonly headers: IncomingMessage['headers'];
}

export interface ToolServer {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly url: string;
  readonly heard: readonly Heard[];
  /** Forgets every session. */
  forget(): void;
}

/** Listens on a port of its own until the test ends. */
export async function listen(t: TestScope, onRequest: RequestListener): Promise<string> {
  const server = createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const inputSchema = { type: 'object' as const };
const tools: readonly Tool[] = [
  {
    name: 'count',
    description: 'Counts birds.',
    inputSchema: { ...inputSchema, properties: { kind: { type: 'string' } }, required: ['kind'] },
    annotations: { readOnlyHint: true },
  },
  { name: 'ring', inputSchema },
  { name: 'fail', inputSchema },
  { name: 'headers', inputSchema },
  { name: 'web_search', inputSchema },
];

function createTools(headers: () => IncomingMessage['headers']): Server {
  const server = new Server({ name: 'birds', version: '1.0.0' }, { capabilities: { tools: {} } });
  const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...tools] }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: args = {} } }) => {
    switch (name) {
      case 'count':
        if (typeof args['kind'] === 'string') return said(`12 of ${args['kind']}`);
        throw new McpError(ErrorCode.InvalidParams, 'kind is a text');
      case 'fail':
        return { ...said('the net is torn'), isError: true };
      case 'headers':
        return said(JSON.stringify(headers()));
      default:
        return said(`${name}: ${JSON.stringify(args)}`);
    }
  });
  return server;
}

export async function readBody(request: IncomingMessage): Promise<string> {
  return Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
}

/** The server of the official package over Streamable HTTP, with sessions. */
export async function startToolServer(t: TestScope, { json = false } = {}): Promise<ToolServer> {
  const heard: Heard[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const host = await listen(t, (request, response) => void answer(request, response));
  const answer: (...args: Parameters<RequestListener>) => Promise<void> = async (request, response) => {
    const text = await readBody(request);
    const body = text === '' ? undefined : (JSON.parse(text) as { readonly method?: string });
    heard.push({ method: request.method ?? '', rpc: body?.method ?? null, headers: request.headers });
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (id !== undefined && known === undefined) return void response.writeHead(404).end();
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        enableJsonResponse: json,
        onsessioninitialized: (made) => void sessions.set(made, transport),
      });
    if (known === undefined) await createTools(() => request.headers).connect(transport);
    await transport.handleRequest(request, response, body);
  };
  return { host, url: `http://${host}/mcp`, heard, forget: () => sessions.clear() };
}
