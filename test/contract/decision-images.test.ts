import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { scriptedEngine } from '../support/engines.ts';
import { ask } from '../support/examples.ts';
import { createClient, errorOf, jsonOf } from '../support/http.ts';
import { dataUrl, gif, imagePart, jpeg, png, webp } from '../support/images.ts';
import { startServer } from '../support/server.ts';
import { assertError } from '../support/strict.ts';
import type { NativeResponse } from '../support/answers.ts';

/** Contract 6.2, 6.4 and 6.5.8 to 6.5.10: images, the token limit and what is counted. */

const env = { NESTOR_RATE_LIMITS_ENABLED: 'false' };
const server = await startServer({ after }, { env, decisions: scriptedEngine() });
const send = createClient(server.url);
after(() => {
  send.close();
});

const post = (body: unknown, path = '/v1/decisions') =>
  send({
    method: 'POST',
    path,
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${server.key}` },
  });

const noul = { type: 'noul', instructions: 'x' };

async function tokensOf(state: unknown): Promise<number> {
  const received = await post(ask(noul, { state }));
  assert.equal(received.status, 200, received.text.slice(0, 300));
  return jsonOf<NativeResponse>(received).usage.input_tokens;
}

/** Vision tokens of one image: what it adds to the same state with its mark already there. */
async function visionOf(bytes: Buffer): Promise<number> {
  return (
    (await tokensOf([imagePart(dataUrl(bytes))])) - (await tokensOf([imagePart(dataUrl(png(1, 1)))])) + 1
  );
}

async function refusalOf(state: unknown) {
  const received = await post(ask(noul, { state }));
  assertError(received, 'decisions', 400, JSON.stringify(state).slice(0, 100));
  const { message, type, param } = errorOf(received);
  assert.equal(type, 'invalid_request');
  return { message, param };
}

const unsupported = 'image_url is not a supported data URL (PNG, JPEG or WebP, base64)';

suite('images', () => {
  test('vision tokens are tiles of 32 pixels, at least one per side', async () => {
    const sizes = [
      [1, 1, 1],
      [32, 32, 1],
      [33, 32, 2],
      [32, 33, 2],
      [33, 33, 4],
      [640, 480, 300],
      [1, 65, 3],
    ] as const;
    for (const [width, height, tokens] of sizes) {
      for (const image of [png, jpeg, webp]) {
        assert.equal(await visionOf(image(width, height)), tokens, `${width}x${height} ${image.name}`);
      }
    }
  });

  test('2,048 tiles are kept, more are scaled to fit and never refused', async () => {
    assert.equal(await visionOf(jpeg(2_048, 1_024)), 2_048);
    for (const [width, height] of [
      [2_049, 1_024],
      [8_000, 8_000],
      [16_000, 4_000],
      [1_600, 40_000],
      [65_535, 30],
    ] as const) {
      const tokens = await visionOf(jpeg(width, height));
      assert.ok(tokens <= 2_048 && tokens > 1_400, `${width}x${height}: ${tokens}`);
      const [columns, rows] = [width / height, height / width].map((ratio) => Math.sqrt(2_048 * ratio));
      assert.ok(
        Math.abs(tokens - 2_048) <= 2 * (Math.max(columns ?? 0, rows ?? 0) + 1),
        `${width}x${height}: ${tokens}`,
      );
    }
  });

  test('64 megapixels pass, more are refused after the header alone', async () => {
    assert.equal((await post(ask(noul, { state: [imagePart(dataUrl(jpeg(8_000, 8_000)))] }))).status, 200);
    for (const bytes of [jpeg(8_001, 8_000), png(64_000_001, 1), png(2_000_000_000, 2_000_000_000)]) {
      const { param } = await refusalOf([imagePart(dataUrl(bytes))]);
      assert.match(String(param), /^state\.0/);
    }
  });

  test('what is not one of the three formats by signature is refused, the declared type is not believed', async () => {
    for (const [bytes, declared] of [
      [png(2, 2), 'webp'],
      [jpeg(2, 2), 'png'],
      [webp(2, 2), 'jpeg'],
    ] as const) {
      assert.equal((await post(ask(noul, { state: [imagePart(dataUrl(bytes, declared))] }))).status, 200);
    }
    const good = dataUrl(png(2, 2));
    const bad = [
      dataUrl(gif(2, 2), 'png'),
      dataUrl(png(2, 2), 'gif'),
      dataUrl(png(2, 2), 'svg+xml'),
      dataUrl(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'png'),
      dataUrl(Buffer.from('not an image'), 'png'),
      dataUrl(png(2, 2).subarray(0, 8)),
      dataUrl(png(0, 5)),
      'data:image/png;base64,',
      'data:image/png;base64,****',
      `${good}*`,
      good.replace('base64', 'BASE64x'),
      good.replace(';base64', ''),
      good.replace('data:', 'Data :'),
      ` ${good}`,
      `data:image/png;charset=utf-8;base64,${png(2, 2).toString('base64')}`,
      'https://example.com/a.png',
      '//example.com/a.png',
      'data:,',
      '',
      good.slice(5),
    ];
    for (const url of bad) {
      for (const part of [imagePart(url), { type: 'image_url', image_url: url }]) {
        assert.deepEqual(
          await refusalOf(['text', part]),
          { message: unsupported, param: 'state.1' },
          url.slice(0, 60),
        );
      }
    }
    for (const imageUrl of [null, 1, [], {}, { url: 1 }, { url: null }, true]) {
      assert.equal((await refusalOf([{ type: 'image_url', image_url: imageUrl }])).message, unsupported);
    }
  });

  test('parts count in any array at any depth, in both forms, with detail ignored', async () => {
    const url = dataUrl(png(64, 64));
    const parts = [
      { type: 'image_url', image_url: { url, detail: 'high' } },
      { type: 'image_url', image_url: url },
    ];
    const base = await tokensOf([imagePart(dataUrl(png(1, 1))), imagePart(dataUrl(png(1, 1)))]);
    assert.equal(await tokensOf(parts), base - 2 + 8);
    for (const state of [
      [{ role: 'user', content: parts }],
      [[[parts]]],
      { a: { b: parts } },
      [{ deep: { list: [{ more: parts }] } }],
    ]) {
      const without = JSON.parse(JSON.stringify(state).replaceAll(url, dataUrl(png(1, 1)))) as unknown;
      assert.equal((await tokensOf(state)) - (await tokensOf(without)), 2 * 3);
    }
  });

  test('an image-only state is valid; a part outside an array is not; nine are too many wherever they are', async () => {
    const part = imagePart(dataUrl(png(2, 2)));
    assert.equal((await post(ask(noul, { state: [part] }))).status, 200);
    const misplaced = 'image parts are only allowed in a state array';
    assert.deepEqual(await refusalOf(part), { message: misplaced, param: 'state' });
    assert.deepEqual(await refusalOf({ a: part }), { message: misplaced, param: 'state.a' });
    assert.deepEqual(await refusalOf([{ content: part }]), { message: misplaced, param: 'state.0.content' });
    const nine = [
      { role: 'user', content: Array(5).fill(part) },
      { role: 'user', content: Array(4).fill(part) },
    ];
    assert.ok((await refusalOf(nine)).message.includes('8'));
  });

  test('what only looks like an image part is data', async () => {
    for (const state of [
      [{ type: 'image_url' }],
      { type: 'image', image_url: 'x' },
      'data:image/png;base64,AA',
      [{ image_url: 'x' }],
    ]) {
      assert.equal((await post(ask(noul, { state }))).status, 200, JSON.stringify(state));
    }
  });
});

suite('the token limit', () => {
  test('with images the message tells text and vision apart', async () => {
    const image = imagePart(dataUrl(jpeg(2_048, 1_024)));
    const one = await tokensOf([image]);
    assert.ok(one > 2_048);
    const received = await post(ask(noul, { state: [image, 'w '.repeat(262_144)] }));
    assertError(received, 'decisions', 400, 'too long');
    const { message, param, type } = errorOf(received);
    const match =
      /^Total input tokens \((\d+) text \+ 2048 vision = (\d+)\) exceeds maximum context length \(262144\)$/.exec(
        message,
      );
    assert.ok(match, message);
    assert.equal(Number(match[1]) + 2_048, Number(match[2]));
    assert.deepEqual([param, type], ['state', 'invalid_request']);
  });

  test('a lower configured limit is named and counts exactly', async (t) => {
    const own = await startServer(t, {
      env: { ...env, NESTOR_DECISIONS_MAX_INPUT_TOKENS: '10' },
      decisions: scriptedEngine(),
    });
    const statusOf = (words: number) => own.post('/v1/decisions', ask(noul, { state: 'w '.repeat(words) }));
    assert.equal((await statusOf(6)).status, 200);
    const refused = await statusOf(7);
    const { error } = (await refused.json()) as { error: { message: string } };
    assert.equal(error.message, "Input length (10) exceeds or equals model's maximum context length (10)");
  });
});

suite('what is counted and what is not', () => {
  test('questions with one option need no engine, cost nothing and have fixed answers', async () => {
    const engine = scriptedEngine({ score: () => Promise.reject(new Error('asked')) });
    const scope: (() => Promise<void>)[] = [];
    const own = await startServer({ after: (close) => void scope.push(close) }, { env, decisions: engine });
    const questions = {
      c: { type: 'choice', criteria: { only: 'x' } },
      s: { type: 'score', criteria: [{ a: 1 }] },
    };
    const response = await own.post('/v1/decisions', { ...ask(noul), state: 'many words here', questions });
    assert.deepEqual(await response.json(), {
      model: 'svc-decider-v1-27b',
      answers: {
        c: { type: 'choice', choice: 'only', confidence: 1, probabilities: { only: 1 } },
        s: { type: 'score', score: 0, confidence: 1, legend: { 0: { a: 1 } }, probabilities: { 0: 1 } },
      },
      usage: { input_tokens: 0, output_tokens: 2 },
    });
    for (const close of scope) await close();
  });

  test('such a question beside others adds no input tokens', async () => {
    const two = {
      model: 'svc-decider-v1-27b',
      state: 'a b',
      questions: { q: noul, o: { type: 'choice', instructions: 'long words here', criteria: { only: 'x' } } },
    };
    const received = jsonOf<NativeResponse>(await post(two));
    assert.equal(received.usage.input_tokens, await tokensOf('a b'));
    assert.equal(received.usage.output_tokens, 2);
  });

  test('an answer does not depend on the other questions, their names or their order', async () => {
    const questions = {
      a: noul,
      b: { type: 'choice', criteria: { x: 'one', y: null } },
      c: { type: 'score', criteria: ['low', 'mid', 'high'] },
    };
    const all = jsonOf<NativeResponse>(await post({ ...ask(noul), questions })).answers;
    for (const [name, question] of Object.entries(questions)) {
      const alone = jsonOf<NativeResponse>(
        await post({ ...ask(noul), questions: { [`renamed ${name}`]: question } }),
      );
      assert.deepEqual(alone.answers[`renamed ${name}`], all[name]);
    }
    const turned = Object.fromEntries(Object.entries(questions).toReversed());
    assert.deepEqual(jsonOf<NativeResponse>(await post({ ...ask(noul), questions: turned })).answers, all);
  });
});
