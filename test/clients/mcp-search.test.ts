import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

import { startServer } from '../support/server.ts';
import { startUpstream } from '../support/upstream.ts';
import { keaReply } from '../support/upstream-search.ts';

const searxng = await startUpstream({ after }, () => ({ json: keaReply }));
const server = await startServer(
  { after },
  { config: `search: { engines: [{ type: searxng, url: "${searxng.url}" }], timeout_s: 60 }\n` },
);

/** The MCP server of the package as its users start it, told only where the service is. */
async function openTools(): Promise<Client> {
  const packageFile = createRequire(import.meta.url).resolve('@perplexity-ai/mcp-server/package.json');
  const main = packageFile.replace(/package\.json$/, 'dist/index.js');
  const client = new Client({ name: 'nestor-tests', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [main],
      env: { PERPLEXITY_API_KEY: server.key, PERPLEXITY_BASE_URL: server.url },
      stderr: 'ignore',
    }),
  );
  after(() => client.close());
  return client;
}

test('@perplexity-ai/mcp-server: the search tool over stdio', async () => {
  const client = await openTools();
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'perplexity_search'));
  const found = await client.callTool({
    name: 'perplexity_search',
    arguments: { query: 'kea parrot', max_results: 5, max_tokens_per_page: 512, country: 'NZ' },
  });
  const text = JSON.stringify(found.content);
  assert.notEqual(found.isError, true, text);
  assert.match(text, /Kea - Wiki/);
  assert.match(text, /https:\/\/www\.birds\.invalid\/kea/);
  assert.match(text, /2024-05-17/);
  const filtered = await client.callTool({
    name: 'perplexity_search',
    arguments: { query: 'kea parrot', search_domain_filter: ['-wiki.invalid'] },
  });
  assert.doesNotMatch(JSON.stringify(filtered.content), /wiki\.invalid/);
  const wrong = await client.callTool({
    name: 'perplexity_search',
    arguments: { query: 'kea parrot', search_domain_filter: ['https://a.org/'] },
  });
  assert.equal(wrong.isError, true);
  assert.match(JSON.stringify(wrong.content), /422/);
});
