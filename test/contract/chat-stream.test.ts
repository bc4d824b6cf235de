import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { suite, test } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import { ChatResponse } from '../../src/features/chat/wire/chat-response.ts';
import { chatModels, readChunks, startChat, twoPages, type TestChat } from '../support/chat.ts';
import { breaks, call, finish, says, text, type Script } from '../support/models.ts';
import { assertMatches } from '../support/strict.ts';

/** Contract 9.5 to 9.7 over models and a search in memory. */

const ask = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: 'user', content: 'What is a kea?' }],
  stream: true,
  ...more,
});

interface Chunk {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly object: string;
  readonly type: string;
  readonly status: string;
  readonly choices: readonly [
    {
      readonly index: number;
      readonly finish_reason: string | null;
      readonly message: {
        readonly content: string;
        readonly reasoning_steps?: readonly unknown[];
        readonly tool_calls?: readonly unknown[];
      };
      readonly delta: {
        readonly content: string;
        readonly reasoning_steps?: readonly unknown[];
        readonly tool_calls?: readonly unknown[];
      };
    },
  ];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
    readonly cost?: unknown;
  };
  readonly citations?: unknown;
  readonly search_results?: unknown;
  readonly images?: unknown;
  readonly related_questions?: unknown;
}

async function streamed(chat: TestChat, body: object): Promise<Chunk[]> {
  const response = await chat.post(body);
  const wire = await response.text();
  assert.equal(response.status, 200, wire);
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  return readChunks(wire) as unknown as Chunk[];
}

const pieces = ['The ', 'kea ', 'says "\\ud8', '\u{1F99C}\n', 'no" [1', '] and', ' [9]', '.'];
const kea = says(...pieces.map((piece) => [text(piece)]), finish());
const whole = 'The kea says "\\ud8\u{1F99C}\nno" [1] and.';
const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } };

/** What a stream comes to is what a reply without one says. */
async function assertFolds(chat: TestChat, body: object, chunks: readonly Chunk[]): Promise<void> {
  const response = await chat.post({ ...body, stream: false });
  const reply = (await response.json()) as Record<string, unknown>;
  assertMatches(ChatResponse, reply, 'the reply');
  const {
    id: _a,
    created: _b,
    object: _c,
    type: _d,
    status: _e,
    ...last
  } = chunks.at(-1) as unknown as Record<string, unknown>;
  const { id: _f, created: _g, object: _h, type: _i, status: _j, ...same } = reply;
  assert.deepEqual(last, same);
}

suite('stream_mode full', () => {
  const wishes = { return_images: true, return_related_questions: true };

  for (const model of ['svc', 'svc-pro', 'svc-reasoning-pro', 'svc-deep-research'])
    test(`traps 53 and 54: every chunk of ${model} carries the whole so far and what surrounds it`, async (t) => {
      const chat = await startChat(t, { models: chatModels(kea) });
      const body = ask(model, wishes);
      const chunks = await streamed(chat, body);
      const last = chunks.at(-1);
      let content = '';
      let completion = 0;
      for (const chunk of chunks) {
        const [choice] = chunk.choices;
        const isLast = chunk === last;
        content += choice.delta.content;
        assert.equal(choice.message.content, content);
        assert.deepEqual(
          [chunk.object, chunk.type, chunk.status],
          ['chat.completion.chunk', isLast ? 'end_of_stream' : 'message', isLast ? 'COMPLETED' : 'PENDING'],
        );
        assert.equal(choice.finish_reason, isLast ? 'stop' : null);
        assert.deepEqual([chunk.id, chunk.created, chunk.model], [last?.id, last?.created, model]);
        for (const key of ['citations', 'search_results', 'images', 'related_questions'] as const)
          assert.deepEqual(chunk[key], last?.[key], key);
        assert.equal(chunk.usage?.cost === undefined, !isLast);
        assert.ok((chunk.usage?.completion_tokens ?? -1) >= completion, 'usage never falls');
        completion = chunk.usage?.completion_tokens ?? 0;
        const keys = ['completion_tokens', 'prompt_tokens', 'search_context_size', 'total_tokens'];
        if (!isLast) assert.deepEqual(Object.keys(chunk.usage ?? {}).sort(), keys);
      }
      assert.ok(content.endsWith(whole), content);
      assert.notEqual(chunks[0]?.choices[0].delta.content, '', 'the first chunk has text');
      assert.equal(last?.choices[0].delta.content, '');
      assert.ok(chunks.length >= 5);
      await assertFolds(chat, body, chunks);
    });

  test('a call comes in pieces, its name in the first one, and as a whole in the last chunk', async (t) => {
    const calling = says(
      call('c1', 'weather', '{"a"', ':1}'),
      call('c2', 'weather', '{}'),
      finish('tool-calls'),
    );
    const chat = await startChat(t, { models: chatModels(calling) });
    const body = ask('svc-pro', { tools: [weather] });
    const chunks = await streamed(chat, body);
    const told = chunks.slice(0, -1).flatMap(({ choices }) => choices[0].delta.tool_calls ?? []);
    const start = (index: number, id: string) => ({
      index,
      id,
      type: 'function',
      function: { name: 'weather', arguments: '' },
    });
    const piece = (index: number, args: string) => ({ index, function: { arguments: args } });
    assert.deepEqual(told, [
      start(0, 'c1'),
      piece(0, '{"a"'),
      piece(0, ':1}'),
      start(1, 'c2'),
      piece(1, '{}'),
    ]);
    const [choice] = chunks.at(-1)?.choices ?? [];
    assert.equal(choice?.finish_reason, 'tool_calls');
    assert.deepEqual(choice?.message.tool_calls, [
      { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"a":1}' } },
      { id: 'c2', type: 'function', function: { name: 'weather', arguments: '{}' } },
    ]);
    await assertFolds(chat, body, chunks);
  });

  test('an answer that a limit leaves without text or calls is the last chunk alone', async (t) => {
    const chat = await startChat(t, { models: chatModels(says(finish('length'))) });
    const chunks = await streamed(chat, ask('svc'));
    assert.deepEqual(
      chunks.map(({ type }) => type),
      ['end_of_stream'],
    );
  });

  test('a long answer does not cost its length squared', async (t) => {
    const words = Array.from({ length: 8_000 }, (_, at) => [text(`word${at} `)]);
    const chat = await startChat(t, { models: chatModels(says(...words, finish())) });
    const response = await chat.post(ask('svc', { disable_search: true }));
    const wire = await response.text();
    const length = words
      .flat()
      .reduce((sum, event) => sum + (event.type === 'text-delta' ? event.text.length : 0), 0);
    const chunks = readChunks(wire) as unknown as Chunk[];
    assert.equal(chunks.map(({ choices }) => choices[0].delta.content).join('').length, length);
    assert.ok(chunks.length > 500 && chunks.length < 4_000, `${chunks.length} chunks`);
    assert.ok(wire.length < 700 * length, `${wire.length} for ${length}`);
  });
});

suite('stream_mode concise', () => {
  const concise = { stream_mode: 'concise' };
  const kinds = (chunks: readonly Chunk[]) => [...new Set(chunks.map(({ object }) => object))];

  test('trap 55: steps, what surrounds the text, pieces and the whole come in this order', async (t) => {
    const chat = await startChat(t, { models: chatModels(kea) });
    const body = ask('svc-reasoning-pro', {
      ...concise,
      return_images: true,
      return_related_questions: true,
    });
    const chunks = await streamed(chat, body);
    assert.deepEqual(kinds(chunks), [
      'chat.reasoning',
      'chat.reasoning.done',
      'chat.completion.chunk',
      'chat.completion.done',
    ]);
    const of = (object: string) => chunks.filter((chunk) => chunk.object === object);
    const [step] = of('chat.reasoning');
    assert.equal(step?.choices[0].delta.reasoning_steps?.length, 1);
    assert.deepEqual([step?.usage, step?.search_results], [undefined, undefined]);
    const [done, ...more] = of('chat.reasoning.done');
    assert.equal(more.length, 0);
    assert.deepEqual([done?.type, done?.usage?.cost], ['info', undefined]);
    assert.deepEqual(done?.choices[0].message.reasoning_steps, step?.choices[0].delta.reasoning_steps);
    assert.deepEqual([done?.images, done?.related_questions], [[], undefined]);
    for (const chunk of of('chat.completion.chunk')) {
      assert.deepEqual(
        [chunk.usage, chunk.search_results, chunk.citations],
        [undefined, undefined, undefined],
      );
      assert.equal(chunk.choices[0].message.content, '');
    }
    const joined = of('chat.completion.chunk').map(({ choices }) => choices[0].delta.content);
    const last = chunks.at(-1);
    assert.equal(last?.choices[0].message.content, joined.join(''));
    assert.deepEqual(last?.search_results, done?.search_results);
    await assertFolds(chat, body, chunks);
  });

  test('a model that tells no steps begins with what surrounds the text', async (t) => {
    const chat = await startChat(t, { models: chatModels(kea) });
    const chunks = await streamed(chat, ask('svc', concise));
    assert.deepEqual(kinds(chunks), ['chat.reasoning.done', 'chat.completion.chunk', 'chat.completion.done']);
    assert.deepEqual(chunks[0]?.choices[0].message.reasoning_steps, []);
  });

  test('pieces of calls are chunks of the completion; without text or calls there are none', async (t) => {
    const calling = says(call('c1', 'weather', '{}'), finish('tool-calls'));
    const chat = await startChat(t, { models: chatModels(calling) });
    const chunks = await streamed(chat, ask('svc-pro', { ...concise, tools: [weather] }));
    assert.deepEqual(
      chunks.map(({ object }) => object),
      ['chat.reasoning.done', 'chat.completion.chunk', 'chat.completion.chunk', 'chat.completion.done'],
    );
    const empty = await startChat(t, { models: chatModels(says(finish('length'))) });
    assert.deepEqual(kinds(await streamed(empty, ask('svc', concise))), [
      'chat.reasoning.done',
      'chat.completion.done',
    ]);
  });
});

suite('what goes wrong', () => {
  test('parts that fail beside the answer leave a line of the log each, and the answer is given', async (t) => {
    const heard = new Set<string>();
    const search = { ...twoPages(), images: () => Promise.reject(new Error('no images')) };
    // The plan of a deeper search is asked first.
    const models = chatModels((request, signal) =>
      request.format.type === 'json-schema'
        ? breaks(new Fault('bad_gateway'))(request, signal)
        : says([text('The kea.')], finish())(request, signal),
    );
    const chat = await startChat(t, { models, search, onFailure: (what) => void heard.add(what) });
    const response = await chat.post({ ...ask('svc-deep-research', { return_images: true }), stream: false });
    assert.equal(response.status, 200, await response.text());
    assert.deepEqual([...heard].toSorted(), ['images or videos', 'plan or note']);
  });

  test('a model that says nothing is asked once more; then the answer is 502, and never empty', async (t) => {
    const models = chatModels(says(finish()));
    const chat = await startChat(t, { models });
    for (const more of [{}, { stream: true }, { stream: true, stream_mode: 'concise' }]) {
      const before = models.requests.length;
      const response = await chat.post({ ...ask('svc', { disable_search: true }), stream: false, ...more });
      const told = await response.text();
      assert.equal(models.requests.length - before, 2);
      assert.match(told, /"error":\{"message":"The model gave no answer\.","type":"bad_gateway","code":502/);
      if (!('stream_mode' in more)) assert.equal(response.status, 502);
    }
  });

  for (const mode of ['full', 'concise'])
    test(`before the first chunk it is a plain error, later one in the stream (${mode})`, async (t) => {
      const body = ask('svc', { stream_mode: mode });
      if (mode === 'full') {
        const down = await startChat(t, { models: chatModels(breaks(new Fault('service_unavailable'))) });
        const response = await down.post(body);
        assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '1']);
        assert.equal(down.records.at(-1)?.billing, null, 'nothing was told, also of a search that ran');
      }
      const cut = await startChat(t, { models: chatModels(breaks(new Fault('bad_gateway'), [text('The')])) });
      const wire = await (await cut.post(body)).text();
      const chunks = readChunks(wire);
      assert.deepEqual(chunks.at(-1), {
        error: {
          message: 'The backend gave an unusable answer.',
          type: 'bad_gateway',
          code: 502,
          param: null,
        },
      });
      assert.equal(cut.records.at(-1)?.status, 502);
      assert.equal(cut.records.at(-1)?.billing?.model, 'svc', 'what was told is billed');
    });

  test('a client that leaves stops the model', async (t) => {
    const stopped = Promise.withResolvers<void>();
    const endless: Script = async function* answer(_request, signal) {
      signal.addEventListener('abort', () => stopped.resolve());
      for (;;) {
        yield [text('and on ')];
        await pause(5, undefined, { signal });
      }
    };
    const chat = await startChat(t, { models: chatModels(endless), search: twoPages() });
    const leaving = new AbortController();
    const response = await chat.post(ask('svc'), { signal: leaving.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    await stopped.promise;
  });
});
