import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import { isFinal } from '../../src/kernel/http/error-dialects.ts';
import { createManualClock } from '../support/clock.ts';
import { fails, scriptedProvider } from '../support/providers.ts';
import { startServer } from '../support/server.ts';
import { startUpstream } from '../support/upstream.ts';
import { until } from '../support/until.ts';

interface Entry {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly owned_by: string;
  readonly pricing: Readonly<Record<string, number | string>>;
  readonly available: boolean;
}

interface List {
  readonly object: string;
  readonly data: readonly Entry[];
  readonly models?: readonly { readonly name: string }[];
}

const read = async (url: string, headers: Record<string, string> = {}): Promise<List> => {
  const response = await fetch(`${url}/v1/models`, { headers });
  assert.equal(response.status, 200);
  return (await response.json()) as List;
};

const pricesOf = async (url: string): Promise<string | null> =>
  (await fetch(`${url}/v1/models`)).headers.get('x-nestor-prices');

suite('GET /v1/models', () => {
  test('lists own models and those of providers, sorted by id, with prices; credentials do not matter', async (t) => {
    const price = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5 };
    const lab = scriptedProvider('lab', { b: { price, created: 1_700_000_000, ownedBy: 'someone' }, a: {} });
    const { url } = await startServer(t, { providers: [lab] });
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'nonsense' }]) {
      const { object, data } = await read(url, headers);
      assert.equal(object, 'list');
      assert.deepEqual(
        data.map(({ id }) => id),
        ['lab/a', 'lab/b', 'svc/svc', 'svc/svc-pro', 'svc/svc-reasoning-pro'],
      );
      assert.deepEqual(data[1], {
        id: 'lab/b',
        object: 'model',
        created: 1_700_000_000,
        owned_by: 'someone',
        pricing: { input: 1, output: 2, cache_read: 0.5, cache_write: 1.5, unit: 'usd_per_1m_tokens' },
        available: true,
      });
      assert.deepEqual(data[2], {
        id: 'svc/svc',
        object: 'model',
        created: 0,
        owned_by: 'svc',
        pricing: {
          input: 0.25,
          output: 2.5,
          cache_read: 0.0625,
          cache_write: 0.25,
          unit: 'usd_per_1m_tokens',
        },
        available: true,
      });
    }
  });

  test('aliases, deciders and embedding models are not listed', async (t) => {
    const { url } = await startServer(t, { config: 'aliases: { models: { nice: svc/svc } }' });
    const ids = (await read(url)).data.map(({ id }) => id);
    assert.deepEqual(ids, ['embedded/extractive', 'svc/svc', 'svc/svc-pro', 'svc/svc-reasoning-pro']);
  });

  test('only a System One client finds the deciders beside the models', async (t) => {
    const { url } = await startServer(t);
    assert.equal((await read(url)).models, undefined);
    const names = (await read(url, { 'x-typesafe-sdk': 'js' })).models?.map(({ name }) => name);
    assert.ok(names?.includes('jev-latest'));
  });

  test('names that no model stands behind are not available, and no price is taken for one that somebody set', async (t) => {
    const bare = await startServer(t);
    const list = await read(bare.url);
    assert.equal(await pricesOf(bare.url), 'default');
    assert.deepEqual(Object.keys(list), ['object', 'data']);
    assert.deepEqual(
      list.data.map(({ id, available }) => [id, available]),
      [
        ['embedded/extractive', true],
        ['svc/svc', false],
        ['svc/svc-pro', false],
        ['svc/svc-reasoning-pro', false],
      ],
    );
    const lab = scriptedProvider('lab', { a: {} });
    const free = await startServer(t, { providers: [lab] });
    const served = await read(free.url);
    assert.equal(await pricesOf(free.url), 'default');
    assert.ok(served.data.every(({ available }) => available));
    lab.setHealth('down');
    assert.ok((await read(free.url)).data.every(({ available }) => !available));
    const set = await startServer(t, { config: 'prices: { svc/svc: 0.25 }' });
    assert.equal(await pricesOf(set.url), 'configured');
    const price = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5 };
    const priced = await startServer(t, { providers: [scriptedProvider('lab', { a: { price } })] });
    assert.equal(await pricesOf(priced.url), 'configured');
  });

  test('a backend that is down stays listed, and readiness tells of it', async (t) => {
    const answer = fails(() => new Fault('service_unavailable'));
    const lab = scriptedProvider('lab', { a: { answer } });
    const { url } = await startServer(t, { providers: [lab] });
    lab.setHealth('down');
    assert.ok((await read(url)).data.some(({ id }) => id === 'lab/a'));
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 503);
    assert.equal(((await ready.json()) as { checks: { chat: string } }).checks.chat, 'down');
  });

  test('the default that ships is not a configured backend', async (t) => {
    const { url } = await startServer(t);
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 200);
    assert.equal(((await ready.json()) as { checks: { chat: string } }).checks.chat, 'not_configured');
  });

  test('the 601st request of a minute from one address is refused', async (t) => {
    const { url } = await startServer(t, { clock: createManualClock() });
    const statuses: number[] = [];
    for (let times = 0; times < 601; times++) {
      const response = await fetch(`${url}/v1/models`);
      await response.arrayBuffer();
      statuses.push(response.status);
    }
    assert.ok(statuses.slice(0, 600).every((status) => status === 200));
    assert.equal(statuses.at(-1), 429);
  });
});

suite('providers of the configuration', () => {
  const listing = { object: 'list', data: [{ id: 'm', object: 'model', created: 7, owned_by: 'x' }] };

  test('models, prices and own names of the file are what is listed', async (t) => {
    const upstream = await startUpstream(t, () => ({ json: listing }));
    const { url, log } = await startServer(t, {
      config: `
providers:
  - name: lab
    type: openai-compatible
    base_url: ${upstream.url}/v1
    models: [{ id: m, price: { input: 3, output: 6, cache_read: 1 } }, other]
models:
  svc: [{ model: lab/m, weight: 2 }, { model: lab/other, weight: 1 }, lab/misspelt]
  fast: lab/other
prices:
  svc/svc-pro: { input: 30 }
  lab/othre: 3
  small: 2
  acme/small: 2
aliases:
  models: { acme/small: lab/other, acme/large: lab/none, plain: svc }
`,
    });
    const entries = new Map((await read(url)).data.map((entry) => [entry.id, entry]));
    assert.deepEqual(
      [...entries.keys()],
      ['lab/m', 'lab/other', 'svc/fast', 'svc/svc', 'svc/svc-pro', 'svc/svc-reasoning-pro'],
    );
    assert.deepEqual(entries.get('lab/m')?.pricing, {
      input: 3,
      output: 6,
      cache_read: 1,
      cache_write: 3,
      unit: 'usd_per_1m_tokens',
    });
    assert.equal(entries.get('svc/svc-pro')?.pricing['input'], 30);
    assert.ok(
      log.some(
        ({ msg }) =>
          msg === 'models.svc: nothing is offered as lab/misspelt; svc/svc passes it by until something is',
      ),
    );
    assert.deepEqual(
      log.map(({ msg }) => String(msg)).filter((msg) => /^(?:prices|aliases)/.test(msg)),
      [
        'aliases.models["acme/large"]: nothing is offered as lab/none; acme/large is refused until something is',
        'prices["lab/othre"]: nothing is offered as lab/othre (did you mean lab/other?); it prices nothing until something is',
        'prices["acme/small"]: prices nothing; acme/small stands for lab/other, which can be priced',
      ],
    );
  });

  test('a provider that cannot be opened does not keep the server from serving', async (t) => {
    const { url, log } = await startServer(t, {
      config: `
providers:
  - { name: home, type: local, path: missing.gguf }
  - { name: sdk, type: ai-sdk, package: "@ai-sdk/does-not-exist", models: [m] }
`,
    });
    assert.ok((await read(url)).data.some(({ id }) => id === 'svc/svc'));
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 503);
    for (const name of ['home', 'sdk'])
      assert.ok(
        log.some(({ msg }) => String(msg).startsWith(`models: the provider ${name} cannot be used: `)),
        name,
      );
  });

  test('a list that could not be had at the start is asked for again', async (t) => {
    let isUp = false;
    const upstream = await startUpstream(t, () => (isUp ? { json: listing } : { status: 500, json: {} }));
    const { url } = await startServer(t, {
      refreshMs: { all: 600_000, down: 50 },
      config: `providers: [{ name: lab, type: openai-compatible, base_url: "${upstream.url}/v1" }]`,
    });
    assert.ok(!(await read(url)).data.some(({ id }) => id === 'lab/m'));
    isUp = true;
    await until(
      async () => (await read(url)).data.some(({ id }) => id === 'lab/m'),
      'it was never asked again',
    );
  });
});

test('a 5xx that cannot succeed on repeat says so, and others do not', () => {
  assert.ok(isFinal(new Fault('structured_output_failed')));
  assert.ok(isFinal(new Fault('service_unavailable', 'needs a model', { final: true })));
  for (const code of [
    'bad_gateway',
    'service_unavailable',
    'gateway_timeout',
    'internal',
    'rate_limited',
  ] as const)
    assert.ok(!isFinal(new Fault(code)), code);
});
