import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { createCatalog, type CatalogSettings } from '../../src/features/models/catalog.ts';
import { openExtractiveProvider } from '../../src/features/models/providers/extractive/index.ts';
import { knownServices, preferenceOf } from '../../src/features/models/services.ts';
import type { ProviderEntry } from '../../src/features/models/registry.ts';
import { scriptedProvider, type ScriptedOffer } from '../support/providers.ts';

const defaults = ['svc', 'svc-pro', 'svc-reasoning-pro', 'svc-deep-research'];
const auto = ['auto'];
const extractive = openExtractiveProvider({
  name: 'embedded',
  vectors: () => {
    throw new Error('not needed to list');
  },
});

function create(
  _t: TestContext,
  changes: Partial<CatalogSettings> & { readonly fallback?: null } = {},
  ...entries: readonly ProviderEntry[]
) {
  const { fallback = { provider: extractive, asked: false, prefer: null }, ...others } = changes;
  const settings = {
    family: 'svc',
    aliases: { upstream: true, models: {} },
    models: Object.fromEntries(defaults.map((name) => [name, auto])),
    prices: {},
    providers: [],
    ...others,
  };
  const catalog = createCatalog(settings, fallback);
  for (const [place, entry] of entries.entries()) catalog.add(entry, place);
  return catalog;
}

const listed = (name: string, models: Readonly<Record<string, ScriptedOffer>>): ProviderEntry => ({
  provider: scriptedProvider(name, models),
  asked: false,
  prefer: null,
});
const asked = (
  name: string,
  models: Readonly<Record<string, ScriptedOffer>>,
  prefer: RegExp | null = null,
) => ({
  ...listed(name, models),
  asked: true,
  prefer,
});

suite('names', () => {
  test('with nothing configured the own names run on the default that ships, and all have a price', (t) => {
    const catalog = create(t);
    assert.deepEqual(
      catalog.list().map(({ id, ownedBy, router }) => [id, ownedBy, router]),
      [
        ['embedded/extractive', 'nestor', false],
        ['svc/svc', 'svc', true],
        ['svc/svc-pro', 'svc', true],
        ['svc/svc-reasoning-pro', 'svc', true],
      ],
    );
    assert.equal(catalog.find('svc/svc')?.capabilities.generates, false);
    assert.deepEqual(catalog.find('svc/svc')?.price, {
      input: 0.25,
      output: 2.5,
      cacheRead: 0.0625,
      cacheWrite: 0.25,
    });
    assert.deepEqual(catalog.find('svc/svc-pro')?.price, {
      input: 3,
      output: 15,
      cacheRead: 0.75,
      cacheWrite: 3,
    });
    assert.deepEqual(catalog.find('svc/svc-reasoning-pro')?.price, {
      input: 2,
      output: 8,
      cacheRead: 0.5,
      cacheWrite: 2,
    });
  });

  test('the model of deep research is found by its name and not listed', (t) => {
    const catalog = create(t);
    assert.deepEqual(catalog.find('svc/svc-deep-research')?.price.output, 8);
    assert.ok(!catalog.list().some(({ id }) => id.includes('deep-research')));
    assert.equal(catalog.find('svc/svc-deep-research')?.router, false);
  });

  test('another family has names, prices and aliases of its own', (t) => {
    const models = Object.fromEntries(['acme', 'acme-pro'].map((name) => [name, auto]));
    const catalog = create(t, { family: 'acme', models });
    assert.deepEqual(catalog.find('acme/acme-pro')?.price.input, 3);
    assert.equal(catalog.find('perplexity/sonar-pro')?.id, 'acme/acme-pro');
    assert.equal(catalog.find('svc/svc'), null);
  });

  test('names of the upstream service stand for own models, unless they are switched off', (t) => {
    const catalog = create(t, {
      models: { ...Object.fromEntries(defaults.map((name) => [name, auto])), fast: auto },
    });
    const names = {
      'perplexity/sonar': 'svc/svc',
      'perplexity/sonar-pro': 'svc/svc-pro',
      'perplexity/sonar-reasoning-pro': 'svc/svc-reasoning-pro',
      'perplexity/fast': 'svc/fast',
      'perplexity/svc': 'svc/svc',
    };
    for (const [name, id] of Object.entries(names)) assert.equal(catalog.find(name)?.id, id, name);
    for (const name of [
      'perplexity/nothing',
      'Perplexity/sonar',
      'svc/svc ',
      'svc',
      '',
      'svc/',
      'svc/__proto__',
      'perplexity/constructor',
    ])
      assert.equal(catalog.find(name), null, name);
    const off = create(t, { aliases: { upstream: false, models: {} } });
    assert.equal(off.find('perplexity/sonar'), null);
  });

  test("an operator's aliases resolve, also in steps and to upstream names; a circle ends", (t) => {
    const models = {
      best: 'nice',
      nice: 'svc/svc-pro',
      up: 'perplexity/sonar',
      round: 'about',
      about: 'round',
    };
    const catalog = create(t, { aliases: { upstream: true, models } });
    assert.equal(catalog.find('best')?.id, 'svc/svc-pro');
    assert.equal(catalog.find('up')?.id, 'svc/svc');
    assert.equal(catalog.find('round'), null);
  });

  test('a configured provider called like the upstream service comes before the aliases', (t) => {
    const catalog = create(t, {}, listed('perplexity', { sonar: {} }));
    assert.equal(catalog.find('perplexity/sonar')?.id, 'perplexity/sonar');
    assert.equal(catalog.find('perplexity/sonar-pro')?.id, 'svc/svc-pro');
  });

  test('a model name may hold slashes and is compared exactly', (t) => {
    const catalog = create(t, {}, listed('or', { 'meta/llama:free': {} }));
    assert.equal(catalog.find('or/meta/llama:free')?.displayName, 'meta/llama:free');
    assert.equal(catalog.find('or/Meta/llama:free'), null);
  });

  test('a list that changes is seen at once, and the list is sorted by id', (t) => {
    const provider = scriptedProvider('lab', { z: {}, a: {} });
    const catalog = create(t, {}, { provider, asked: true, prefer: null });
    const ids = () => catalog.list().map(({ id }) => id);
    assert.deepEqual(ids(), ids().toSorted());
    assert.ok(ids().includes('lab/z'));
    provider.offer({ b: {} });
    assert.ok(!ids().includes('lab/z') && ids().includes('lab/b'));
    assert.equal(catalog.list(), catalog.list(), 'nothing is made anew while nothing changes');
  });
});

suite('what an own name runs on', () => {
  const ranksOf = (catalog: ReturnType<typeof create>, id: string) =>
    catalog.ranksOf(id).map(({ members }) => members.map(({ backend, weight }) => `${backend.id}*${weight}`));

  test('a list is an order, weighted neighbours share a place, what is not offered is passed by', (t) => {
    const models = {
      mine: [
        'lab/gone',
        { model: 'lab/a', weight: 3 },
        { model: 'lab/b', weight: 1 },
        'lab/c',
        { model: 'lab/a', weight: 2 },
      ],
    };
    const catalog = create(t, { models }, listed('lab', { a: {}, b: {}, c: {} }));
    assert.deepEqual(ranksOf(catalog, 'svc/mine'), [['lab/a*3', 'lab/b*1'], ['lab/c*1'], ['lab/a*2']]);
  });

  test('an own name may stand for another one, and a circle of them ends', (t) => {
    const models = { svc: ['lab/a'], pro: ['svc/svc'], x: ['svc/y'], y: ['svc/x'] };
    const catalog = create(t, { models }, listed('lab', { a: {} }));
    assert.deepEqual(ranksOf(catalog, 'svc/pro'), [['lab/a*1']]);
    assert.deepEqual(ranksOf(catalog, 'svc/x'), []);
  });

  test('auto is the first of a written list, whatever else is there', (t) => {
    const catalog = create(t, {}, listed('one', { b: {}, a: { created: 9 } }), listed('two', { c: {} }));
    assert.deepEqual(ranksOf(catalog, 'svc/svc'), [['one/b*1']]);
  });

  test('auto passes providers by that offer nothing that writes', (t) => {
    const catalog = create(
      t,
      {},
      listed('one', { a: { capabilities: { generates: false } } }),
      asked('two', { 'text-embedding-3-small': {} }),
      listed('three', { c: {} }),
    );
    assert.deepEqual(ranksOf(catalog, 'svc/svc'), [['three/c*1']]);
  });

  test('auto of an asked list is the newest that the service is known for, else the newest; ties go by version', (t) => {
    const models = {
      'gpt-4': { created: 1 },
      'gpt-5': { created: 5 },
      'gpt-5-nano': { created: 9 },
      'whisper-1': { created: 99 },
      'text-embedding-9': { created: 99 },
    };
    const first = (entry: ProviderEntry) => ranksOf(create(t, {}, entry), 'svc/svc')[0]?.[0];
    const openai = preferenceOf('https://api.openai.com/v1/');
    assert.equal(first(asked('openai', models, openai)), 'openai/gpt-5*1');
    assert.equal(first(asked('openai', models)), 'openai/gpt-5-nano*1');
    assert.equal(first(asked('lab', { 'm-2': {}, 'm-10': {}, 'm-9': {} })), 'lab/m-10*1');
  });

  test('an asked list leaves out what answers no conversation; a written one is believed', (t) => {
    const models = Object.fromEntries(
      [
        'gpt-5',
        'text-embedding-3-large',
        'whisper-1',
        'dall-e-3',
        'bge-m3',
        'nomic-embed-text:latest',
        'omni-moderation-latest',
        'llama3:8b',
        'imagenette-chat',
      ].map((name) => [name, {}]),
    );
    const names = (entry: ProviderEntry) =>
      create(t, { models: {} }, entry)
        .list()
        .flatMap(({ id }) => (id.startsWith('lab/') ? [id.slice(4)] : []));
    assert.deepEqual(names(asked('lab', models)), ['gpt-5', 'imagenette-chat', 'llama3:8b']);
    assert.equal(names(listed('lab', models)).length, 9);
  });

  test('without a default, a name that nothing stands behind is still listed and runs on nothing', (t) => {
    const catalog = create(t, { fallback: null }, listed('lab', {}));
    assert.ok(catalog.find('svc/svc')?.capabilities.generates);
    assert.deepEqual(catalog.ranksOf('svc/svc'), []);
  });

  test('places decide and not the order of arrival', (t) => {
    const catalog = create(t);
    catalog.add(listed('file', { f: {} }), 200);
    catalog.add(listed('server', { s: {} }), 100);
    assert.deepEqual(ranksOf(catalog, 'svc/svc'), [['server/s*1']]);
    catalog.add(listed('service', { k: {} }), 0);
    assert.deepEqual(ranksOf(catalog, 'svc/svc'), [['service/k*1']]);
  });

  test('every preference of a known service fits an address of its own', () => {
    for (const { baseUrl, prefer } of knownServices) assert.equal(preferenceOf(baseUrl), prefer);
    assert.equal(preferenceOf('http://localhost:1234/v1'), null);
    assert.equal(preferenceOf('nonsense'), null);
  });
});

suite('prices and sizes', () => {
  const price = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 1.5 };

  test('the configuration comes before the provider, and the list of prices before both', (t) => {
    const entry = listed('lab', { a: { price }, b: { price, contextTokensMax: 10 }, c: {}, d: {} });
    const set = { input: 7, output: 8, cacheRead: 7, cacheWrite: 7 };
    const b = { id: 'b', context: 99, price: { ...set, cacheRead: null, cacheWrite: null }, router: false };
    const catalog = create(
      t,
      {
        providers: [{ name: 'lab', type: 'scripted', models: [b] }],
        prices: { 'lab/d': { input: 4, output: 5, cache_read: 1 } },
      },
      entry,
    );
    assert.deepEqual(catalog.find('lab/a')?.price, price);
    assert.deepEqual(catalog.find('lab/b')?.price, set);
    assert.deepEqual([catalog.find('lab/b')?.contextTokensMax, catalog.find('lab/b')?.router], [99, false]);
    assert.deepEqual(catalog.find('lab/c')?.price, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
    assert.deepEqual(catalog.find('lab/d')?.price, { input: 4, output: 5, cacheRead: 1, cacheWrite: 4 });
  });

  test('an own name costs what is set for it; one that was added costs what it runs on', (t) => {
    const models = { svc: ['lab/a'], mine: ['lab/a'] };
    const prices = { 'svc/svc': { input: 1 } };
    const catalog = create(t, { models, prices }, listed('lab', { a: { price, contextTokensMax: 5 } }));
    assert.deepEqual(catalog.find('svc/svc')?.price, {
      input: 1,
      output: 2.5,
      cacheRead: 0.25,
      cacheWrite: 1,
    });
    assert.deepEqual(catalog.find('svc/mine')?.price, price);
    assert.equal(catalog.find('svc/mine')?.contextTokensMax, 5);
  });
});
