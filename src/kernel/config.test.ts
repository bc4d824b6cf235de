import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { configuration } from '../configuration.ts';
import { load, messageOf, sample, sampleEnv, settingsOf } from './config/config.fixture.ts';

test('the file of the design is accepted', () => {
  const config = load(sample, sampleEnv);
  assert.equal(config.keys[0]?.key, 'root-key-of-the-sample');
  assert.equal(config.keys[0]?.creditsPurchasedUsd, 5000);
  assert.deepEqual(config.providers[0], {
    name: 'openai',
    type: 'openai-compatible',
    baseUrl: 'https://api.openai.com/v1',
    key: 'sk-openai-0123456789',
    models: [
      {
        id: 'gpt-5.5',
        context: 400_000,
        price: { input: 1.25, output: 10, cacheRead: null, cacheWrite: null },
        router: true,
      },
    ],
    timeoutS: 120,
    totalTimeoutS: 900,
    headers: {},
  });
  assert.deepEqual(config.providers[1], {
    name: 'home',
    type: 'local',
    path: './data/models/qwen3-0.6b-q8_0.gguf',
    models: '*',
  });
  assert.deepEqual(config.search.engines[1], { type: 'brave', url: null, key: 'brave-0123456789' });
});

test('an empty file, a file of comments, emptied sections and no file at all are the defaults', () => {
  const none = load();
  assert.equal(none.configFile, null);
  assert.equal(none.port, 8787);
  assert.equal(none.shutdownGraceS, 25);
  assert.deepEqual(none.models, {
    svc: ['auto'],
    'svc-pro': ['auto'],
    'svc-reasoning-pro': ['auto'],
    'svc-deep-research': ['auto'],
  });
  for (const text of ['', '# nothing\n', 'keys:\n#  - { key: x }\ncors:\nmodels: {}\n']) {
    assert.deepEqual(settingsOf(load(text)), settingsOf(none));
  }
});

test('the defaults are those of the design file', () => {
  const written = settingsOf(load(sample, sampleEnv));
  const defaults = settingsOf(load(''));
  for (const [name, value] of Object.entries(written)) {
    if (['keys', 'providers', 'decisions', 'search'].includes(name)) continue;
    assert.deepEqual(Reflect.get(defaults, name), value, name);
  }
  assert.deepEqual(load('').decisions, { ...load(sample, sampleEnv).decisions, upstreams: [] });
});

test('every error is one line with source, key, what was given and what is allowed', () => {
  const levels = 'fatal, error, warn, info, debug, trace or silent';
  const groups =
    'decisions, agent, chat, async, search, documents, embeddings, skills, tokens, account, router or mcp';
  const provider = 'providers:\n  - { name: a, type: openai-compatible, base_url: "http://h/v1"';
  const messages: Readonly<Record<string, string>> = {
    'port: 70000': 'c.yaml: port is 70000; allowed: an integer from 0 to 65535',
    'port: abc': 'c.yaml: port is "abc"; allowed: an integer from 0 to 65535',
    'port: null': 'c.yaml: port is null; allowed: an integer from 0 to 65535',
    'prot: 1': 'c.yaml: unknown key prot; did you mean port?',
    'shutdownGraceS: 1': 'c.yaml: unknown key shutdownGraceS; did you mean shutdown_grace_s?',
    'log: { levle: info }': 'c.yaml: unknown key log.levle; did you mean log.level?',
    'log: { colour: red }': 'c.yaml: unknown key log.colour; allowed: level, format',
    'log: { "a\\nb": 1 }': 'c.yaml: unknown key log["a\\nb"]; allowed: level, format',
    'log: loud': 'c.yaml: log is a string; allowed: a mapping',
    'log: { level: "in\\nfo" }': `c.yaml: log.level is "in\\nfo"; allowed: ${levels}`,
    'detect: yes': 'c.yaml: detect is "yes"; allowed: true or false',
    'chat: { timeout_s: 0 }': 'c.yaml: chat.timeout_s is 0; allowed: a number above 0 and at most 86400',
    'chat: { timeout_s: .inf }':
      'c.yaml: chat.timeout_s is Infinity; allowed: a number above 0 and at most 86400',
    'async: { workers: 1.5 }': 'c.yaml: async.workers is 1.5; allowed: an integer from 1 to 64',
    'decisions: { order: { passes: 3 } }': 'c.yaml: decisions.order.passes is 3; allowed: 1, 2 or n',
    'decisions: { served: [] }': 'c.yaml: decisions.served is an empty list; allowed: a list of at least 1',
    'decisions: { engine: logprobs, upstreams: [{ url: http://gpu-1 }] }':
      'c.yaml: decisions.upstreams[0].model is missing; allowed: the name of a model, which logprobs needs',
    'decisions: { engine: systemone }':
      'c.yaml: decisions.engine is systemone, but decisions.upstreams is empty; allowed: systemone with at least one upstream',
    'embeddings: { engine: openai-compatible }':
      'c.yaml: embeddings.engine is openai-compatible, but embeddings.upstreams is empty; allowed: openai-compatible with at least one upstream',
    'public_url: ftp://h': 'c.yaml: public_url is "ftp://h"; allowed: an http:// or https:// URL or null',
    'public_url: http://h:99999':
      'c.yaml: public_url is "http://h:99999"; allowed: an http:// or https:// URL or null',
    'cors: { origins: [https://a.example/] }':
      'c.yaml: cors.origins[0] is "https://a.example/"; allowed: "*" or an origin such as https://app.example (lower case, no path, no default port)',
    'family: Svc':
      'c.yaml: family is "Svc"; allowed: 1 to 32 characters of a-z, 0-9 and "-", the first a letter',
    'database: mysql://h':
      'c.yaml: database is hidden (9 characters); allowed: sqlite, sqlite:PATH or postgres://…',
    'keys: [{ account: a }]':
      'c.yaml: keys[0].key is missing; allowed: a string of 16 to 256 printable ASCII characters without spaces (quote a number)',
    'keys: [{ key: long-enough-for-a-key, deny: [chats] }]': `c.yaml: keys[0].deny[0] is "chats"; allowed: ${groups}`,
    'keys: [{ key: long-enough-for-a-key }, { key: other-key-of-a-key }, { key: long-enough-for-a-key }]':
      'c.yaml: keys[2].key repeats keys[0].key; allowed: every key once',
    [`${provider} }, { name: a, type: local, path: x }]`.replace('\n  - ', ' [')]:
      'c.yaml: providers[1].name is "a", as providers[0].name; allowed: every name once',
    'providers: [{ name: embedded, type: local, path: x }]':
      'c.yaml: providers[0].name is "embedded", as the model that ships; allowed: a name of its own',
    'providers: [{ name: svc, type: local, path: x }]':
      'c.yaml: providers[0].name is "svc", as family; allowed: a name of its own',
    [`${provider}, headers: { "x team": a } }`]:
      'c.yaml: providers[0].headers has the name "x team"; allowed: the name of a header, such as X-Team',
    [`${provider}, headers: { X-Team: "a\\nb" } }`]:
      'c.yaml: providers[0].headers.X-Team is hidden (3 characters); allowed: a string of one line of printable Latin characters (quote a number)',
    'mcp: { servers: [{ name: a, url: http://a }, { name: a, url: http://b }] }':
      'c.yaml: mcp.servers[1].name is "a", as mcp.servers[0].name; allowed: every name once',
    'metrics: { port: 8787 }': 'c.yaml: metrics.port is 8787, as port; allowed: a port of its own',
    'providers: [{ name: a }]':
      'c.yaml: providers[0].type is missing; allowed: openai-compatible, anthropic, local or ai-sdk',
    'providers: [{ name: a, type: lokal }]':
      'c.yaml: providers[0].type is "lokal"; allowed: openai-compatible, anthropic, local or ai-sdk',
    'providers: [{ name: a, type: local, pat: x }]':
      'c.yaml: unknown key providers[0].pat; did you mean providers[0].path?',
    [`${provider}, models: all }`]: 'c.yaml: providers[0].models is a string; allowed: "*" or a list',
    [`${provider}, models: [{ id: m, price: { input: -1 } }] }`]:
      'c.yaml: providers[0].models[0].price.input is -1; allowed: a number of at least 0',
    'search: { engines: [{ type: searxng }] }':
      'c.yaml: search.engines[0].url is missing; allowed: an http:// or https:// URL',
    'models: { svc: [a/m, { model: a/n, weight: 0 }] }':
      'c.yaml: models.svc[1].weight is 0; allowed: an integer from 1 to 1000',
    'models: { svc: [{ model: gpt, weight: 1 }] }':
      'c.yaml: models.svc[0].model is "gpt"; allowed: "auto" or provider/model',
    'models: { svc: [[a/m]] }':
      'c.yaml: models.svc[0] is a list of 1; allowed: "auto", provider/model, or a mapping with "model" and "weight"',
    'models: { svc: gpt }':
      'c.yaml: models.svc is a string; allowed: "auto", provider/model, or a list of them',
    'rate_limits: { tables: { decisions: 0 } }':
      'c.yaml: rate_limits.tables.decisions is a number; allowed: an integer of at least 1, or a list of six (tiers 0 to 5)',
    'rate_limits: { tables: { decisions: [1, 2] } }':
      'c.yaml: rate_limits.tables.decisions is a list of 2; allowed: an integer of at least 1, or a list of six (tiers 0 to 5)',
    'prices: { search: { query: free } }':
      'c.yaml: prices.search.query is "free"; allowed: a number of at least 0',
    '- port: 1': 'c.yaml: the configuration is a list of 1; allowed: a mapping',
  };
  for (const [text, message] of Object.entries(messages)) assert.equal(messageOf(text), message, text);
});

test('what is not YAML is one line with line and column, and repeated keys are refused', () => {
  assert.equal(messageOf('port: 1\nport: 2\n'), 'c.yaml:2:1: not valid YAML (duplicate key)');
  assert.equal(messageOf('log:\n\tlevel: x'), 'c.yaml:2:1: not valid YAML (tab as indent)');
  assert.equal(messageOf('host: ${A_LONG_NAME} : ['), 'c.yaml:1:7: not valid YAML (block as implicit key)');
  assert.equal(messageOf('keys: [{ key: sk-secret'), 'c.yaml:1:24: not valid YAML (bad indent)');
  assert.equal(messageOf('admin_key: *secret-alias'), 'c.yaml:1:12: not valid YAML (bad alias)');
  assert.equal(messageOf('port: 1\n---\nport: 2'), 'c.yaml:2:1: not valid YAML (multiple docs)');
});

test('a named file must exist; nestor.yaml in the data folder is optional', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'nestor-config-'));
  try {
    assert.throws(() => configuration.load({ env: { NESTOR_CONFIG: 'no.yaml' }, cwd }), {
      message: 'NESTOR_CONFIG: the file "no.yaml" does not exist; allowed: a YAML file',
    });
    assert.throws(() => configuration.load({ env: { NESTOR_CONFIG: '.' }, cwd }), {
      message: '.: cannot be read (EISDIR)',
    });
    for (const folder of ['data', 'other']) {
      mkdirSync(join(cwd, folder));
      writeFileSync(join(cwd, folder, 'nestor.yaml'), `outbound: { user_agent: ${folder} }`);
    }
    const config = configuration.load({ env: {}, cwd });
    assert.equal(config.outbound.userAgent, 'data');
    assert.equal(config.dataFolder, join(cwd, 'data'));
    assert.equal(config.configFile, join(cwd, 'data', 'nestor.yaml'));
    const other = configuration.load({ env: { NESTOR_DATA: './other' }, cwd });
    assert.equal(other.outbound.userAgent, 'other');
    assert.equal(other.data, './other');
    assert.equal(other.dataFolder, join(cwd, 'other'));
    writeFileSync(join(cwd, 'data', 'nestor.yaml'), 'port: x');
    assert.throws(() => configuration.load({ env: {}, cwd }), /^ConfigError: data.nestor\.yaml: port is "x"/);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});

test('short forms become the full form', () => {
  const config = load(`
    providers: [{ name: a, type: openai-compatible, base_url: http://h/v1, models: [m, { id: n, router: false }] }]
    models: { svc: a/m, own: [a/n, auto], shared: [{ model: a/m, weight: 3 }, { model: a/n, weight: 1 }, auto] }
    rate_limits: { tables: { chat: 7, decisions: [1, 2, 3, 4, 5, 6] } }
    prices: { search: 0.1, some_item: { per_part: 2 } }
  `);
  const [provider] = config.providers;
  assert.deepEqual(provider?.models, [
    { id: 'm', context: null, price: null, router: true },
    { id: 'n', context: null, price: null, router: false },
  ]);
  assert.deepEqual(config.models['svc'], ['a/m']);
  assert.deepEqual(config.models['own'], ['a/n', 'auto']);
  assert.deepEqual(config.models['svc-pro'], ['auto']);
  assert.deepEqual(config.models['shared'], [
    { model: 'a/m', weight: 3 },
    { model: 'a/n', weight: 1 },
    'auto',
  ]);
  assert.deepEqual(config.rateLimits.tables, { chat: [7, 7, 7, 7, 7, 7], decisions: [1, 2, 3, 4, 5, 6] });
  assert.deepEqual(config.prices, { search: 0.1, some_item: { per_part: 2 } });
});

test('names of free maps stay as they are written', () => {
  const config = load('aliases: { models: { my_name: svc, __proto__: svc-pro } }');
  assert.deepEqual(Object.entries(config.aliases.models), [
    ['my_name', 'svc'],
    ['__proto__', 'svc-pro'],
  ]);
});

test('defaults follow the family, wherever it is set', () => {
  for (const config of [
    load('family: acme'),
    load('', { NESTOR_FAMILY: 'acme' }),
    load('family: ${F}', { F: 'acme' }),
  ]) {
    assert.deepEqual(Object.keys(config.models), [
      'acme',
      'acme-pro',
      'acme-reasoning-pro',
      'acme-deep-research',
    ]);
    assert.equal(config.agent.roles.main, 'acme/acme');
    assert.deepEqual(config.decisions.served, ['acme-decider-v1-27b']);
  }
});

test('the configuration is frozen to its leaves', () => {
  const pending: unknown[] = [load(sample, { ...sampleEnv, NESTOR_ROOT_KEY: 'another-root-key' })];
  for (const value of pending) {
    if (typeof value !== 'object' || value === null) continue;
    assert.ok(Object.isFrozen(value), JSON.stringify(value));
    pending.push(...Object.values(value));
  }
});

test('customary keys and addresses of services are kept apart from the settings', () => {
  const env = {
    OPENAI_API_KEY: 'sk-1',
    OPENAI_BASE_URL: 'http://proxy',
    NESTOR_ADMIN_KEY: 'admin-key-1-of-config',
    HOME: '/',
  };
  const config = load('', { ...env, EMPTY_API_KEY: '' });
  assert.deepEqual(config.serviceVariables, { OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: 'http://proxy' });
  assert.ok(!configuration.describe(config).includes('sk-1'));
});

suite('what works and should not stay so is told', () => {
  test('keys below 24 characters, and those below 16 are refused', () => {
    const keys = 'keys: [{ key: sixteen-chars-16 }, { key: twenty-four-characters-2 }]';
    const { warnings: all } = load(keys, { NESTOR_ADMIN_KEY: 'admin-key-of-23-chars-x' });
    const warnings = all.filter((warning) => !warning.includes('chmod'));
    assert.deepEqual(warnings, [
      'c.yaml: keys[0].key has 16 characters; 24 or more cannot be guessed',
      'NESTOR_ADMIN_KEY: admin_key has 23 characters; 24 or more cannot be guessed',
    ]);
    assert.throws(() => load('', { NESTOR_ROOT_KEY: 'fifteen-chars-1' }), /allowed: a string of 16 to 256/);
    const added = load('', { NESTOR_ROOT_KEY: 'sixteen-chars-16' }).warnings;
    assert.match(added[0] ?? '', /^NESTOR_ROOT_KEY: keys\[0\]\.key has 16 characters/);
    assert.ok(![...warnings, ...added].join().includes('sixteen-chars'), 'no warning holds a key');
  });

  test('limits, prices and aliases that nothing has, with the names that there are', () => {
    const warningsOf = (text: string) => load(text, {}).warnings;
    assert.deepEqual(
      warningsOf(`
rate_limits: { tables: { chat svc: 7, decisions: 5, modles: 60 } }
prices: { search: 0.1, svc: { request_low: 5 }, svc-por: 1, lab/m: { inptu: 1, output: 2 }, fetch_url: { output: 1 } }
aliases: { models: { one: svc, two: one, three: svc-prp, four: lab/m, five: sonar, six: svc-decider-v1-27b } }
`).map((line) => line.slice(0, 108)),
      [
        'c.yaml: rate_limits.tables.modles is no limit, so the server does not start; did you mean models? allowed: a',
        'c.yaml: prices.svc-por prices nothing; did you mean svc-pro? allowed: svc, svc-pro, svc-reasoning-pro, svc-d',
        'c.yaml: prices["lab/m"].inptu prices nothing; did you mean input? allowed: input, output, cache_read, cache_',
        'c.yaml: prices.fetch_url.output prices nothing; allowed: input',
        'c.yaml: aliases.models.three is "svc-prp", which no model is called; did you mean svc-pro? allowed: svc, svc',
      ],
    );
    const own = 'family: acme\nprices: { acme-pro: 1 }\nrate_limits: { tables: { chat acme: 7 } }';
    assert.deepEqual(warningsOf(own), []);
    assert.match(
      warningsOf('aliases: { upstream: false, models: { a: sonar } }').join(),
      /^c\.yaml: aliases\.models\.a is/,
    );
  });

  test('a file with keys that others may read', { skip: process.platform === 'win32' }, (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'nestor-config-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'nestor.yaml');
    const warningsOf = (text: string, mode: number) => {
      writeFileSync(file, text);
      chmodSync(file, mode);
      return configuration.load({ env: {}, cwd: folder, file: 'nestor.yaml' }).warnings;
    };
    const key = 'keys: [{ key: a-key-of-more-than-24-characters }]';
    const told = 'nestor.yaml: holds keys and can be read by other users of this machine; chmod 600 it';
    assert.deepEqual(warningsOf(key, 0o644), [told]);
    assert.deepEqual(warningsOf(key, 0o640), [told]);
    assert.deepEqual(warningsOf(key, 0o600), []);
    assert.deepEqual(warningsOf('search: { engines: [{ type: brave, key: brave-0123456789 }] }', 0o644), [
      told,
    ]);
    assert.deepEqual(warningsOf('port: 8788', 0o644), [], 'it holds none');
    const named = 'admin_key: "${NO_SUCH_VARIABLE:-a-key-of-more-than-24-characters}"';
    assert.deepEqual(warningsOf(named, 0o644), [], 'a variable has it');
  });
});
