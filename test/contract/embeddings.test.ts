import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';

import { createManualClock } from '../support/clock.ts';
import { startServer } from '../support/server.ts';

const standard = 'svc-embed-v1-0.6b';
const context = 'svc-embed-context-v1-0.6b';
const path = '/v1/embeddings';
const contextPath = '/v1/contextualizedembeddings';

interface Embedded {
  readonly object: string;
  readonly index: number;
  readonly embedding: string;
}
interface Answer<Item = Embedded> {
  readonly object: string;
  readonly data: readonly Item[];
  readonly model: string;
  readonly usage: { readonly prompt_tokens: number; readonly total_tokens: number; readonly cost: object };
}
interface Refusal {
  readonly detail?: readonly {
    readonly loc: readonly string[];
    readonly msg: string;
    readonly type: string;
  }[];
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: unknown;
    readonly param: unknown;
  };
}

const server = await startServer({ after }, { env: { NESTOR_RATE_LIMITS_ENABLED: 'false' } });

suite('embeddings', () => {
  async function embed(body: object, at = path): Promise<Answer> {
    const response = await server.post(at, body);
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as Answer;
  }
  async function refuse(body: object, status: number, at = path): Promise<Refusal> {
    const response = await server.post(at, body);
    const text = await response.text();
    assert.equal(response.status, status, text);
    assert.equal(response.headers.get('x-should-retry'), 'false');
    return JSON.parse(text) as Refusal;
  }
  const bytesOf = (text: string | undefined) => Buffer.from(text ?? '', 'base64');

  test('trap 65: embedding strings decode to exactly `dimensions` bytes, or an eighth of them as bits', async () => {
    for (const [model, native] of [
      [standard, 1024],
      ['svc-embed-v1-4b', 2560],
    ] as const) {
      for (const dimensions of [128, 136, native, undefined]) {
        const wanted = dimensions ?? native;
        const whole = await embed({ model, input: 'A parrot.', dimensions });
        assert.equal(bytesOf(whole.data[0]?.embedding).length, wanted);
        const bits = await embed({ model, input: 'A parrot.', dimensions, encoding_format: 'base64_binary' });
        assert.equal(bytesOf(bits.data[0]?.embedding).length, wanted / 8);
      }
    }
  });

  test('trap 74: the key sets of two equal requests are equal, and the body is the documented one', async () => {
    const body = {
      model: standard,
      input: ['one', 'two'],
      dimensions: null,
      encoding_format: null,
      extra: 1,
    };
    const [first, second] = [await embed(body), await embed(body)];
    assert.deepEqual(first, second);
    assert.deepEqual(Object.keys(first), ['object', 'data', 'model', 'usage']);
    assert.deepEqual(
      first.data.map(({ object, index }) => [object, index]),
      [
        ['embedding', 0],
        ['embedding', 1],
      ],
    );
    const cost = (2 * 0.004) / 1e6;
    assert.deepEqual(first.usage, {
      prompt_tokens: 2,
      total_tokens: 2,
      cost: { input_cost: cost, total_cost: cost, currency: 'USD' },
    });
  });

  test('a text has the same vector whatever else is in the request, and a cut one is its beginning', async () => {
    const texts = ['Where is my card?', 'Ÿ 雪が降る', 'x'.repeat(5_000), '?!', 'Where is my card?'];
    const together = await embed({ model: standard, input: texts });
    for (const [index, input] of texts.entries()) {
      const alone = await embed({ model: standard, input });
      assert.equal(alone.data[0]?.embedding, together.data[index]?.embedding);
    }
    assert.equal(together.data[0]?.embedding, together.data[4]?.embedding);
  });

  test('likeness in meaning is likeness of vectors', async () => {
    const input = ['I want my money back', 'How do I get a refund?', 'What time do you open on Sunday?'];
    const { data } = await embed({ model: standard, input });
    const [a, b, c] = data.map(({ embedding }) => new Int8Array(bytesOf(embedding)));
    const cosine = (x: Int8Array = new Int8Array(), y: Int8Array = new Int8Array()) => {
      const dot = (p: Int8Array, q: Int8Array) => p.reduce((sum, value, i) => sum + value * (q[i] ?? 0), 0);
      return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
    };
    assert.ok(cosine(a, b) > cosine(a, c) + 0.05, `${cosine(a, b)} against ${cosine(a, c)}`);
  });

  test('aliases are accepted and the name sent is the name returned', async () => {
    assert.equal(
      (await embed({ model: 'pplx-embed-v1-0.6b', input: 'x' }, '/embeddings')).model,
      'pplx-embed-v1-0.6b',
    );
    const body = { model: 'pplx-embed-context-v1-4b', input: [['x']] };
    assert.equal((await embed(body, '/contextualizedembeddings')).model, 'pplx-embed-context-v1-4b');
  });

  test('an unknown, missing or wrong model is 400 with shape E, whatever else is wrong', async () => {
    for (const [body, at] of [
      [{ model: 'nobody', input: '' }, path],
      [{ input: 'x' }, path],
      [{ model: null, input: 'x' }, path],
      [{ model: context, input: 'x' }, path],
      [{ model: standard, input: [['x']] }, contextPath],
    ] as const) {
      const refusal = await refuse(body, 400, at);
      assert.deepEqual(Object.keys(refusal), ['error'], JSON.stringify(refusal));
      assert.deepEqual(
        [refusal.error.code, refusal.error.param, refusal.error.type],
        [400, 'model', 'invalid_request'],
      );
    }
  });

  test('everything else that is wrong is 422 with both bodies', async () => {
    const cases: readonly (readonly [object, string, string, string?])[] = [
      [{ model: standard }, 'input', 'missing'],
      [{ model: standard, input: '' }, 'input', 'string_too_short'],
      [{ model: standard, input: [] }, 'input', 'too_short'],
      [{ model: standard, input: ['a', ''] }, 'input.1', 'string_too_short'],
      [{ model: standard, input: Array.from({ length: 513 }, () => 'x') }, 'input', 'too_long'],
      [{ model: standard, input: 'x', dimensions: 127 }, 'dimensions', 'greater_than_equal'],
      [{ model: standard, input: 'x', dimensions: 128.5 }, 'dimensions', 'int_type'],
      [{ model: standard, input: 'x', encoding_format: 'float' }, 'encoding_format', 'enum'],
      [{ model: standard, input: 'x '.repeat(32_769) }, 'input.0', 'value_error'],
      [
        { model: standard, input: Array.from({ length: 5 }, () => 'x '.repeat(30_000)) },
        'input',
        'value_error',
      ],
      [{ model: context, input: [[]] }, 'input.0', 'too_short', contextPath],
      [{ model: context, input: ['x'] }, 'input.0', 'list_type', contextPath],
    ];
    for (const [body, param, type, at = path] of cases) {
      const { detail, error } = await refuse(body, 422, at);
      assert.deepEqual(
        [error.param, error.type, error.code],
        [param, 'validation_error', 422],
        error.message,
      );
      assert.deepEqual(detail?.[0]?.loc, ['body', ...param.split('.')]);
      assert.equal(detail?.[0]?.type, type);
    }
    for (const body of [
      { model: standard, input: 'x', dimensions: 1_025 },
      { model: standard, input: 'x', dimensions: 132, encoding_format: 'base64_binary' },
    ]) {
      const { detail, error } = await refuse(body, 422);
      assert.match(error.message, /^dimensions: /);
      assert.deepEqual([error.param, detail?.[0]?.loc], ['dimensions', ['body', 'dimensions']]);
    }
  });

  test('the chunks of a document come back in their places and know their document', async () => {
    const chunk = 'It is green and lives in the mountains.';
    const body = {
      model: context,
      input: [
        ['The kea is a parrot of New Zealand.', chunk],
        [chunk],
        ['A moss grows slowly on stones.', chunk],
      ],
    };
    const { data } = (await embed(body, contextPath)) as unknown as Answer<{
      readonly object: string;
      readonly index: number;
      readonly data: readonly Embedded[];
    }>;
    assert.deepEqual(
      data.map(({ object, index, data: chunks }) => [object, index, chunks.map((one) => one.index)]),
      [
        ['list', 0, [0, 1]],
        ['list', 1, [0]],
        ['list', 2, [0, 1]],
      ],
    );
    assert.notEqual(data[0]?.data[1]?.embedding, data[2]?.data[1]?.embedding);
  });

  test('texts beyond the limit are refused, those far beyond it by their lengths', async () => {
    const words = 'word '.repeat(32_769);
    const blank = ' '.repeat(1_048_577);
    const of = (input: unknown, model: string, at: string) => refuse({ model, input }, 422, at);
    assert.match((await of(['a', words], standard, path)).error.message, /text 1 has 32769 tokens/);
    for (const [input, model, at, told] of [
      [['a', blank], standard, path, /^input\.1: text 1 has 1048577 characters, at most 32768 tokens/],
      [[['a'], ['b', blank]], context, contextPath, /^input\.1: document 1 has 1048578 characters/],
      [Array.from({ length: 4 }, () => blank.slice(1)), standard, path, /^input: input has 4194304 char/],
    ] as const)
      assert.match((await of(input, model, at)).error.message, told);
    const { error } = await refuse({ model: standard, input: blank }, 400, '/openai/v1/embeddings');
    assert.equal(error.param, 'input');
  });

  test('16,000 chunks pass and one more is refused', async () => {
    const input = (chunks: number) => [Array.from({ length: chunks - 1 }, () => 'x'), ['y']];
    const answer = await embed({ model: context, input: input(16_000), dimensions: 128 }, contextPath);
    assert.equal(answer.usage.total_tokens, 16_000);
    const { error } = await refuse({ model: context, input: input(16_001) }, 422, contextPath);
    assert.equal(error.param, 'input');
  });
});

test('trap 66: more chunks than the bucket holds are admitted when it is full, then delay later ones', async (t) => {
  const clock = createManualClock();
  const limited = await startServer(t, { clock });
  const send = (chunks: number) =>
    limited.post(contextPath, {
      model: context,
      input: [Array.from({ length: chunks }, () => 'x')],
      dimensions: 128,
    });
  const first = await send(3_000);
  assert.equal(first.status, 200);
  assert.equal(first.headers.get('x-ratelimit-limit'), '1670');
  assert.equal(first.headers.get('x-ratelimit-remaining'), '0');
  const second = await send(1);
  assert.equal(second.status, 429);
  // 3,000 of 1,670 leave a debt of 1,330, and one more is wanted.
  assert.equal(second.headers.get('retry-after-ms'), String(Math.ceil((1_331 / 1_670) * 1_000)));
  clock.advance(Number(second.headers.get('retry-after-ms')));
  assert.equal((await send(1)).status, 200);
  const invalid = await limited.post(contextPath, { model: context, input: [] });
  assert.equal(invalid.status, 422, 'a refused body takes nothing and is not asked of the bucket');
});
