import assert from 'node:assert/strict';
import { Value } from 'typebox/value';
import type { TSchema } from 'typebox';
import { dialects, type Surface } from '../../src/kernel/http/error-dialects.ts';
import { errorSchemas } from '../../src/kernel/http/openapi.ts';
import type { Operation } from '../../src/kernel/http/operation.ts';
import type { Received } from './http.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The same schema with every declared object closed: a field too many is as wrong as one too few. */
export function closed(schema: TSchema): TSchema {
  return close(schema) as TSchema;
}

function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema)) copy[name] = close(value);
  for (const mark of Object.getOwnPropertyNames(schema)) {
    if (mark.startsWith('~')) Object.defineProperty(copy, mark, { value: Reflect.get(schema, mark) });
  }
  if (copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy)) {
    copy['additionalProperties'] = false;
  }
  return copy;
}

const strictErrors = Object.fromEntries(
  Object.entries(errorSchemas).map(([shape, schema]) => [shape, closed(schema)]),
);

export function assertMatches(schema: TSchema, value: unknown, about: string): void {
  if (Value.Check(schema, value)) return;
  const errors = Value.Errors(schema, value).slice(0, 3);
  assert.fail(`${about}: ${JSON.stringify(errors)} in ${JSON.stringify(value)?.slice(0, 400)}`);
}

/** What holds for every response whatever it says. Contract 2.3, 2.4, 5.3. */
export function assertEnvelope(received: Received, surface: Surface, about: string): void {
  const { headers, status, text } = received;
  assert.match(String(headers['x-request-id']), uuid, `${about}: x-request-id`);
  if (surface === 'systemone') assert.equal(headers['x-typesafe-request-id'], headers['x-request-id'], about);
  const hasBody = status !== 204;
  assert.equal(headers['content-type'], hasBody ? 'application/json; charset=utf-8' : undefined, about);
  assert.equal(
    headers['content-length'],
    hasBody ? String(Buffer.byteLength(text)) : undefined,
    `${about}: length`,
  );
  assert.equal(headers['x-should-retry'], [400, 409, 415, 422].includes(status) ? 'false' : undefined, about);
  assert.equal(headers['www-authenticate'], status === 401 ? 'Bearer' : undefined, about);
  assertRateHeaders(received, about);
}

function assertRateHeaders({ headers, status, text }: Received, about: string): void {
  const names = ['limit', 'remaining', 'used', 'reset'].map((name) => `x-ratelimit-${name}`);
  const values = names.map((name) => headers[name]);
  // A 404 of an object came after its bucket was charged; one of a path never met a bucket.
  const isObject = status === 404 && !text.includes('"message":"Not found"');
  if ([401, 403, 404, 405].includes(status) && !isObject) {
    assert.deepEqual(values, [undefined, undefined, undefined, undefined], `${about}: no bucket was chosen`);
    return;
  }
  if (values.every((value) => value === undefined)) return;
  for (const value of values) assert.match(String(value), /^\d+$/, about);
  const [limit = 0, remaining = 0, used = 0] = values.map(Number);
  assert.equal(used + remaining, limit, about);
}

/** An error in the words and the shape of its surface, with every header that belongs to it. */
export function assertError(received: Received, surface: Surface, status: number, about: string): void {
  assert.equal(received.status, status, `${about}: ${received.text.slice(0, 300)}`);
  assertEnvelope(received, surface, about);
  const { shape } = dialects[surface];
  const body: unknown = JSON.parse(received.text);
  assertMatches(strictErrors[shape] as TSchema, body, about);
}

const vendorWords: Partial<Record<Surface, Readonly<Record<number, string>>>> = {
  anthropic: {
    404: 'not_found_error',
    405: 'invalid_request_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
  },
  openai: { 405: 'invalid_request_error', 429: 'requests' },
};

/** `error.type` on a surface of another vendor, where it is not the usual one. */
export function wordOf(surface: Surface, status: number, usual: string): string {
  return vendorWords[surface]?.[status] ?? usual;
}

/** A success that is what its operation declares, and nothing more. */
export function assertSuccess(received: Received, operation: Operation<never>, about: string): void {
  const schema = operation.responses[received.status];
  assert.ok(
    schema !== undefined,
    `${about}: ${received.status} is not declared: ${received.text.slice(0, 300)}`,
  );
  assertEnvelope(received, operation.surface, about);
  if (received.status === 204) assert.equal(received.text, '', about);
  else assertMatches(schema, JSON.parse(received.text), about);
}

/** The shape of a value: names and kinds, without what may differ between two calls. */
export function keysOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(keysOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, keysOf(item)]));
}
