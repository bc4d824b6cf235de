import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { chatProvider } from '../support/chat-provider.ts';
import { startServer } from '../support/server.ts';

/** The unmodified MCP server of the upstream service over stdio, asked by the reference client. */
const server = await startServer({ after }, chatProvider());
const program = fileURLToPath(new URL('index.js', import.meta.resolve('@perplexity-ai/mcp-server')));
const client = new Client({ name: 'nestor-test', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [program],
    env: { PERPLEXITY_API_KEY: server.key, PERPLEXITY_BASE_URL: server.url },
    stderr: 'ignore',
  }),
);
after(() => client.close());

interface ToolReply {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

for (const name of ['perplexity_ask', 'perplexity_reason', 'perplexity_research'])
  test(`@perplexity-ai/mcp-server: ${name}`, async () => {
    const messages = [{ role: 'user', content: 'What is a kea?' }];
    const reply = (await client.callTool({ name, arguments: { messages } })) as ToolReply;
    assert.notEqual(reply.isError, true, JSON.stringify(reply));
    assert.match(reply.content[0]?.text ?? '', /The kea is a parrot\./);
  });
