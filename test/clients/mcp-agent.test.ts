import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { untilDocs } from '../support/server.ts';
import { startAgentServer } from './agent.fixture.ts';

/** The unmodified MCP server of the upstream service over stdio: each of its tools is a preset of the agent. */

const server = await startAgentServer({ after }, true);
const program = fileURLToPath(new URL('index.js', import.meta.resolve('@perplexity-ai/mcp-server')));

async function connect(key: string): Promise<Client> {
  const client = new Client({ name: 'nestor-test', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program],
      env: { PERPLEXITY_API_KEY: key, PERPLEXITY_BASE_URL: server.url },
      stderr: 'ignore',
    }),
  );
  after(() => client.close());
  return client;
}

interface ToolReply {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

await untilDocs(server);
const client = await connect(server.key);
const messages = [{ role: 'user', content: 'How do I revoke a token?' }];

suite('@perplexity-ai/mcp-server', () => {
  for (const name of ['perplexity_ask', 'perplexity_reason', 'perplexity_research'])
    test(`${name} answers with its sources`, async () => {
      const reply = (await client.callTool({ name, arguments: { messages } })) as ToolReply;
      assert.notEqual(reply.isError, true, JSON.stringify(reply));
      assert.match(reply.content[0]?.text ?? '', /It says: /);
      assert.match(reply.content[0]?.text ?? '', /Citations:\n\[1\] http/);
    });

  test('filters and context size reach the search', async () => {
    const reply = (await client.callTool({
      name: 'perplexity_ask',
      arguments: { messages, search_domain_filter: ['nowhere.example'], search_context_size: 'low' },
    })) as ToolReply;
    assert.match(reply.content[0]?.text ?? '', /The search found nothing/);
  });

  test('a refusal is told as an error of the tool', async () => {
    const stranger = await connect('nobody');
    const reply = (await stranger.callTool({ name: 'perplexity_ask', arguments: { messages } })) as ToolReply;
    assert.equal(reply.isError, true);
  });
});
