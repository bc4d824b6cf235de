import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { call, finish, says, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { roundsOf } from '../support/rounds.ts';
import { startServer, type TestScope, type TestServer } from '../support/server.ts';
import { startPostgres, postgresSkipReason, type TestPostgres } from '../support/postgres.ts';
import { poll } from '../support/until.ts';

const keys = {
  acme: 'key-of-acme-0123456789-1',
  other: 'key-of-other-0123456789-2',
  bare: 'key-of-bare-0123456789-3',
};
type Account = keyof typeof keys;
const adminKey = 'admin-key-of-a-test-0123456789';

/**
 * Calls the tool that the user names with the text after it as arguments; answers all else with everything that it was
 * given, which is more than any model would tell.
 */
const teller: Answer = (request, signal) => {
  const last = request.turns.at(-1);
  const part = last?.role === 'user' ? last.parts.at(-1) : undefined;
  const asked = part?.type === 'text' ? part.text : '';
  const [name = '', args = ''] = asked.split(/ (.*)/s);
  if (request.tools.some((tool) => tool.name === name))
    return says(call('c1', name, args), finish('tool-calls'))(request, signal);
  return says([text(`${JSON.stringify([request.system, request.turns])} [1]`)], finish())(request, signal);
};

interface Reply {
  readonly status: number;
  readonly text: string;
}

interface Opened {
  readonly server: TestServer;
  readonly send: (account: Account | 'admin', method: string, path: string, body?: unknown) => Promise<Reply>;
  /** Adds a document; resolves to its id. */
  readonly write: (account: Account, name: string, secret: string) => Promise<string>;
}

interface OpenOptions {
  readonly config?: object;
  readonly database?: string;
  /** False for the default, which quotes its sources. */
  readonly withModel?: boolean;
}

async function open(
  t: TestScope,
  { config = {}, database = 'sqlite', withModel = true }: OpenOptions = {},
): Promise<Opened> {
  const server = await startServer(t, {
    config: JSON.stringify({
      keys: Object.entries(keys).map(([account, key]) => ({ key, account })),
      rate_limits: { enabled: false },
      chat: { verify: 'mark' },
      ...config,
    }),
    env: { NESTOR_ADMIN_KEY: adminKey, NESTOR_DATABASE: database },
    ...(withModel && { providers: [scriptedProvider('lab', { teller: { answer: teller } })] }),
  });
  const send: Opened['send'] = async (account, method, path, body) => {
    const response = await fetch(server.url + path, {
      method,
      headers: {
        authorization: `Bearer ${account === 'admin' ? adminKey : keys[account]}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  return {
    server,
    send,
    async write(account, name, secret) {
      const url = `https://docs.example/${name}`;
      const reply = await send(account, 'POST', '/v1/index/documents', {
        url,
        title: name,
        text: sentence(name, secret),
      });
      assert.ok(reply.status === 200 || reply.status === 201, reply.text);
      return (JSON.parse(reply.text) as { readonly id: string }).id;
    },
  };
}

const sentence = (name: string, secret: string): string => `The colour of ${name} is ${secret}.`;
const letters = 'bcdfghjklmnpqrstvwxz';
const word = (): string =>
  `zq${Array.from({ length: 10 }, () => letters[randomInt(letters.length)]).join('')}`;

const { send, write } = await open({ after });

suite('the index of an account', () => {
  test('a document that was sent is found at once, replaced at its address, read and removed', async () => {
    const [name, first, second] = [word(), word(), word()];
    const id = await write('acme', name, first);
    const find = async () => (await send('acme', 'POST', '/search', { query: name })).text;
    assert.ok((await find()).includes(first));
    assert.equal(await write('acme', name, second), id);
    assert.ok((await find()).includes(second) && !(await find()).includes(first));
    const whole = JSON.parse((await send('acme', 'GET', `/v1/index/documents/${id}`)).text) as Record<
      string,
      unknown
    >;
    assert.deepEqual(
      [whole['url'], whole['title'], whole['text'], whole['language']],
      [`https://docs.example/${name}`, name, sentence(name, second), null],
    );
    const listed = await send('acme', 'GET', '/v1/index/documents?limit=1000');
    assert.ok(listed.text.includes(id) && !listed.text.includes(second), 'without its text');
    const sources = await send('acme', 'GET', '/v1/index/sources');
    assert.match(
      sources.text,
      /"kind":"texts","account_id":"acme",.*"state":"ready",.*"visibility":"account"/,
    );
    assert.equal((await send('acme', 'DELETE', `/v1/index/documents/${id}`)).status, 204);
    assert.ok(!(await find()).includes(second));
    assert.equal((await send('acme', 'GET', `/v1/index/documents/${id}`)).status, 404);
  });

  test('an address of its own where none was given; what is no address is refused', async () => {
    const own = await send('acme', 'POST', '/v1/index/documents', { text: `${word()} stands here.` });
    assert.match(own.text, /"url":"nestor:document\/doc_/);
    for (const url of ['file:///etc/passwd', 'x', 'https://a:b@c.example/'])
      assert.equal((await send('acme', 'POST', '/v1/index/documents', { text: 'x', url })).status, 400, url);
    const folder = await send('acme', 'POST', '/v1/index/sources', { location: '/etc' });
    assert.equal(folder.status, 400, folder.text);
    assert.match(folder.text, /address/);
    const named = await send('acme', 'POST', '/v1/index/sources', {
      location: 'https://a.example/',
      account_id: 'other',
    });
    assert.ok(named.status >= 400, 'an account names no other');
  });

  test('sources belong to who added them, and the operator sees all of them', async () => {
    const location = 'https://nowhere.invalid/handbook';
    const add = async (account: Account | 'admin', more: object = {}) => {
      const path = account === 'admin' ? '/admin/v1/index/sources' : '/v1/index/sources';
      const reply = await send(account, 'POST', path, { location, ...more });
      assert.equal(reply.status, 201, reply.text);
      return JSON.parse(reply.text) as { readonly id: string; readonly account_id: string | null };
    };
    const own = await add('acme');
    const others = await add('admin', { account_id: 'other' });
    const shared = await add('admin');
    assert.deepEqual([own.account_id, others.account_id, shared.account_id], ['acme', 'other', null]);
    assert.equal(new Set([own.id, others.id, shared.id]).size, 3);
    const list = async (account: Account) => (await send(account, 'GET', '/v1/index/sources')).text;
    assert.ok((await list('acme')).includes(own.id) && !(await list('acme')).includes(others.id));
    assert.ok((await list('other')).includes(others.id) && !(await list('other')).includes(shared.id));
    const all = (await send('admin', 'GET', '/admin/v1/index/sources')).text;
    for (const { id } of [own, others, shared]) assert.ok(all.includes(id));
    for (const { id } of [others, shared]) {
      assert.equal((await send('acme', 'DELETE', `/v1/index/sources/${id}`)).status, 404);
      assert.equal((await send('acme', 'POST', `/v1/index/sources/${id}/refresh`)).status, 404);
    }
    assert.equal((await send('acme', 'DELETE', `/v1/index/sources/${own.id}`)).status, 200);
    assert.equal((await send('admin', 'DELETE', `/admin/v1/index/sources/${others.id}`)).status, 200);
    const unknown = await send('admin', 'POST', '/admin/v1/index/sources', {
      location,
      account_id: 'nobody',
    });
    assert.equal(unknown.status, 404);
  });

  test('what is beyond the limits of an account is refused, and told', async (t) => {
    const limited = await open(t, { config: { index: { account_documents: 1, account_mb: 1 } } });
    const name = word();
    await limited.write('acme', name, word());
    const more = await limited.send('acme', 'POST', '/v1/index/documents', { text: 'One too many.' });
    assert.equal(more.status, 413);
    assert.match(more.text, /holds at most 1 documents/);
    const long = await limited.send('other', 'POST', '/v1/index/documents', {
      text: 'heron '.repeat(300_000),
    });
    assert.match(long.text, /holds at most 1 MiB of text/);
    assert.match(
      (await limited.send('other', 'GET', '/v1/index')).text,
      /"documents":0,"bytes":0,"documents_max":1/,
    );
    await limited.write('other', name, word());
    const kept = await limited.send('acme', 'GET', '/v1/index/documents');
    assert.equal(
      (JSON.parse(kept.text) as { readonly data: unknown[] }).data.length,
      1,
      'nothing of what was refused',
    );
  });
});

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
    const listed = await send(account === 'bare' ? 'acme' : account, 'GET', '/v1/index/sources');
    const { data } = JSON.parse(listed.text) as { readonly data: readonly { readonly id: string }[] };
    const input = `file_search ${JSON.stringify({ queries: [question(canary)] })}`;
    const tools = [{ type: 'file_search', vector_store_ids: data.map(({ id }) => id) }];
    const { text: answer, status } = await send(account, 'POST', '/openai/v1/responses', {
      model: 'lab/teller',
      input,
      tools,
    });
    assert.equal(status, account === 'bare' ? 400 : 200, answer);
    return { text: answer, mustFind: canary.account === account };
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
    const done = await poll(
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

const callsTools: ReadonlySet<string> = new Set(['agent', 'files of OpenAI']);
const canariesEach = 12;

async function askAtRandom(opened: Opened, rounds: number, known = Object.entries(surfaces)): Promise<void> {
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
    const account = accounts[randomInt(accounts.length)] ?? 'acme';
    const at = randomInt(canaries.length);
    const canary = canaries[at];
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
}

const rounds = roundsOf(120, 4_000);

suite('no document of one account reaches another', () => {
  test(`in ${rounds} requests at random on SQLite`, async (t) => {
    await askAtRandom(await open(t), rounds);
  });

  test(`in ${rounds} requests at random where sources are quoted`, async (t) => {
    const quoting = Object.entries(surfaces).filter(([name]) => !callsTools.has(name));
    await askAtRandom(await open(t, { withModel: false }), rounds, quoting);
  });

  test(`in ${rounds} requests at random on PostgreSQL`, { skip: postgresSkipReason() }, async (t) => {
    const postgres: TestPostgres = await startPostgres();
    t.after(() => postgres.close());
    const database = await postgres.createStore();
    await askAtRandom(await open(t, { database }), rounds);
  });
});
