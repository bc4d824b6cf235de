import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Operation } from '../../src/kernel/http/operation.ts';
import { operations } from '../support/operations.ts';
import { scriptedEngine } from '../support/engines.ts';
import { createClient, jsonOf } from '../support/http.ts';
import { startServer } from '../support/server.ts';
import { settings } from '../support/settings.ts';
import { pricedParts } from '../../src/features/models/known-names.ts';
import { definitions } from '../../src/features/tools/index.ts';
import { accountKeys, limitNames } from '../../src/features/accounts/config.ts';

/** The published description says what the operations say, in standard terms. */

const server = await startServer({ after }, { decisions: scriptedEngine() });
const send = createClient(server.url);
after(() => {
  send.close();
});

const list: readonly Operation<never>[] = operations(settings);

suite('/openapi.json', () => {
  interface Described {
    readonly openapi: string;
    readonly info: { readonly version: string; readonly title: string };
    readonly servers: readonly { readonly url: string }[];
    readonly paths: Record<string, Record<string, DescribedOperation>>;
    readonly components: { readonly schemas: object; readonly securitySchemes: object };
    readonly tags: readonly { readonly name: string }[];
  }
  interface DescribedOperation {
    readonly operationId: string;
    readonly tags: readonly string[];
    readonly security: readonly Record<string, unknown>[];
    readonly requestBody?: { readonly content: Record<string, { schema: unknown }> };
    readonly responses: Record<string, { readonly description: string; readonly content: object }>;
    readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  }
  const describe = async () => jsonOf<Described>(await send({ path: '/openapi.json' }));

  test('lists every operation and path with its method, and nothing else', async () => {
    const { paths } = await describe();
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const declared = list.flatMap(({ method, paths: all }) => all.map((path) => `${method} ${path}`));
    assert.deepEqual(described.sort(), declared.sort());
  });

  test('is a valid OpenAPI 3.1 document', async () => {
    const document = await describe();
    assert.match(document.openapi, /^3\.1\.\d+$/);
    assert.match(document.info.version, /^\d+\.\d+\.\d+/);
    assert.equal(document.servers[0]?.url, server.url);
    const ids = new Set<string>();
    const tagNames = new Set(document.tags.map(({ name }) => name));
    for (const [path, item] of Object.entries(document.paths)) {
      assert.ok(path.startsWith('/'));
      for (const [method, described] of Object.entries(item)) {
        assert.ok(['get', 'put', 'post', 'delete'].includes(method));
        assert.ok(!ids.has(described.operationId), described.operationId);
        ids.add(described.operationId);
        assert.ok(described.tags.every((tag) => tagNames.has(tag)));
        for (const requirement of described.security)
          for (const name of Object.keys(requirement)) assert.ok(name in document.components.securitySchemes);
        assert.ok(Object.keys(described.responses).every((status) => /^(?:[1-5]\d\d|default)$/.test(status)));
        for (const response of Object.values(described.responses)) assert.ok(response.description !== '');
        const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
        const declared = list.find(
          ({ paths, method: own }) => paths.includes(path) && own.toLowerCase() === method,
        );
        const query: { readonly properties?: object } = declared?.query ?? {};
        assert.deepEqual(
          (described.parameters ?? []).map((parameter) => [parameter.in, parameter.name]),
          [
            ...names.map((name) => ['path', name]),
            ...Object.keys(query.properties ?? {}).map((name) => ['query', name]),
          ],
        );
        assert.equal(described.requestBody !== undefined, declared?.body !== undefined);
        assert.equal(described.security.length > 0, declared?.credentials !== 'none');
      }
    }
  });

  test('resolves every reference and shows no keyword of ours', async () => {
    const document = await describe();
    const known = new Set(
      'type const enum anyOf oneOf allOf not items prefixItems properties required additionalProperties propertyNames patternProperties minProperties maxProperties minItems maxItems uniqueItems minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf title description default examples $ref deprecated readOnly writeOnly'.split(
        ' ',
      ),
    );
    const types = new Set<unknown>('null boolean object array number integer string'.split(' '));
    const visitSchema = (schema: unknown, at: string): void => {
      if (typeof schema === 'boolean') return;
      assert.ok(typeof schema === 'object' && schema !== null && !Array.isArray(schema), at);
      for (const [keyword, value] of Object.entries(schema)) {
        assert.ok(known.has(keyword), `${at}: keyword ${keyword}`);
        if (keyword === 'type')
          for (const type of [value].flat()) assert.ok(types.has(type), `${at}: ${type}`);
        if (keyword === '$ref') assert.ok(resolve(document, String(value)) !== undefined, `${at}: ${value}`);
        if (['properties', 'patternProperties'].includes(keyword))
          for (const [name, inner] of Object.entries(value as object)) visitSchema(inner, `${at}.${name}`);
        if (['items', 'additionalProperties', 'propertyNames', 'not'].includes(keyword))
          visitSchema(value, `${at}.${keyword}`);
        if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword)) {
          assert.ok(Array.isArray(value) && value.length > 0, at);
          for (const inner of value) visitSchema(inner, `${at}.${keyword}`);
        }
      }
    };
    const visit = (value: unknown, at: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, inner] of Object.entries(value)) {
        assert.ok(!name.startsWith('~') && !['errorMessage', 'errorCode'].includes(name), `${at}.${name}`);
        if (name === 'schema') visitSchema(inner, at);
        visit(inner, `${at}.${name}`);
      }
    };
    visit(document.paths, 'paths');
    for (const [name, schema] of Object.entries(document.components.schemas)) visitSchema(schema, name);
  });

  test('servers tell the address that the caller used, and nothing that is no host name', async () => {
    const asked = await send({ path: '/openapi.json', headers: { host: 'api.example:8080' } });
    assert.equal(jsonOf<Described>(asked).servers[0]?.url, 'http://api.example:8080');
    const hostile = await send({ path: '/openapi.json', headers: { host: 'a"b<script>/' } });
    assert.equal(jsonOf<Described>(hostile).servers[0]?.url, server.url);
  });
});

function resolve(document: unknown, ref: string): unknown {
  let value = document;
  for (const step of ref.replace(/^#\//, '').split('/')) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  }
  return value;
}

test('every group of operations that takes a key can be denied to a key, and no other', () => {
  const keyed = operations({ ...settings, admin: true }).filter(
    ({ credentials }) => credentials !== 'none' && credentials !== 'admin',
  );
  const { enum: deniable } = accountKeys.keys.items.properties.deny.items as unknown as {
    readonly enum: readonly string[];
  };
  assert.deepEqual(new Set(deniable), new Set(keyed.map(({ group }) => group)));
});

test('every bucket that an operation takes from is a limit with a table, and no other', () => {
  const named = operations(settings).flatMap(({ buckets, bodyBuckets }) =>
    [...buckets, ...(bodyBuckets?.buckets ?? [])].map(({ name }) => name),
  );
  assert.deepEqual(new Set(limitNames(settings.family)), new Set(named));
});

/** Asked for while a request runs. */
const units = ['decisions', ...definitions.flatMap(({ price }) => price?.name ?? [])];

test('every price that is asked for can be set without a warning, and no other', () => {
  const asked = new Map(units.map((unit) => [unit, new Set(['input'])]));
  const priceOf = (item: string, part: string): undefined => {
    asked.set(item, (asked.get(item) ?? new Set()).add(part));
  };
  operations({ ...settings, priceOf });
  const parts = [...pricedParts(settings.family)].map(([item, of]) => [item, new Set(of)] as const);
  assert.deepEqual(new Map(parts), asked);
});
