import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Model, ModelEvent, ModelRequest, Provider } from '../../src/features/models/model.ts';
import { openLocal } from '../../src/features/models/providers/local/index.ts';
import type { LocalModel } from '../../src/features/models/providers/local/engine.ts';
import { randomIds } from '../../src/kernel/kit/ids.ts';
import { proseOf } from '../support/gguf-questions.ts';
import { comparable, openTestLocal } from '../support/local-models.ts';
import { collect, commonSuite, faultOf, firstModel, plainRequest } from './suite.ts';

const never = new AbortController().signal;

function asking(text: string, seed = 1, tokens = 40): Partial<ModelRequest> {
  return { turns: [{ role: 'user', parts: [{ type: 'text', text }] }], seed, outputTokensMax: tokens };
}

async function drain(stream: AsyncIterator<readonly ModelEvent[]>): Promise<readonly ModelEvent[]> {
  const events: ModelEvent[] = [];
  for (let next = await stream.next(); next.done !== true; next = await stream.next())
    events.push(...next.value);
  return events;
}

commonSuite('the local provider', async (t) => {
  return (await openTestLocal(t, { template: 'tools' }, { id: 'random', contextTokensMax: 400 })).provider;
});

suite('a local model that writes', () => {
  const afters: (() => unknown)[] = [];
  let provider: Provider;
  let engine: LocalModel;
  let model: Model;
  before(async () => {
    ({ provider, engine } = await openTestLocal({
      after: (hook) => void afters.push(hook as () => unknown),
    }));
    model = firstModel(provider);
  });
  after(() => Promise.all(afters.map((hook) => hook())));

  test('is named after its file and says what it can', () => {
    assert.match(model.name, /^tiny-[0-9a-f]+$/);
    assert.equal(provider.type, 'local');
    assert.equal(provider.health(), 'ok');
    assert.equal(model.capabilities.jsonSchema, true);
    assert.equal(model.capabilities.tools, false, 'the template shows no tools');
    assert.equal(model.capabilities.images, false);
    assert.equal(model.contextTokensMax, engine.contextTokens);
  });

  test('the same seed is the same answer, another seed another one', async () => {
    const first = await collect(model, asking('Hello', 7));
    assert.deepEqual(comparable((await collect(model, asking('Hello', 7))).events), comparable(first.events));
    assert.notEqual((await collect(model, asking('Hello', 8))).text, first.text);
    const likeliest = { temperature: 0 };
    const greedy = await collect(model, { ...asking('Hello', 7), ...likeliest });
    assert.equal((await collect(model, { ...asking('Hello', 8), ...likeliest })).text, greedy.text);
  });

  test('without a seed answers differ', async () => {
    const texts = new Set<string>();
    for (let i = 0; i < 3; i++) texts.add((await collect(model, { ...asking('Hello'), seed: null })).text);
    assert.equal(texts.size, 3);
  });

  test('penalties change what is written', async () => {
    const plain = await collect(model, asking('Hello', 3, 80));
    const penalized = await collect(model, { ...asking('Hello', 3, 80), frequencyPenalty: 2 });
    assert.notEqual(penalized.text, plain.text);
  });

  test('counts the tokens of its prompt exactly, and reports which of them were warm', async () => {
    const request = { ...plainRequest, ...asking(proseOf(30, 'count'), 1, 10) };
    const counted = await model.countTokens(request, never);
    const cold = (await collect(model, request)).usage;
    assert.deepEqual([cold.input + cold.cacheRead, cold.output], [counted, 10]);
    const before = engine.evaluated();
    const warm = (await collect(model, request)).usage;
    assert.equal(warm.input + warm.cacheRead, counted);
    assert.equal(warm.cacheRead, counted - 1 - ((counted - 1) % 128), 'all whole chunks');
    assert.equal(
      engine.evaluated() - before,
      warm.input + 9,
      'nothing that was warm, and not the last token',
    );
  });

  test('an answer does not depend on what is warm', async (t) => {
    const request = asking(proseOf(40, 'warm'), 5);
    const { provider: other } = await openTestLocal(t);
    const cold = await collect(firstModel(other), request);
    await collect(model, asking(proseOf(40, 'warm').slice(0, 2_000), 5));
    const warm = await collect(model, request);
    assert.ok(warm.usage.cacheRead > 0);
    assert.deepEqual(comparable(warm.events), comparable(cold.events));
  });

  test('eight answers side by side are each what they are alone', async () => {
    const requests = Array.from({ length: 8 }, (_, index) =>
      asking(proseOf(index * 3, `${index}`), index, 60),
    );
    const alone: unknown[] = [];
    for (const request of requests) alone.push(comparable((await collect(model, request)).events));
    const together = await Promise.all(requests.map((request) => collect(model, request)));
    assert.deepEqual(
      together.map(({ events }) => comparable(events)),
      alone,
    );
  });

  test('a prompt that needs larger lanes moves answers that are under way, without a change', async (t) => {
    const { provider: small, engine: lanes } = await openTestLocal(t, {}, { cacheBytes: 12 * 1_048_576 });
    const moved = firstModel(small);
    const request = asking('First', 1, 300);
    const alone = await collect(moved, request);
    const stream = moved.stream({ ...plainRequest, ...request }, never)[Symbol.asyncIterator]();
    const received: ModelEvent[] = [];
    while (!received.some(({ type }) => type === 'text-delta'))
      received.push(...((await stream.next()).value ?? []));
    const evaluated = lanes.evaluated();
    // More than a lane holds while there are several, so that there is one afterwards.
    const words = Math.floor(lanes.contextTokens / 6);
    const { usage } = await collect(moved, asking('word '.repeat(words), 3, 4));
    for (let next = await stream.next(); next.done !== true; next = await stream.next())
      received.push(...next.value);
    assert.deepEqual(comparable(received), comparable(alone.events));
    const once = alone.usage.input + alone.usage.output + usage.input + usage.output;
    assert.ok(lanes.evaluated() - evaluated > once - 10, 'what was written is written again');
  });

  test('where there is one lane a reading does not wait for the end of an answer', async (t) => {
    const { provider: small, engine: lane } = await openTestLocal(t, {}, { cacheBytes: 1 });
    const single = firstModel(small);
    const reading = { prefix: [5, 6, 7], suffixes: [{ tokens: [8], ask: [1, 2] }] };
    const expected = await lane.read(reading, never);
    const request = asking('Hello', 1, 120);
    const alone = await collect(single, request);
    const stream = single.stream({ ...plainRequest, ...request }, never)[Symbol.asyncIterator]();
    const received: ModelEvent[] = [];
    while (!received.some(({ type }) => type === 'text-delta'))
      received.push(...((await stream.next()).value ?? []));
    assert.deepEqual(await lane.read(reading, never), expected);
    assert.ok(received.every(({ type }) => type !== 'finish'));
    const [rest] = await Promise.all([drain(stream), lane.read(reading, never)]);
    assert.ok(rest.length > 1, 'the answer was still being written');
    assert.deepEqual(comparable([...received, ...rest]), comparable(alone.events));
  });

  test('a stop sequence ends the text before it, wherever its tokens are cut', async () => {
    const { text } = await collect(model, asking('Stop', 11, 60));
    for (const [from, length] of [
      [5, 3],
      [20, 7],
      [31, 1],
    ] as const) {
      const stop = text.slice(from, from + length);
      const stopped = await collect(model, { ...asking('Stop', 11, 60), stop: ['never-said', stop] });
      assert.deepEqual([stopped.reason, stopped.stopSequence], ['stop-sequence', stop]);
      assert.equal(stopped.text, text.slice(0, text.indexOf(stop)));
    }
  });

  test('an abort ends it within a token, and the next answer is whole', async () => {
    const aborting = new AbortController();
    const received: ModelEvent[] = [];
    const reading = (async () => {
      for await (const batch of model.stream(
        { ...plainRequest, ...asking('Long', 1, 4_000) },
        aborting.signal,
      )) {
        received.push(...batch);
        if (received.some(({ type }) => type === 'text-delta')) aborting.abort(new Error('gone'));
      }
    })();
    await assert.rejects(reading, { message: 'gone' });
    const evaluated = engine.evaluated();
    await collect(model, asking('Next', 1, 1));
    assert.ok(received.every(({ type }) => type !== 'finish'));
    const { input } = (await collect(model, asking('Next', 1, 1))).usage;
    assert.ok(engine.evaluated() - evaluated <= 2 * input + 1, 'at most one token after the abort');
  });

  test('a reader who leaves ends the writing', async () => {
    for await (const batch of model.stream({ ...plainRequest, ...asking('Left', 1, 4_000) }, never)) {
      assert.ok(batch.length > 0);
      break;
    }
    const evaluated = engine.evaluated();
    const { usage } = await collect(model, asking('After', 1, 1));
    assert.ok(engine.evaluated() - evaluated <= usage.input + 1);
  });

  test('a prompt that does not fit is refused, never cut', async () => {
    const text = 'word '.repeat(engine.contextTokens);
    const fault = await faultOf(collect(model, asking(text)));
    assert.equal(fault.code, 'context_length_exceeded');
    assert.match(
      fault.message,
      /^Input length \(\d+\) exceeds the local model's maximum context length \(\d+\)$/,
    );
  });

  test('ends when the context is full, and says so', async (t) => {
    const { provider: small } = await openTestLocal(t, {}, { cacheBytes: 1 });
    const request = { ...asking('Full'), outputTokensMax: null };
    const answer = await collect(firstModel(small), request);
    assert.equal(answer.reason, 'context-full');
    const { usage } = answer;
    assert.equal(usage.input + usage.cacheRead + usage.output, firstModel(small).contextTokensMax);
    assert.equal((await collect(model, asking('Full', 1, 5))).reason, 'length');
  });

  test('more answers than it takes are refused with a wait', async (t) => {
    const { provider: narrow } = await openTestLocal(t, {}, { answersMax: 1 });
    const first = collect(firstModel(narrow), asking('One', 1, 200));
    const fault = await faultOf(collect(firstModel(narrow), asking('Two')));
    assert.equal(fault.code, 'service_unavailable');
    assert.ok((fault.retryAfterMs ?? 0) > 0);
    assert.equal((await first).usage.output, 200);
    assert.equal((await collect(firstModel(narrow), asking('Three', 1, 3))).usage.output, 3);
  });

  test('readings and answers share the lanes, and each is what it is alone', async () => {
    const prefix = engine.vocabulary.ofTemplate(proseOf(12, 'read'));
    const suffixes = Array.from({ length: 12 }, (_, i) => ({ tokens: [20 + i, 30], ask: [1, 2, 3] }));
    const alone = await engine.read({ prefix, suffixes }, never);
    const answers = Array.from({ length: 5 }, (_, i) => collect(model, asking(proseOf(3, `s${i}`), i, 80)));
    assert.deepEqual(await engine.read({ prefix, suffixes }, never), alone);
    for (const { usage } of await Promise.all(answers)) assert.equal(usage.output, 80);
  });

  test('an image is refused', async () => {
    const image = { type: 'image', mediaType: 'image/png', base64: 'AAAA' } as const;
    const fault = await faultOf(collect(model, { turns: [{ role: 'user', parts: [image] }] }));
    assert.equal(fault.code, 'invalid_value');
  });
});

suite('a local provider', () => {
  test('that is closed answers no more', async (t) => {
    const { provider } = await openTestLocal(t);
    const model = firstModel(provider);
    const running = faultOf(collect(model, asking('Closed', 1, 4_000)));
    await new Promise((resolve) => setTimeout(resolve, 20));
    await provider.close();
    assert.equal((await running).code, 'service_unavailable');
    assert.equal((await faultOf(collect(model, asking('Again')))).code, 'service_unavailable');
    assert.equal(provider.health(), 'down');
  });

  test('with a file that cannot be used is refused and says why', async () => {
    const opening = openLocal({ name: 'home', path: 'no/such.gguf' }, { ids: randomIds });
    await assert.rejects(opening, {
      name: 'LocalModelProblem',
      message: 'no/such.gguf: the file does not exist',
    });
  });
});
