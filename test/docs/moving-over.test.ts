import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { ChatOpenAI } from '@langchain/openai';
import { OpenRouter } from '@openrouter/sdk';
import Perplexity from '@perplexity-ai/perplexity_ai';
import { TypeSafeClient } from '@typesafe-ai/sdk';
import OpenAI from 'openai';
import { startServer } from '../support/server.ts';
import { readGuide } from './pages.ts';

/** docs/guide/moving-over.md says which variables a client reads. Here nothing but these variables is set. */

const server = await startServer({ after });
const documentedUrl = 'http://127.0.0.1:8787';
const page = (await readGuide()).find(({ file }) => file.endsWith('moving-over.md'))?.text ?? '';

/** The rows of the page's first table that name both variables: base address, variable of it, variable of the key. */
const rows = [...page.matchAll(/^\| \[[^|]+\| `(\S+)` +\| `([A-Z_]+_BASE_URL)` +\| `([A-Z_]+)`/gm)].map(
  ([, base = '', address = '', key = '']) => ({ base, address, key }),
);

const decide = {
  model: 'jev-latest',
  state: 'x',
  questions: { a: { type: 'noul', instructions: 'Is it?' } },
} as const;
const messages = [{ role: 'user' as const, content: 'x' }];

/** One call of the client as it comes, by the variable of its key. */
const calls: Readonly<Record<string, readonly (() => Promise<unknown>)[]>> = {
  PERPLEXITY_API_KEY: [() => new Perplexity().search.create({ query: 'x' })],
  OPENAI_API_KEY: [
    () => new OpenAI().chat.completions.create({ model: 'svc', messages }),
    () => new ChatOpenAI({ model: 'svc' }).invoke('x'),
  ],
  ANTHROPIC_API_KEY: [() => new Anthropic().messages.create({ model: 'svc/svc', max_tokens: 16, messages })],
  TYPESAFE_API_KEY: [() => new TypeSafeClient().systemOne(decide)],
  OPENROUTER_API_KEY: [() => new OpenRouter().systemOne.create({ decisionsRequest: decide })],
};

test('the page names the variables of every client that reads its address from the environment', () => {
  assert.deepEqual(new Set(rows.map(({ key }) => key)), new Set(Object.keys(calls)));
});

for (const { base, address, key } of rows)
  test(`a client finds this server by ${address} and ${key} alone`, async (t) => {
    const before = { [address]: process.env[address], [key]: process.env[key] };
    t.after(() => {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    });
    process.env[address] = base.replace(documentedUrl, server.url);
    process.env[key] = server.key;
    for (const call of calls[key] ?? []) {
      const known = server.log.length;
      await call();
      const statuses = server.log
        .slice(known)
        .flatMap(({ msg, status }) => (msg === 'request' ? [status] : []));
      assert.deepEqual(statuses, [200]);
    }
  });
