import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { toClosedSchema } from './closed-schema.ts';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

test('objects are closed at every depth', () => {
  const inner = object({ b: { type: 'string' } });
  const schema = object({ a: { type: 'array', items: inner }, c: { oneOf: [inner, { type: 'null' }] } });
  const closed = { ...inner, additionalProperties: false };
  assert.deepEqual(toClosedSchema(schema), {
    type: 'object',
    additionalProperties: false,
    properties: { a: { type: 'array', items: closed }, c: { anyOf: [closed, { type: 'null' }] } },
  });
});

test('rules that are not enforced stand in the description', () => {
  const schema = object({
    age: { type: 'integer', description: 'Years.', minimum: 0, maximum: 150 },
    mail: { type: 'string', format: 'email' },
    code: { type: 'string', format: 'iban', pattern: '^CH' },
  });
  const { properties } = toClosedSchema(schema) ?? {};
  assert.deepEqual(properties, {
    age: { type: 'integer', description: 'Years.\nminimum: 0; maximum: 150' },
    mail: { type: 'string', format: 'email' },
    code: { type: 'string', description: 'pattern: "^CH"; format: iban' },
  });
});

test('definitions are closed, and references to them stay', () => {
  const schema = object({ a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' } }, { $defs: { A: object({}) } });
  assert.deepEqual(toClosedSchema(schema)?.['$defs'], {
    A: { type: 'object', properties: {}, additionalProperties: false },
  });
});

test('what the wire refuses gives null', () => {
  const names = Array.from({ length: 25 }, (_, at) => `p${at}`);
  const many = object(Object.fromEntries(names.map((name) => [name, { type: 'string' }] as const)));
  const refused: Readonly<Record<string, JsonObject>> = {
    'no object': { type: 'array', items: { type: 'string' } },
    open: object({}, { additionalProperties: true }),
    'open inside': object({ a: { type: 'object' } }),
    map: object({ a: { type: 'object', additionalProperties: { type: 'string' } } }),
    pattern: object({}, { patternProperties: { '^a': {} } }),
    anything: object({ a: true }),
    recursive: object({ a: { $ref: '#' } }),
    'recursive inside': object(
      { a: { $ref: '#/$defs/N' } },
      { $defs: { N: object({ n: { $ref: '#/$defs/N' } }) } },
    ),
    'many optional': many,
  };
  for (const [about, schema] of Object.entries(refused)) assert.equal(toClosedSchema(schema), null, about);
  assert.notEqual(toClosedSchema({ ...many, required: names }), null);
});

test('properties that are called like words of a schema are properties', () => {
  const schema = object({
    $ref: { type: 'string' },
    properties: { type: 'string' },
    type: { type: 'string' },
  });
  assert.deepEqual(toClosedSchema(schema), { ...schema, additionalProperties: false });
});
