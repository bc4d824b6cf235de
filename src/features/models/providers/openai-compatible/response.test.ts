import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Fault } from '../../../../kernel/faults.ts';
import type { Ids } from '../../../../kernel/kit/ids.ts';
import { EventReader } from '../../../../kernel/kit/sse-reader.ts';
import type { ModelEvent, ModelUsage } from '../../model.ts';
import * as recorded from './recorded.fixture.ts';
import { ResponseReader, fromUsage } from './response.ts';

const ids: Ids = { uuid: () => '00000000-0000-4000-8000-000000000000', secret: () => '' };

/** What a recorded stream becomes, read in one packet and in packets of 7 bytes. */
function read(stream: string, { stop = [] as string[], thinkTags = true } = {}) {
  const readIn = (size: number): ModelEvent[] => {
    const sse = new EventReader(1_000_000);
    const reader = new ResponseReader({ stop, thinkTags, functions: [], estimateInput: () => 1, ids });
    const bytes = Buffer.from(stream);
    const events: ModelEvent[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      events.push(...reader.push(sse.push(bytes.subarray(at, at + size))));
    }
    return [...events, ...reader.push(sse.end()), ...reader.end()];
  };
  const received = summary(readIn(Infinity));
  assert.deepEqual(summary(readIn(7)), received);
  return received;
}

function summary(events: readonly ModelEvent[]) {
  const joined = (type: 'text-delta' | 'reasoning-delta') =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  const argumentsOf = (id: string) =>
    events
      .map((event) => (event.type === 'tool-call-delta' && event.id === id ? event.arguments : ''))
      .join('');
  const usage = events.findLast((event) => event.type === 'usage')?.usage;
  const last = events.at(-1);
  return {
    text: joined('text-delta'),
    reasoning: joined('reasoning-delta'),
    calls: events.flatMap((event) =>
      event.type === 'tool-call-start'
        ? [[event.id, event.name, argumentsOf(event.id), event.signature]]
        : [],
    ),
    usage,
    finish: last?.type === 'finish' ? (last.stopSequence ?? last.reason) : null,
  };
}

const usage = (input: number, output: number, rest: Partial<ModelUsage> = {}): ModelUsage => ({
  input,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  ...rest,
});
const bern = '{"city":"Bern"}';
const rom = '{"city":"Rom"}';

suite('recorded streams', () => {
  test('OpenAI: text with cached input', () => {
    assert.deepEqual(read(recorded.openaiText), {
      text: 'Keas are "parrots".\n',
      reasoning: '',
      calls: [],
      usage: usage(96, 7, { cacheRead: 1_024 }),
      finish: 'end',
    });
  });

  test('OpenAI: two calls', () => {
    const { calls, finish, usage: counted } = read(recorded.openaiCalls);
    assert.deepEqual(calls, [
      ['call_q9Zr1', 'get_weather', bern, undefined],
      ['call_w2Xs2', 'get_weather', rom, undefined],
    ]);
    assert.deepEqual([finish, counted], ['tool-calls', usage(80, 42)]);
  });

  test('Azure: filters before the first choice', () => {
    const { text, finish, usage: counted } = read(recorded.azureText);
    assert.deepEqual([text, finish, counted], ['Parrots.', 'content-filter', usage(20, 3)]);
  });

  test('vLLM: reasoning under two names, and the stop sequence it found', () => {
    const { text, reasoning, finish } = read(recorded.vllmReasoning, { stop: ['END'] });
    assert.deepEqual([text, reasoning, finish], ['\n\nA parrot', 'The user asks.', 'END']);
  });

  test('SGLang: a call after text', () => {
    const { text, calls, finish, usage: counted } = read(recorded.sglangCalls);
    assert.deepEqual(text, 'Let me see.');
    assert.deepEqual(calls, [['call_7d1', 'get_weather', '{"city": "Bern"}', undefined]]);
    assert.deepEqual([finish, counted], ['tool-calls', usage(50, 30, { cacheRead: 150 })]);
  });

  test('llama-server: cut at the limit', () => {
    const { text, reasoning, finish, usage: counted } = read(recorded.llamaServerText);
    assert.deepEqual([text, reasoning, finish, counted], ['Parrots', 'Hm.', 'length', usage(21, 4)]);
  });

  test('Ollama: whole calls that all have index 0', () => {
    const { reasoning, calls, finish } = read(recorded.ollamaCalls);
    assert.deepEqual(
      calls.map(([id, , args]) => [id, args]),
      [
        ['call_h1', bern],
        ['call_h2', rom],
      ],
    );
    assert.deepEqual([reasoning, finish], ['Two cities.', 'tool-calls']);
  });

  test('OpenRouter: comments, reasoning, usage with cache writes after the end', () => {
    const { text, reasoning, finish, usage: counted } = read(recorded.openrouterReasoning);
    assert.deepEqual([text, reasoning, finish], ['A parrot.', 'Birds.', 'end']);
    assert.deepEqual(counted, usage(40, 30, { cacheRead: 40, cacheWrite: 20, reasoning: 12 }));
  });

  test('DeepSeek: reasoning, then text in other characters', () => {
    const { text, reasoning, usage: counted } = read(recorded.deepseekReasoning);
    assert.deepEqual([text, reasoning], ['鹦鹉', 'Birds?']);
    assert.deepEqual(counted, usage(6, 25, { cacheRead: 64, reasoning: 20 }));
  });

  test('Groq: usage in a field of its own', () => {
    const { text, reasoning, usage: counted } = read(recorded.groqText);
    assert.deepEqual([text, reasoning, counted], ['A parrot.', 'Birds.', usage(75, 15)]);
  });

  test('Gemini: calls without index, with a signature, that end with stop; thoughts in the total', () => {
    const { calls, finish, usage: counted } = read(recorded.geminiCalls);
    assert.deepEqual(calls, [
      ['function-call-1', 'get_weather', bern, 'EjQKMg=='],
      ['function-call-2', 'get_weather', rom, undefined],
    ]);
    assert.deepEqual([finish, counted], ['tool-calls', usage(80, 170, { reasoning: 136 })]);
  });

  test('Mistral: thinking as parts of the content', () => {
    const { text, reasoning, finish } = read(recorded.mistralThinking);
    assert.deepEqual([text, reasoning, finish], ['A parrot.', 'Birds.', 'end']);
  });
});

suite('streams that end early', () => {
  test('at no byte do they become a false end: the model said that it was done, or it is a failure', () => {
    for (const [name, stream] of Object.entries(recorded)) {
      const bytes = Buffer.from(stream);
      const whole = read(stream);
      const doneAt = endOfReason(bytes);
      for (let at = 0; at < bytes.length; at++) {
        const received = cutAt(bytes, at);
        if (at < doneAt) assert.equal(received, 'bad_gateway', `${name} at ${at}`);
        else
          assert.deepEqual(
            { ...(received as object), usage: null },
            { ...whole, usage: null },
            `${name} at ${at}`,
          );
      }
    }
  });
});

/** Where the chunk with the reason to finish is whole. */
function endOfReason(bytes: Buffer): number {
  const at = /"finish_reason":"/.exec(bytes.toString('latin1'))?.index ?? -1;
  return bytes.indexOf('\n', at);
}

function cutAt(bytes: Buffer, at: number): ReturnType<typeof summary> | string {
  const sse = new EventReader(1_000_000);
  const reader = new ResponseReader({
    stop: [],
    thinkTags: true,
    functions: [],
    estimateInput: () => 1,
    ids,
  });
  try {
    const events = [...reader.push(sse.push(bytes.subarray(0, at)))];
    return summary([...events, ...reader.push(sse.end()), ...reader.end()]);
  } catch (error) {
    assert.ok(error instanceof Fault, String(error));
    return error.code;
  }
}

suite('usage', () => {
  test('without counts there is none', () => {
    for (const value of [undefined, null, {}, 'x', { total_tokens: 3 }, { prompt_tokens: null }]) {
      assert.equal(fromUsage(value), null);
    }
  });

  test('counts that cannot be are marked, so that an estimate takes their place', () => {
    const odd = { prompt_tokens: 5, completion_tokens: -1, prompt_tokens_details: { cached_tokens: 9 } };
    assert.equal(fromUsage(odd)?.output, Number.NaN);
    assert.equal(fromUsage({ prompt_tokens: 5.5, completion_tokens: 2 })?.input, Number.NaN);
    assert.equal(fromUsage({ prompt_tokens: 1e300, completion_tokens: 2 })?.input, Number.NaN);
  });
});

test('a long answer keeps nothing of what it has told, and is still counted', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heapBytes = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const sse = new EventReader(1_000_000);
  const reader = new ResponseReader({
    stop: [],
    thinkTags: true,
    functions: [],
    estimateInput: () => 1,
    ids,
  });
  const deltas = 100_000;
  const tell = (index: number) => {
    const choices = [{ index: 0, delta: { content: `sheep that jumps over number ${index} ` } }];
    reader.push(sse.push(Buffer.from(`data: ${JSON.stringify({ id: 'chatcmpl-1', choices })}\n\n`)));
  };
  tell(0);
  const before = heapBytes();
  for (let index = 1; index < deltas; index++) tell(index);
  const kept = heapBytes() - before;
  assert.ok(kept < deltas * 20, `${kept / deltas} bytes a delta`);
  const [told] = reader.push(sse.push(Buffer.from('data: [DONE]\n\n')));
  assert.deepEqual(told?.type === 'usage' && told.usage, usage(1, 6 * deltas));
});
