import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPackageFailure } from './failure.ts';
import { PartError } from './response.ts';

const now = 1_763_650_000_000;
const secret = 'words of the service';

function apiError(fields: Readonly<Record<string, unknown>>): Error {
  const error = new Error(secret);
  return Object.assign(error, {
    name: 'AI_APICallError',
    responseBody: JSON.stringify({ message: secret }),
    ...fields,
  });
}

function codeOf(thrown: unknown, received = false): string {
  const { fault } = toPackageFailure(thrown, received, now);
  for (let at: unknown = fault; at instanceof Error; at = at.cause) assert.ok(!at.message.includes(secret));
  return fault.code;
}

test('a status decides, as it does for every other backend', () => {
  const codes = {
    400: 'invalid_value',
    401: 'bad_gateway',
    404: 'bad_gateway',
    422: 'invalid_value',
    429: 'service_unavailable',
    500: 'bad_gateway',
    503: 'service_unavailable',
    529: 'service_unavailable',
    200: 'bad_gateway',
  };
  for (const [status, code] of Object.entries(codes)) {
    assert.equal(codeOf(apiError({ statusCode: Number(status) })), code, status);
  }
  const long = JSON.stringify({ message: 'This model’s maximum context length is 32768 tokens.' });
  assert.equal(codeOf(apiError({ statusCode: 400, responseBody: long })), 'context_length_exceeded');
});

test('passes on the wait that the service asks for', () => {
  const busy = apiError({ statusCode: 429, responseHeaders: { 'Retry-After': '9' } });
  const { fault, retry } = toPackageFailure(busy, false, now);
  assert.deepEqual([fault.retryAfterMs, fault.away, retry], [9_000, false, { afterMs: 9_000 }]);
});

test('without a status nothing answered', () => {
  for (const thrown of [apiError({ isRetryable: true }), new TypeError('fetch failed')]) {
    const { fault, retry } = toPackageFailure(thrown, false, now);
    assert.deepEqual([fault.code, fault.away], ['service_unavailable', true]);
    assert.notEqual(retry, 'done');
  }
});

test('after some output no failure asks to come back later', () => {
  for (const thrown of [
    new TypeError('terminated'),
    apiError({ statusCode: 503 }),
    new PartError(apiError({ statusCode: 429 })),
  ]) {
    assert.equal(codeOf(thrown, true), 'bad_gateway');
  }
});

test('what the package does not take is the fault of the request', () => {
  for (const name of [
    'AI_UnsupportedFunctionalityError',
    'AI_InvalidPromptError',
    'AI_InvalidArgumentError',
  ]) {
    const { fault, retry } = toPackageFailure(Object.assign(new Error(secret), { name }), false, now);
    assert.deepEqual([fault.code, fault.away, retry], ['invalid_value', false, 'done']);
  }
});

test('anything else is an unusable answer, and its words stay where they are', () => {
  const named = Object.assign(new Error(secret), { name: secret });
  for (const thrown of [named, new PartError({ message: secret }), new PartError(secret), undefined, null]) {
    assert.equal(codeOf(thrown), 'bad_gateway');
  }
});
