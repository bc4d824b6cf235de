import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Value } from 'typebox/value';
import { Fault, faultTable, type FaultCode } from '../faults.ts';
import { dialects, isFinal, toErrorBody, type Surface } from './error-dialects.ts';
import { errorSchemas } from './openapi.ts';

const id = '5f9c8a3e-0f0e-4c8e-9b7a-0d6d5c1f2a34';
const surfaces = Object.keys(dialects) as Surface[];
const codes = Object.keys(faultTable) as FaultCode[];
const details = [
  { loc: ['query', 'limit'], msg: 'Input should be less than or equal to 100', type: 'less_than_equal' },
];

interface Told {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: unknown;
    readonly param: unknown;
  };
}
const errorOf = (surface: Surface, fault: Fault) => (toErrorBody(surface, fault, id) as Told).error;

suite('shapes of contract 3.1', () => {
  test('E: decisions carry null codes but for 401', () => {
    const fault = new Fault('invalid_question', 'm', { param: 'questions.q' });
    assert.deepEqual(toErrorBody('decisions', fault, id), {
      error: { message: 'm', type: 'invalid_request', code: null, param: 'questions.q' },
    });
    assert.equal(errorOf('decisions', new Fault('invalid_api_key')).code, 401);
    for (const code of codes.filter((one) => faultTable[one].status !== 401)) {
      assert.equal(errorOf('decisions', new Fault(code)).code, null, code);
    }
  });

  test('S: System One carries the status and a detail with the same message', () => {
    assert.deepEqual(toErrorBody('systemone', new Fault('gateway_timeout', 'late'), id), {
      error: { message: 'late', type: 'gateway_timeout', code: 504, param: null },
      detail: { message: 'late', error_type: 'timeout' },
    });
    const types: Partial<Record<FaultCode, string>> = {
      invalid_api_key: 'authentication_error',
      gateway_timeout: 'timeout',
      body_too_large: 'tokens_exceeded',
      context_length_exceeded: 'tokens_exceeded',
    };
    for (const code of codes) {
      const { detail } = toErrorBody('systemone', new Fault(code), id) as { detail: { error_type: string } };
      assert.equal(detail.error_type, types[code] ?? 'unknown', code);
    }
  });

  test('V: 422 has the list beside the error, every other status only the error', () => {
    const fault = new Fault('validation_failed', 'limit: too large', { param: 'limit', details });
    for (const surface of ['jobs', 'search', 'embeddings'] as const) {
      assert.deepEqual(toErrorBody(surface, fault, id), {
        detail: details,
        error: { message: 'limit: too large', type: 'validation_error', code: 422, param: 'limit' },
      });
      assert.deepEqual(Object.keys(toErrorBody(surface, new Fault('not_found'), id)), ['error']);
    }
  });

  test('M: router messages name the request and have words of their own', () => {
    assert.deepEqual(toErrorBody('messages', new Fault('rate_limited'), id), {
      type: 'error',
      error: { message: faultTable.rate_limited.message, type: 'overloaded_error', code: 429, param: null },
      request_id: id,
    });
    const expected: Partial<Record<FaultCode, [string, unknown]>> = {
      invalid_json: ['invalid_request_error', null],
      unknown_field: ['invalid_request_error', null],
      invalid_api_key: ['invalid_api_key', 401],
      body_too_large: ['invalid_request_error', null],
      internal: ['api_error', 500],
      bad_gateway: ['api_error', 502],
      gateway_timeout: ['api_error', 504],
    };
    for (const [code, told] of Object.entries(expected)) {
      const { type, code: number } = errorOf('messages', new Fault(code as FaultCode));
      assert.deepEqual([type, number], told, code);
    }
  });

  test('A: the body that Anthropic publishes, which names the field in the message', () => {
    assert.deepEqual(toErrorBody('anthropic', new Fault('invalid_value', 'm', { param: 'messages.0' }), id), {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'messages.0: m' },
      request_id: id,
    });
    const expected: Partial<Record<FaultCode, string>> = {
      invalid_api_key: 'authentication_error',
      permission_denied: 'permission_error',
      not_found: 'not_found_error',
      body_too_large: 'request_too_large',
      rate_limited: 'rate_limit_error',
      internal: 'api_error',
      bad_gateway: 'api_error',
      gateway_timeout: 'timeout_error',
      model_overloaded: 'overloaded_error',
    };
    for (const [code, type] of Object.entries(expected))
      assert.equal(errorOf('anthropic', new Fault(code as FaultCode)).type, type, code);
    assert.equal(faultTable.model_overloaded.status, 529);
    const { error } = toErrorBody('anthropic', new Fault('thread_unsupported'), id) as { error: object };
    assert.deepEqual(Object.entries(error).at(-1), [
      'details',
      { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    ]);
  });

  test('agent: codes are words, param is always text', () => {
    const expected: Partial<Record<FaultCode, unknown>> = {
      invalid_api_key: 401,
      body_too_large: 'payload_too_large',
      storage_quota_exceeded: 'storage_quota_exceeded',
      invalid_json: 'invalid_json',
      unknown_field: 'unknown_field',
      missing_field: 'missing_field',
      invalid_value: 'invalid_value',
    };
    for (const [code, word] of Object.entries(expected)) {
      const error = errorOf('agent', new Fault(code as FaultCode));
      assert.deepEqual([error.code, error.param], [word, ''], code);
    }
    assert.equal(
      errorOf('agent', new Fault('invalid_value', 'm', { param: 'max_steps' })).param,
      'max_steps',
    );
  });
});

suite('every surface and every fault', () => {
  test('a full account is told in one word where something is stored', () => {
    for (const surface of ['agent', 'chat', 'skills'] as const)
      assert.equal(errorOf(surface, new Fault('storage_quota_exceeded')).type, 'storage_quota_exceeded');
  });

  test('fit the published schema of the shape', () => {
    for (const surface of surfaces) {
      for (const code of codes) {
        const body = toErrorBody(surface, new Fault(code, undefined, { details }), id);
        assert.ok(Value.Check(errorSchemas[dialects[surface].shape], body), `${surface} ${code}`);
        assert.ok(Object.values(body).every((value) => value !== undefined));
      }
    }
  });

  test('tell 401 alike: type invalid_api_key, code the integer 401, the fixed message', () => {
    for (const surface of surfaces.filter((one) => one !== 'anthropic')) {
      const { message, type, code } = errorOf(surface, new Fault('invalid_api_key'));
      const told =
        surface === 'openai' ? ['invalid_request_error', 'invalid_api_key'] : ['invalid_api_key', 401];
      assert.deepEqual([message, type, code], ['Invalid API key provided.', ...told], surface);
    }
  });

  test('tell integers where stock clients parse integers', () => {
    for (const surface of [
      'systemone',
      'chat',
      'jobs',
      'search',
      'embeddings',
      'skills',
      'plain',
      'router',
    ] as const) {
      for (const code of codes)
        assert.equal(errorOf(surface, new Fault(code)).code, faultTable[code].status, `${surface} ${code}`);
    }
  });

  test('never tell the cause', () => {
    const cause = new Error('password=hunter2');
    for (const surface of surfaces) {
      const body = JSON.stringify(toErrorBody(surface, new Fault('internal', undefined, { cause }), id));
      assert.ok(!body.includes('hunter2'));
      assert.ok(body.includes('Internal server error'));
    }
  });

  test('decisions tell a malformed request from a broken rule', () => {
    for (const surface of ['decisions', 'systemone'] as const) {
      for (const code of [
        'invalid_json',
        'invalid_body',
        'unknown_field',
        'missing_field',
        'invalid_value',
        'invalid_model',
      ] as const) {
        assert.equal(errorOf(surface, new Fault(code)).type, 'invalid_request_error', code);
      }
      for (const code of [
        'invalid_question',
        'invalid_image',
        'images_unsupported',
        'context_length_exceeded',
      ] as const) {
        assert.equal(errorOf(surface, new Fault(code)).type, 'invalid_request', code);
      }
    }
  });

  test('only 400, 409, 415, 422 and what says so of itself are final', () => {
    for (const code of codes) {
      const expected =
        [400, 409, 415, 422].includes(faultTable[code].status) || code === 'structured_output_failed';
      assert.equal(isFinal(new Fault(code)), expected, code);
      assert.equal(isFinal(new Fault(code, undefined, { final: true })), true, code);
    }
  });
});
