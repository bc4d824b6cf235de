import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/schema';
import { Value } from 'typebox/value';
import { parse } from 'yaml';
import { configuration } from '../../configuration.ts';
import { load, messageOf, sample, sampleEnv, settingsOf } from './config.fixture.ts';

test('a described configuration reads back as the same one', () => {
  const text = `
    family: acme
    outbound: { user_agent: "$\${NOT_A_VARIABLE}", allow_hosts: [gpu-1, "10.0.0.1:80"] }
    providers: [{ name: a, type: ai-sdk, package: "@ai-sdk/x", models: [m] }]
    rate_limits: { tables: { chat: 7 } }
    decisions: { order: { passes: n }, engine: logprobs, upstreams: [{ url: http://gpu-1, model: m }] }
  `;
  const config = load(text);
  assert.equal(config.outbound.userAgent, '${NOT_A_VARIABLE}');
  assert.deepEqual(settingsOf(load(configuration.describe(config))), settingsOf(config));
});

test("what is accepted satisfies TypeBox's validator of the same schema", () => {
  for (const text of [sample, '', 'prices: { a: 1, b: { c: 2 } }']) {
    const described: unknown = parse(configuration.describe(load(text, sampleEnv)));
    // What is left of a hidden key is shorter than a key may be.
    const errors = Value.Errors(configuration.schema, described).filter(
      ({ instancePath }) => !instancePath.endsWith('/key'),
    );
    assert.deepEqual(errors, []);
  }
});

test('no error and no description holds a secret', () => {
  const secret = 'S3cr3t-S3cr3t-S3cr3t';
  const broken = [
    `keys: ${secret}`,
    `keys: [${secret}]`,
    `keys: [{ key: "${secret} " }]`,
    `keys: [{ key: ${secret} }, { key: ${secret} }]`,
    `admin_key: "${secret}é"`,
    `admin_key: [${secret}]`,
    `providers: [${secret}]`,
    `providers: [{ name: a, type: openai-compatible, base_url: "ftp://u:${secret}@h" }]`,
    `providers: [{ name: a, type: anthropic, key: "${secret} x" }]`,
    `providers: [{ name: a, type: anthropic, headers: { x: [${secret}] } }]`,
    `search: { engines: [{ type: brave, key: "${secret}\\n" }] }`,
    `database: "mysql://u:${secret}@h"`,
    `redis: "http://u:${secret}@h"`,
    `host: "\${TOKEN}/"`,
    `port: "\${MISSING:-${secret}}"`,
    `keys: [{ key: ${secret}`,
  ];
  for (const text of broken) assert.ok(!messageOf(text, { TOKEN: secret }).includes('S3cr3t'), text);
  assert.ok(!messageOf('', { NESTOR_ROOT_KEY: `${secret} ` }).includes('S3cr3t'));
  assert.ok(!messageOf('', { NESTOR_DATABASE_URL: `my://${secret}` }).includes('S3cr3t'));

  const described: unknown = parse(
    configuration.describe(
      load(`
        database: postgres://nestor:${secret}@db/nestor?sslpassword=${secret}&x=1
        redis: redis://:${secret}/x@cache:6379
        admin_key: short-secret-0123
        keys: [{ key: ${secret}-1234 }]
        providers:
          - { name: a, type: openai-compatible, base_url: "http://u:${secret}@h:8080/@v1", key: ${secret}, headers: { x: ${secret} } }
      `),
    ),
  );
  assert.ok(!JSON.stringify(described).includes('S3cr3t-'));
  assert.equal(
    Value.Pointer.Get(described, '/database'),
    'postgres://nestor:****@db/nestor?sslpassword=****&x=1',
  );
  assert.equal(Value.Pointer.Get(described, '/redis'), 'redis://:****@cache:6379');
  assert.equal(Value.Pointer.Get(described, '/admin_key'), '****0123');
  assert.deepEqual(Value.Pointer.Get(described, '/keys/0/key'), '****1234');
  assert.deepEqual(Value.Pointer.Get(described, '/providers/0/base_url'), 'http://u:****@h:8080/@v1');
});

test('the JSON Schema takes the file of the design, and every property has a description', () => {
  const schema = configuration.jsonSchema();
  const validator = Compile(schema);
  assert.ok(validator.Check(parse(sample.replaceAll(/\$\{\w+\}/g, '"$&"'))));
  assert.ok(
    validator.Check({ port: '${PORT}', models: { svc: 'auto' }, decisions: { order: { passes: 'n' } } }),
  );
  for (const wrong of [
    { port: 'x' },
    { prot: 1 },
    { log: { level: 'x' } },
    { keys: [{}] },
    { models: { svc: 1 } },
  ]) {
    assert.ok(!validator.Check(wrong), JSON.stringify(wrong));
  }
  assert.equal(Reflect.get(schema, '$schema'), 'https://json-schema.org/draft/2020-12/schema');
  assert.equal(Reflect.get(schema, '$id'), 'urn:nestor:configuration');
  assert.deepEqual(JSON.parse(JSON.stringify(schema)), schema);
  assert.doesNotMatch(JSON.stringify(schema), /"(~\w+|allowed|secret|check|short|isEngine)":/);
  let properties = 0;
  const pending: unknown[] = [schema];
  for (const value of pending) {
    if (typeof value !== 'object' || value === null) continue;
    pending.push(...Object.values(value));
    const named: unknown = Reflect.get(value, 'properties');
    if (typeof named !== 'object' || named === null) continue;
    for (const [name, property] of Object.entries(named)) {
      assert.match(String(Reflect.get(Object(property), 'description')), /\w.*\.$/, name);
      properties += 1;
    }
  }
  assert.ok(properties > 80);
});
