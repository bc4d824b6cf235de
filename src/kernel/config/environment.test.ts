import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../config.ts';
import { load as loadText, messageOf as messageOfText, type Env } from './config.fixture.ts';
import { configuration } from '../../configuration.ts';
import { toVariables } from './environment.ts';

const load = (env: Env, text = ''): Config => loadText(text, env);
const messageOf = (env: Env, text = ''): string => messageOfText(text, env);

test('every scalar key has a variable, and no two keys share one', () => {
  const variables = toVariables(configuration.schema);
  const paths = [...variables.values()].map(({ path }) => path.join('.'));
  assert.equal(new Set(paths).size, paths.length);
  assert.equal(paths.length, countLeaves(load({})));
  for (const name of [
    'PORT',
    'DATA',
    'LOG_LEVEL',
    'DECISIONS_ENGINE',
    'RATE_LIMITS_ENABLED',
    'METRICS_PORT',
  ]) {
    assert.equal(variables.get(`NESTOR_${name}`)?.settable, true, name);
  }
});

/** Keys that hold no section, counted on the result: free maps are leaves. */
function countLeaves({
  dataFolder: _folder,
  configFile: _file,
  serviceVariables: _variables,
  warnings: _warnings,
  ...config
}: Config): number {
  const maps = [config.aliases.models, config.rateLimits.tables, config.prices, config.models];
  const count = (value: unknown): number => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return 1;
    if (maps.some((map) => map === value)) return 1;
    return Object.values(value).reduce((sum: number, inner) => sum + count(inner), 0);
  };
  return count(config);
}

test('variables lie over the file and take the type of their key', () => {
  const text = 'port: 1\nlog: { level: warn, format: json }\npublic_url: http://file\nmetrics: { port: 9 }';
  const config = load(
    {
      NESTOR_PORT: '0',
      NESTOR_LOG_LEVEL: 'debug',
      NESTOR_RATE_LIMITS_ENABLED: 'false',
      NESTOR_CHAT_TIMEOUT_S: '1.5',
      NESTOR_PUBLIC_URL: 'null',
      NESTOR_METRICS_PORT: '9090',
      NESTOR_DECISIONS_ORDER_PASSES: '2',
      NESTOR_DATABASE_URL: 'postgres://u:p@h/d',
      NESTOR_REDIS_URL: 'redis://h',
      NESTOR_ADMIN_KEY: '1234567890123456',
      NESTOR_CORS_ORIGINS: 'https://a.example, https://b.example',
      NESTOR_OUTBOUND_USER_AGENT: '${HOME}',
      NESTOR_HOST: '',
    },
    text,
  );
  assert.equal(config.port, 0);
  assert.deepEqual(config.log, { level: 'debug', format: 'json' });
  assert.equal(config.rateLimits.enabled, false);
  assert.equal(config.chat.timeoutS, 1.5);
  assert.equal(config.publicUrl, null);
  assert.equal(config.metrics.port, 9090);
  assert.equal(config.decisions.order.passes, 2);
  assert.equal(config.database, 'postgres://u:p@h/d');
  assert.equal(config.redis, 'redis://h');
  assert.equal(config.adminKey, '1234567890123456');
  assert.deepEqual(config.cors.origins, ['https://a.example', 'https://b.example']);
  assert.equal(config.outbound.userAgent, '${HOME}');
  assert.equal(config.host, '127.0.0.1');
});

test('a wrong variable is named as the source', () => {
  assert.equal(
    messageOf({ NESTOR_PORT: 'abc' }),
    'NESTOR_PORT: port is "abc"; allowed: an integer from 0 to 65535',
  );
  assert.equal(
    messageOf({ NESTOR_DETECT: 'yes' }, 'detect: true'),
    'NESTOR_DETECT: detect is "yes"; allowed: true or false',
  );
  assert.equal(
    messageOf({ NESTOR_DECISIONS_ENGINE: 'logprobs' }),
    'NESTOR_DECISIONS_ENGINE: decisions.engine is logprobs, but decisions.upstreams is empty; allowed: logprobs with at least one upstream',
  );
  assert.equal(
    messageOf({ NESTOR_LOG_LEVLE: 'x' }),
    'NESTOR_LOG_LEVLE: unknown variable; did you mean NESTOR_LOG_LEVEL?',
  );
  assert.equal(
    messageOf({ NESTOR_ZZZZ: 'x' }),
    'NESTOR_ZZZZ: unknown variable; allowed: the variables of the configuration',
  );
  assert.equal(messageOf({ NESTOR_PROVIDERS: '[]' }), 'NESTOR_PROVIDERS: providers is set in the file only');
  assert.equal(
    messageOf({ NESTOR_REDIS: 'redis://a', NESTOR_REDIS_URL: 'redis://a' }),
    'NESTOR_REDIS_URL: NESTOR_REDIS is set too; allowed: one of them',
  );
  assert.equal(
    messageOf({ NESTOR_LOG_LEVEL: 'info' }, 'log: 5'),
    'c.yaml: log is a number; allowed: a mapping',
  );
});

test('variables of tests, of Kubernetes services and those the file refers to are not taken for misspelled keys', () => {
  const config = load(
    {
      NESTOR_CONFIG: 'ignored-because-file-is-given',
      NESTOR_TEST_DATABASE: 'x',
      NESTOR_PORT: 'tcp://10.0.0.7:8787',
      NESTOR_PORT_8787_TCP_ADDR: '10.0.0.7',
      NESTOR_SERVICE_HOST: '10.0.0.7',
      NESTOR_SERVICE_PORT_HTTP: '8787',
      NESTOR_AGENT_STRING: 'mine',
      OTHER: 'x',
    },
    'outbound: { user_agent: "${NESTOR_AGENT_STRING}" }',
  );
  assert.equal(config.port, 8787);
  assert.equal(config.outbound.userAgent, 'mine');
});

test('NESTOR_ROOT_KEY adds a key of the account "default", also as the only one', () => {
  const added = { key: 'from-the-environment', account: 'default', creditsPurchasedUsd: 5000, deny: [] };
  const env = { NESTOR_ROOT_KEY: 'from-the-environment' };
  assert.deepEqual(load(env).keys, [added]);
  assert.deepEqual(load(env, 'keys: [{ key: from-the-config-file }]').keys, [
    { ...added, key: 'from-the-config-file' },
    added,
  ]);
  const listed = load(env, 'keys: [{ key: "${NESTOR_ROOT_KEY}", account: other }]').keys;
  assert.deepEqual(listed, [{ ...added, account: 'other' }]);
  assert.equal(
    messageOf({ NESTOR_ROOT_KEY: 'short' }),
    'NESTOR_ROOT_KEY: keys[0].key is hidden (5 characters); allowed: a string of 16 to 256 printable ASCII characters without spaces (quote a number)',
  );
});

test('the file refers to variables with and without defaults, also inside flow mappings', () => {
  const text = [
    'port: ${PORT}',
    'detect: ${DETECT:-false}',
    'agent: { roles: { main: ${MODEL:-a/b, [c]} } }'.replace(', [c]', ''),
    'keys: [{ key: ${KEY}, account: "pre-${KEY:-x}-post" }]',
    'outbound: { user_agent: ${AGENT:-Nestor, {the} first}'.replace('{the}', '[the]') + ' }',
    'cors: { origins: ${ORIGINS} }',
    'rate_limits: { tables: { chat: ${CHAT} } }',
    'data: "$${LITERAL}"  # ${IGNORED}',
  ].join('\n');
  const config = load(
    {
      PORT: '81',
      KEY: '1234567890123456',
      AGENT: '',
      ORIGINS: 'https://a.example,https://b.example',
      CHAT: '5',
    },
    text,
  );
  assert.equal(config.port, 81);
  assert.equal(config.detect, false);
  assert.equal(config.agent.roles.main, 'a/b');
  assert.equal(config.keys[0]?.key, '1234567890123456');
  assert.equal(config.keys[0]?.account, 'pre-1234567890123456-post');
  assert.equal(config.outbound.userAgent, 'Nestor, [the] first');
  assert.deepEqual(config.cors.origins, ['https://a.example', 'https://b.example']);
  assert.deepEqual(config.rateLimits.tables['chat'], [5, 5, 5, 5, 5, 5]);
  assert.equal(config.data, '${LITERAL}');
});

test('a variable that is not set and has no default is an error with key and variable', () => {
  assert.equal(
    messageOf({}, 'keys: [{ key: ${MY_KEY} }]'),
    'c.yaml: keys[0].key needs the variable MY_KEY, which is not set; allowed: set it, or write ${MY_KEY:-default}',
  );
  assert.equal(
    messageOf({ P: 'x' }, 'port: ${P}'),
    'c.yaml: port is "${P}"; allowed: an integer from 0 to 65535',
  );
  assert.equal(load({ NESTOR_PORT: '5' }, 'port: ${UNSET}').port, 5);
});
