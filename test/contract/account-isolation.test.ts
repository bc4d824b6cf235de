import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { suite, test } from 'node:test';
import { roundsOf } from '../support/rounds.ts';
import { sharePostgres, postgresSkipReason, type SharedPostgres } from '../support/postgres.ts';
import { startUpstream } from '../support/upstream.ts';
import { keaReply } from '../support/upstream-search.ts';
import { pollEnd } from '../support/until.ts';
import { keys, open, word, type Account, type Opened } from './account-index.fixture.ts';

interface Canary {
  readonly account: Account;
  readonly name: string;
  readonly secret: string;
  readonly id: string;
}

/** What asks, and whether an answer must hold what the document says. */
type Surface = (
  opened: Opened,
  account: Account,
  canary: Canary,
) => Promise<{ text: string; mustFind: boolean }>;

const question = ({ name }: Canary): string => `What is the colour of ${name}?`;
const messagesOf = (canary: Canary) => [{ role: 'user', content: question(canary) }];

/** Those of another account for the one that has none, which is refused. */
async function sourcesOf(send: Opened['send'], account: Account): Promise<readonly string[]> {
  const listed = await send(account === 'bare' ? 'acme' : account, 'GET', '/v1/index/sources');
  const { data } = JSON.parse(listed.text) as { readonly data: readonly { readonly id: string }[] };
  return data.map(({ id }) => id);
}

const surfaces: Readonly<Record<string, Surface>> = {
  search: async ({ send }, account, canary) => {
    const body = { query: [question(canary), canary.name] };
    return { text: (await send(account, 'POST', '/search', body)).text, mustFind: true };
  },
  chat: async ({ send }, account, canary) => {
    const body = { model: 'svc', messages: messagesOf(canary) };
    return { text: (await send(account, 'POST', '/v1/chat/completions', body)).text, mustFind: true };
  },
  'chat as it is written': async ({ send }, account, canary) => {
    const body = { model: 'svc', messages: messagesOf(canary), stream: true, return_related_questions: true };
    return { text: (await send(account, 'POST', '/v1/chat/completions', body)).text, mustFind: true };
  },
  agent: async ({ send }, account, canary) => {
    const input = `web_search ${JSON.stringify({ queries: [question(canary)] })}`;
    const body = { model: 'lab/teller', input, tools: [{ type: 'web_search' }], max_steps: 3 };
    const { text: answer } = await send(account, 'POST', '/v1/responses', body);
    return { text: answer, mustFind: true };
  },
  'files of OpenAI': async ({ send }, account, canary) => {
    const input = `file_search ${JSON.stringify({ queries: [question(canary)] })}`;
    const tools = [{ type: 'file_search', vector_store_ids: await sourcesOf(send, account) }];
    const { text: answer, status } = await send(account, 'POST', '/openai/v1/responses', {
      model: 'lab/teller',
      input,
      tools,
    });
    assert.equal(status, account === 'bare' ? 400 : 200, answer);
    return { text: answer, mustFind: canary.account === account };
  },
  'a WebSocket of OpenAI': async ({ send, talk }, account, canary) => {
    const tools = [{ type: 'file_search', vector_store_ids: await sourcesOf(send, account) }];
    const input = `file_search ${JSON.stringify({ queries: [question(canary)] })}`;
    const answer = await talk(account, { model: 'lab/teller', input, tools, store: false });
    return { text: answer, mustFind: canary.account === account };
  },
  'a conversation of OpenAI': async ({ send }, account, canary) => {
    const made = await send(account, 'POST', '/openai/v1/conversations', {});
    const { id } = JSON.parse(made.text) as { readonly id: string };
    const tools = [{ type: 'file_search', vector_store_ids: await sourcesOf(send, account) }];
    const input = `file_search ${JSON.stringify({ queries: [question(canary)] })}`;
    const body = { model: 'lab/teller', input, tools, conversation: id };
    const answer = await send(account, 'POST', '/openai/v1/responses', body);
    const path = `/openai/v1/conversations/${id}/items`;
    const others = await send(account === 'acme' ? 'other' : 'acme', 'GET', path);
    assert.equal(others.status, 404);
    const items = await send(account, 'GET', path);
    return { text: answer.text + items.text, mustFind: canary.account === account };
  },
  mcp: async ({ send }, account, canary) => {
    const params = { name: 'search', arguments: { query: question(canary) } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    return { text: (await send(account, 'POST', '/mcp', body)).text, mustFind: true };
  },
  job: async ({ send }, account, canary) => {
    const request = { model: 'svc', messages: messagesOf(canary) };
    const made = await send(account, 'POST', '/async/chat/completions', { request });
    const { id } = JSON.parse(made.text) as { readonly id: string };
    const path = `/async/chat/completions/${id}`;
    const done = await pollEnd(
      () => send(account, 'GET', path),
      (reply) => /"status":"(?:COMPLETED|FAILED)"/.test(reply.text),
    );
    const others = await send(account === 'acme' ? 'other' : 'acme', 'GET', path);
    assert.equal(others.status, 404);
    return { text: done.text, mustFind: true };
  },
  'a document by its id': async ({ send }, account, canary) => {
    const reply = await send(account, 'GET', `/v1/index/documents/${canary.id}`);
    return { text: reply.text, mustFind: canary.account === account };
  },
  'a removal by its id': async ({ send }, account, canary) => {
    if (canary.account === account) return { text: canary.secret, mustFind: true };
    const reply = await send(account, 'DELETE', `/v1/index/documents/${canary.id}`);
    assert.equal(reply.status, 404);
    return { text: reply.text, mustFind: false };
  },
  receipt: async ({ send }, account, canary) => {
    const answer = await send(account, 'POST', '/v1/chat/completions', {
      model: 'svc',
      messages: messagesOf(canary),
    });
    const [receipt] = /rcpt_[\w-]+/.exec(answer.text) ?? [];
    if (receipt === undefined) return { text: answer.text, mustFind: false };
    const others = await send(account === 'acme' ? 'other' : 'acme', 'GET', `/v1/receipts/${receipt}`);
    assert.equal(others.status, 404);
    const own = await send(account, 'GET', `/v1/receipts/${receipt}`);
    return { text: answer.text + own.text, mustFind: true };
  },
};

const callsTools: ReadonlySet<string> = new Set([
  'agent',
  'files of OpenAI',
  'a WebSocket of OpenAI',
  'a conversation of OpenAI',
]);
const canariesEach = 12;

/** Resolves to all that was ever written. */
async function askAtRandom(opened: Opened, rounds: number, known = Object.entries(surfaces)) {
  const canaries: Canary[] = [];
  for (const account of ['acme', 'other'] as const) {
    for (let n = 0; n < canariesEach; n++) {
      const [name, secret] = [word(), word()];
      canaries.push({ account, name, secret, id: await opened.write(account, name, secret) });
    }
  }
  /** Also those that have been replaced. */
  const told = canaries.map(({ account, secret }) => ({ account, secret }));
  const accounts = Object.keys(keys) as Account[];
  const seen = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    const [name, ask] = known[round % known.length] ?? [];
    const at = randomInt(canaries.length);
    const canary = canaries[at];
    // Each surface is asked for what its account has at least once, and by chance from then on.
    const isFirst = round < known.length;
    const account = (isFirst ? canary?.account : accounts[randomInt(accounts.length)]) ?? 'acme';
    assert.ok(ask && canary && name !== undefined);
    const { text: answer, mustFind } = await ask(opened, account, canary);
    const isOwn = canary.account === account;
    const foreign = told.filter((one) => one.account !== account && answer.includes(one.secret));
    assert.deepEqual(foreign, [], `${name} of ${account}: ${answer}`);
    if (isOwn && mustFind) assert.ok(answer.includes(canary.secret), `${name} of ${account}: ${answer}`);
    if (isOwn && mustFind) seen.set(name, (seen.get(name) ?? 0) + 1);
    if (round % 10 !== 9) continue;
    // What was told before must not be told again from memory.
    const secret = word();
    await opened.write(canary.account, canary.name, secret);
    canaries[at] = { ...canary, secret };
    told.push({ account: canary.account, secret });
  }
  assert.deepEqual([...seen.keys()].toSorted(), known.map(([name]) => name).toSorted());
  return told;
}

const rounds = roundsOf(120, 4_000);

suite('no document of one account reaches another', () => {
  test(`in ${rounds} requests at random on SQLite`, async (t) => {
    await askAtRandom(await open(t), rounds);
  });

  test(`in ${rounds} requests at random where sources are quoted, beside an engine of the web`, async (t) => {
    // Nobody may read these pages, which costs no look-up of a name.
    const results = [1, 2, 3].map((n) => ({ ...keaReply.results[0], url: `http://127.0.0.1:9/kea/${n}` }));
    const web = await startUpstream(t, () => ({ json: { ...keaReply, results } }));
    const config = { search: { engines: [{ type: 'searxng', url: web.url }] } };
    const quoting = Object.entries(surfaces).filter(([name]) => !callsTools.has(name));
    const told = await askAtRandom(await open(t, { withModel: false, config }), rounds, quoting);
    assert.ok(web.requests.length > 0, 'the engine was asked');
    const leaked = told.filter(({ secret }) =>
      web.requests.some((one) => JSON.stringify(one).includes(secret)),
    );
    assert.deepEqual(leaked, [], 'what a document says is told to no engine');
  });

  test(`in ${rounds} requests at random on PostgreSQL`, { skip: postgresSkipReason() }, async (t) => {
    const postgres: SharedPostgres = await sharePostgres();
    t.after(() => postgres.close());
    const database = await postgres.createStore();
    await askAtRandom(await open(t, { database }), rounds);
  });
});
