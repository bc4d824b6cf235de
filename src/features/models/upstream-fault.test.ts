import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Json } from '../../kernel/kit/json.ts';
import { OutboundBroken } from '../../kernel/kit/outbound.ts';
import type { OutboundFailure } from '../../kernel/kit/outbound-request.ts';
import { isContextOverflow, toBrokenFault, toFault, toStreamFault } from './upstream-fault.ts';

const failed = (
  failure: OutboundFailure,
  status: number | null = null,
  body: Json | null = null,
  wait?: string,
) =>
  toFault(
    {
      ok: false,
      failure,
      status,
      headers: wait === undefined ? {} : { 'retry-after': wait },
      body,
      cause: new Error('x'),
    },
    0,
  );

suite('faults of model backends', () => {
  test('what did not answer is unavailable or late', () => {
    assert.equal(failed('connect').code, 'service_unavailable');
    assert.equal(failed('timeout').code, 'gateway_timeout');
    assert.equal(failed('timeout', 200).code, 'gateway_timeout');
    for (const failure of ['cut', 'too_large', 'not_json'] as const) {
      assert.equal(failed(failure, 200).code, 'bad_gateway');
    }
  });

  test('a busy backend has a wait, at least a second', () => {
    for (const status of [429, 503, 529]) {
      assert.equal(failed('status', status, null, '12').code, 'service_unavailable');
      assert.equal(failed('status', status, null, '12').retryAfterMs, 12_000);
      assert.equal(failed('status', status, null, '0').retryAfterMs, 1_000);
    }
  });

  test('a request that is refused is the caller’s, a key and a bill the operator’s', () => {
    for (const status of [400, 413, 422]) assert.equal(failed('status', status).code, 'invalid_value');
    for (const status of [301, 401, 402, 403, 404, 500, 502, 504]) {
      assert.equal(failed('status', status).code, 'bad_gateway', String(status));
    }
  });

  test('only what says that the server is away says so', () => {
    for (const failure of ['connect', 'timeout'] as const) assert.ok(failed(failure).away, failure);
    for (const failure of ['cut', 'too_large', 'not_json'] as const)
      assert.ok(!failed(failure, 200).away, failure);
    for (const status of [502, 503, 504, 529]) assert.ok(failed('status', status).away, String(status));
    for (const status of [301, 400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 501])
      assert.ok(!failed('status', status).away, String(status));
    assert.ok(toStreamFault({ message: 'x' }, 529).away);
    assert.ok(!toStreamFault({ message: 'x' }, 429).away);
    assert.ok(!toStreamFault({ message: 'x' }, null).away);
  });

  test('a prompt that is too long is recognized in the words of many servers', () => {
    const bodies: Json[] = [
      {
        error: {
          message: 'x',
          type: 'invalid_request_error',
          param: 'messages',
          code: 'context_length_exceeded',
        },
      },
      {
        object: 'error',
        message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        type: 'BadRequestError',
        param: null,
        code: 400,
      },
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size (4096 tokens), try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 5_000,
          n_ctx: 4_096,
        },
      },
      {
        error: {
          message: "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
        },
      },
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 5000 tokens > 4096' },
      },
      [
        {
          error: {
            code: 400,
            message: 'The input token count exceeds the maximum context length',
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
      { error: 'input length exceeds the context length' },
    ];
    for (const body of bodies) {
      assert.ok(isContextOverflow(body), JSON.stringify(body));
      assert.equal(failed('status', 400, body).code, 'context_length_exceeded');
      assert.equal(toStreamFault(body, null).code, 'context_length_exceeded');
    }
    for (const body of [null, {}, 'x', { error: { message: 'bad tool' } }, []])
      assert.ok(!isContextOverflow(body));
    assert.equal(failed('status', 500, bodies[0] ?? null).code, 'bad_gateway');
  });

  test('an error inside a stream, and a stream that breaks off', () => {
    assert.equal(toStreamFault({ message: 'x' }, null).code, 'bad_gateway');
    assert.equal(toStreamFault({ message: 'x' }, 502).code, 'bad_gateway');
    assert.equal(toStreamFault({ message: 'x' }, 429).code, 'service_unavailable');
    for (const begun of [false, true]) {
      const late = toBrokenFault(new OutboundBroken('timeout', null), begun);
      assert.deepEqual([late.code, late.away], ['gateway_timeout', !begun]);
      const cut = toBrokenFault(new OutboundBroken('cut', null), begun);
      assert.deepEqual([cut.code, cut.away], ['bad_gateway', false]);
    }
  });
});
