import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { openDecisions } from '../support/decisions.ts';
import { ask, exampleBodies, model, openAiBody, state } from '../support/examples.ts';
import { jsonOf, type ErrorObject } from '../support/http.ts';
import { dataUrl, png } from '../support/images.ts';
import { assertError } from '../support/strict.ts';

/** Contract 6.8 and 6.9: the two other shapes of the same decision. */

const { bearer, post, refusalOf, send } = await openDecisions({ after });

const noul = { type: 'noul', instructions: 'x' };

suite('differences of contract 6.9', () => {
  const body = exampleBodies['createSystemOne'];

  test('provider, session_id, trace and user are accepted with any value and have no effect', async () => {
    const plain = await post('/v1/systemone', body);
    for (const value of ['x', null, 1, { a: [1] }, [], false]) {
      const extra = { ...body, provider: value, session_id: value, trace: value, user: value };
      const received = await post('/v1/systemone', extra);
      assert.equal(received.status, 200, received.text);
      assert.equal(received.text, plain.text);
      const { message } = await refusalOf('/v1/decisions', extra);
      assert.match(message, /^Unknown field "provider"/);
    }
    assert.equal(plain.text, (await post('/v1/decisions', body)).text, 'same engine, same body');
  });

  test('errors carry detail with the same message and the documented error_type', async () => {
    const types: readonly (readonly [number, string, unknown, Record<string, string>])[] = [
      [400, 'unknown', '{', bearer],
      [400, 'unknown', ask({ type: 'noul' }), bearer],
      [400, 'tokens_exceeded', ask(noul, { state: 'w '.repeat(270_000) }), bearer],
      [401, 'authentication_error', '{', {}],
      [413, 'tokens_exceeded', Buffer.alloc(33_554_432), bearer],
    ];
    for (const [status, type, sent, headers] of types) {
      const text = typeof sent === 'string' || Buffer.isBuffer(sent) ? sent : JSON.stringify(sent);
      const received = await send({ method: 'POST', path: '/v1/systemone', body: text, headers });
      assertError(received, 'systemone', status, type);
      const { detail, error } = jsonOf<{ detail: unknown; error: ErrorObject }>(received);
      assert.deepEqual(detail, { message: error.message, error_type: type });
      assert.ok(error.message !== '');
      assert.equal(error.code, status);
    }
  });

  test('the OpenAI shape is not served there, nor the native shape on the OpenAI path', async () => {
    assert.equal((await refusalOf('/v1/systemone', openAiBody)).message, 'Unknown field "input"');
    assert.equal((await refusalOf('/openai/v1/decisions', body)).message, 'Unknown field "state"');
  });
});

suite('the OpenAI shape of contract 6.8', () => {
  const refused = (more: Record<string, unknown>) =>
    refusalOf('/openai/v1/decisions', { ...openAiBody, ...more });
  const accepted = async (more: Record<string, unknown>) => {
    const received = await post('/openai/v1/decisions', { ...openAiBody, ...more });
    assert.equal(received.status, 200, `${JSON.stringify(more)}: ${received.text}`);
    return jsonOf<{ answers: unknown[] }>(received);
  };
  const predicate = { type: 'predicate', instructions: 'x' };

  test('input is a text or a non-empty list of items', async () => {
    for (const input of [
      undefined,
      null,
      [],
      {},
      1,
      [1],
      ['x'],
      [{ role: 'robot', content: 'x' }],
      [{ role: 'user' }],
      [{ type: 'x' }],
    ]) {
      assert.match(String((await refused({ input })).param), /^input/);
    }
    const call = {
      type: 'function_call',
      call_id: 'c',
      name: 'f',
      arguments: '{}',
      id: 'i',
      status: 'completed',
    };
    const output = {
      type: 'function_call_output',
      call_id: 'c',
      output: [{ type: 'input_text', text: 'x' }],
    };
    for (const input of [
      '',
      state,
      [{ role: 'user', content: 'x', phase: null }],
      [{ type: 'message', role: 'developer', content: [{ type: 'input_json', data: [{ a: 1 }] }] }],
      [
        {
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'x' },
            { type: 'refusal', refusal: 'no' },
          ],
        },
      ],
      [call, output],
      [
        { type: 'custom_tool_call', call_id: 'c', name: 'f', input: 'x' },
        { type: 'custom_tool_call_output', call_id: 'c', output: 'x' },
      ],
    ])
      await accepted({ input });
    assert.match(String((await refused({ input: [output, call] })).param), /^input\.0/);
    assert.match(String((await refused({ input: [call, { ...output, call_id: 'd' }] })).param), /^input\.1/);
  });

  test('questions are 1 to 128, choices unique by type and text, fields without effect accepted', async () => {
    for (const questions of [undefined, null, [], {}, Array.from({ length: 129 }, () => predicate)]) {
      assert.equal((await refused({ questions })).param, 'questions');
    }
    const choice = (...values: unknown[]) => ({
      type: 'choice',
      instructions: 'x',
      choices: values.map((value) => ({ value })),
    });
    for (const bad of [
      { ...predicate, type: 'noul' },
      { type: 'predicate' },
      choice('a'),
      choice('a', 'a'),
      choice(true, true),
      choice('a', 1),
      choice('a', null),
      { type: 'score', instructions: 'x', levels: [] },
      { type: 'score', instructions: 'x', levels: ['a'] },
      { ...predicate, instructions: [{ type: 'input_image', image_url: dataUrl(png(1, 1)) }] },
    ]) {
      const { type, param } = await refused({ questions: [predicate, bad] });
      assert.deepEqual(
        [type, String(param).slice(0, 11)],
        ['invalid_request', 'questions.1'],
        JSON.stringify(bad),
      );
    }
    await accepted({
      questions: [choice(true, 'true', false)],
      prompt_cache_key: 'a',
      safety_identifier: null,
      prompt_cache_options: { mode: 'implicit', ttl: '30m' },
    });
    await accepted({ prompt_cache_key: null, prompt_cache_options: null, safety_identifier: 's' });
  });

  test('a remote image and a ninth image are 400, a data URL is not', async () => {
    const input = (...urls: string[]) => [
      { role: 'user', content: urls.map((image_url) => ({ type: 'input_image', image_url, detail: 'low' })) },
    ];
    const { message, type, param } = await refused({ input: input('https://a.example/a.png') });
    assert.equal(message, 'image_url is not a supported data URL (PNG, JPEG or WebP, base64)');
    assert.deepEqual([type, param], ['invalid_request', 'input.0.content.0']);
    await accepted({ input: input(dataUrl(png(1, 1))) });
  });

  test('the answers are those of the native shape', async () => {
    const noulText = 'Is the customer asking for money back?';
    const native = await post('/v1/decisions', {
      model,
      state,
      questions: { a: { type: 'noul', instructions: noulText } },
    });
    const { answers } = await accepted({
      input: state,
      questions: [{ ...predicate, instructions: noulText }],
    });
    const { noul } = jsonOf<{ answers: { a: { noul: number } } }>(native).answers.a;
    assert.deepEqual(answers, [{ type: 'predicate', name: null, probability: noul }]);
  });
});
