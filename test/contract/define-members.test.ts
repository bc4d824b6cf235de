import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { decisionFeature, defineEngine } from '../../src/features/decisions/feature.ts';
import { decisionEngines } from '../../src/features/decisions/engines/index.ts';
import { defineRunner, sandboxFeature, sandboxRunners } from '../../src/features/sandbox/feature.ts';
import { defineFinanceSource, defineSearchEngine, searchFeature } from '../../src/features/search/feature.ts';
import { defineEmbeddingEngine, embeddingFeature } from '../../src/features/embeddings/feature.ts';
import { embeddingEngines } from '../../src/features/embeddings/engines/index.ts';
import { defineProvider, modelFeature, modelKey } from '../../src/features/models/feature.ts';
import { modelProviders } from '../../src/features/models/providers/index.ts';
import { searchEngines } from '../../src/features/search/engines/index.ts';
import { financeSources } from '../../src/features/search/finance/index.ts';
import { createConfiguration } from '../../src/kernel/config.ts';
import { text } from '../../src/kernel/config/shape.ts';
import type { Feature } from '../../src/kernel/feature.ts';
import { openServer, openServices } from '../../src/kernel/serve.ts';
import { features } from '../../src/server.ts';
import { limits } from '../sandbox/support.ts';
import { finish, says, text as delta } from '../support/models.ts';
import { scriptedProvider } from '../support/providers.ts';

/** Members that are defined here and stand in a list, with no other file changed. */

const key = 'test-root-key-0123456789';

const motto = defineSearchEngine({
  type: 'motto',
  settings: { description: 'One page for every question.', keys: { page_title: text('Its title.') } },
  open: ({ pageTitle }) => ({
    name: 'motto',
    kinds: ['web'],
    search: async () => [
      {
        url: 'https://example.test/motto',
        title: pageTitle,
        snippet: 'Everything flows.',
        date: null,
        lastUpdated: null,
        language: null,
      },
    ],
    close: async () => {},
  }),
});

const first = defineEngine({
  name: 'first',
  upstreams: 'needed',
  open: async () => ({
    name: 'first',
    vision: false,
    health: () => 'ok',
    countTokens: async () => 1,
    score: async (_state, questions) =>
      questions.map(({ options }) => options.map((_option, at) => (at === 0 ? 1 : 0))),
    close: async () => {},
  }),
});

const parrot = defineProvider({
  type: 'parrot',
  settings: {
    description: 'Always gives the same answer.',
    keys: { the_answer: text('Its answer.'), ...modelKey },
  },
  open: async ({ name, theAnswer }) =>
    scriptedProvider(name, { polly: { answer: says([delta(theAnswer)], finish()) } }),
});

const constant = defineEmbeddingEngine({
  name: 'constant',
  needsUpstreams: true,
  open: async () => {
    const embed = async (texts: readonly string[], size: number) =>
      texts.map(() => new Float32Array(size).fill(1));
    return {
      name: 'constant',
      health: () => 'ok',
      countTokens: async (texts) => texts.map(() => 1),
      embed,
      embedChunks: embed,
      close: async () => {},
    };
  },
});

/** The house with a member more in each list. */
const extended: readonly Feature[] = features.map((feature) => {
  if (feature.name === 'search') return searchFeature([...searchEngines, motto], financeSources);
  if (feature.name === 'decisions') return decisionFeature([...decisionEngines, first]);
  if (feature.name === 'models') return modelFeature([...modelProviders, parrot]);
  if (feature.name === 'embeddings') return embeddingFeature([...embeddingEngines, constant]);
  return feature;
});

const configuration = createConfiguration(
  extended.flatMap(({ config }) => config ?? []),
  [],
);

async function folderWith(t: TestContext, yaml: string): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'nestor-members-'));
  t.after(() => rm(cwd, { recursive: true, force: true }));
  await writeFile(join(cwd, 'nestor.yaml'), yaml);
  return cwd;
}

async function start(t: TestContext, yaml: string) {
  const cwd = await folderWith(t, yaml);
  const env = {
    NESTOR_PORT: '0',
    NESTOR_ROOT_KEY: key,
    NESTOR_DATA: join(cwd, 'data'),
    NESTOR_DETECT: 'false',
    NESTOR_SANDBOX_RUNNER: 'off',
  };
  const config = configuration.load({ env, cwd, file: 'nestor.yaml' });
  const server = await openServer(extended, config, { log: pino({ level: 'silent' }) });
  t.after(() => server.close());
  const url = await server.listen();
  return async (path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.json();
    assert.equal(response.status, 200, JSON.stringify(answer));
    return answer;
  };
}

test('a search engine from outside is configured by its own keys and answers', async (t) => {
  const post = await start(t, 'search: { engines: [{ type: motto, page_title: Panta rhei }] }');
  assert.match(JSON.stringify(await post('/search', { query: 'what flows' })), /Panta rhei/);
});

test('a decision engine from outside is configured by its name and answers', async (t) => {
  const yaml = 'decisions: { engine: first, upstreams: [{ url: http://127.0.0.1:9 }] }';
  const post = await start(t, yaml);
  const answer = await post('/v1/systemone', {
    model: 'jev-latest',
    state: [{ role: 'user', content: 'Hello' }],
    questions: { greeting: { type: 'choice', criteria: { yes: 'a greeting', no: null } } },
  });
  assert.match(JSON.stringify(answer), /"yes":1/);
});

test('a provider of models from outside is configured by its own keys and answers', async (t) => {
  const post = await start(t, 'providers: [{ name: cage, type: parrot, the_answer: Lora wants a nut. }]');
  const messages = [{ role: 'user', content: 'Hello' }];
  const answer = await post('/v1/messages', { model: 'cage/polly', max_tokens: 100, messages });
  assert.match(JSON.stringify(answer), /Lora wants a nut\./);
});

test('an embedding engine from outside is configured by its name and answers', async (t) => {
  const yaml = 'embeddings: { engine: constant, upstreams: [{ url: http://127.0.0.1:9 }] }';
  const post = await start(t, yaml);
  const answer = await post('/v1/embeddings', {
    model: 'pplx-embed-v1-0.6b',
    input: ['one', 'two'],
    encoding_format: 'base64_int8',
  });
  assert.match(JSON.stringify(answer), /"index":1/);
});

test('what a member needs is checked, and the schema for editors names it', async (t) => {
  const load = async (yaml: string) => {
    const cwd = await folderWith(t, yaml);
    return configuration.load({ env: {}, cwd, file: 'nestor.yaml' });
  };
  await assert.rejects(load('decisions: { engine: first }'), {
    message:
      'nestor.yaml: decisions.engine is first, but decisions.upstreams is empty; allowed: first with at least one upstream',
  });
  await assert.rejects(load('search: { engines: [{ type: motto }] }'), {
    message: 'nestor.yaml: search.engines[0].page_title is missing; allowed: a non-empty string',
  });
  await assert.rejects(load('providers: [{ name: cage, type: parrot }]'), {
    message: 'nestor.yaml: providers[0].the_answer is missing; allowed: a non-empty string',
  });
  await assert.rejects(load('embeddings: { engine: constant }'), {
    message:
      'nestor.yaml: embeddings.engine is constant, but embeddings.upstreams is empty; allowed: constant with at least one upstream',
  });
  const schema = JSON.stringify(configuration.jsonSchema());
  for (const name of ['motto', 'first', 'parrot', 'constant']) assert.ok(schema.includes(`"${name}"`));
});

describe('a sandbox runner and a source of figures from outside', () => {
  const echo = defineRunner({
    name: 'echo',
    keys: { greeting: text('What every run prints.', { default: 'Hello' }) },
    needs: 'nothing',
    open: async ({ greeting }) => ({
      name: 'echo',
      languages: ['python'],
      run: async ({ code }) => ({
        status: 'completed',
        stdout: `${greeting} ${code}`,
        stderr: '',
        exitCode: 0,
        durationMs: 1,
        files: [],
        gone: [],
      }),
      close: async () => {},
    }),
  });

  const almanac = defineFinanceSource({
    type: 'almanac',
    settings: { description: 'One price for everything.', keys: { price: text('The price.') } },
    open: ({ price }) => ({
      categories: ['quote'],
      find: async (category, ticker) => ({
        category,
        content: `${ticker} costs ${price}`,
        sources: [],
        tickers: [ticker],
      }),
    }),
  });

  const withBoth: readonly Feature[] = features.map((feature) => {
    if (feature.name === 'search') return searchFeature(searchEngines, [...financeSources, almanac]);
    if (feature.name === 'sandbox') return sandboxFeature([...sandboxRunners, echo]);
    return feature;
  });
  const read = createConfiguration(
    withBoth.flatMap(({ config }) => config ?? []),
    [],
  );
  const load = async (t: TestContext, yaml: string) => {
    const cwd = await folderWith(t, yaml);
    return read.load({ env: { NESTOR_DATA: join(cwd, 'data') }, cwd, file: 'nestor.yaml' });
  };

  test('they are configured by their own keys and answer', async (t) => {
    const yaml =
      'sandbox: { runner: echo, greeting: Good day }\nsearch: { finance: [{ type: almanac, price: 7 USD }] }';
    const config = await load(t, yaml);
    const log = pino({ level: 'silent' });
    const opened = await openServices(withBoth, ['sandbox', 'finance'], config, { log });
    t.after(() => opened.close());
    const { sandbox, finance } = opened;
    assert.deepEqual(await sandbox.settled, { runner: 'echo', unfit: [] });
    const run = { language: 'python', code: 'print(1)', files: [], readOnlyFiles: [] } as const;
    const ran = await sandbox.current()?.run(run, limits, AbortSignal.timeout(60_000), 'acme');
    assert.equal(ran?.stdout, 'Good day print(1)');
    const found = await finance?.find(['quote'], ['NST'], AbortSignal.timeout(60_000));
    assert.deepEqual(
      found?.answers.map(({ content }) => content),
      ['NST costs 7 USD'],
    );
  });

  test('their keys are checked, and the schema for editors names them', async (t) => {
    await assert.rejects(load(t, 'sandbox: { runner: gecko }'), {
      message: 'nestor.yaml: sandbox.runner is "gecko"; allowed: auto, bubblewrap, pyodide, echo or off',
    });
    await assert.rejects(load(t, 'search: { finance: [{ type: almanac }] }'), {
      message: 'nestor.yaml: search.finance[0].price is missing; allowed: a non-empty string',
    });
    const schema = JSON.stringify(read.jsonSchema());
    for (const name of ['echo', 'greeting', 'almanac']) assert.ok(schema.includes(`"${name}"`), name);
  });
});
