import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import {
  emptyRequest,
  type FinishReason,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
  type Provider,
} from '../../src/features/models/model.ts';
import { hangMs } from '../support/until.ts';
import { callTests } from './suite-calls.ts';
import { timeTests } from './suite-time.ts';

/** What a scripted backend says, without a word of any wire. */
export interface Script {
  readonly says: readonly Said[];
  readonly ends:
    | 'end'
    | 'length'
    | 'tool-calls'
    | 'content-filter'
    /** The connection breaks after what was said. */
    | 'cut'
    /** Nothing more comes, and the connection stays. */
    | 'silence'
    /** Bytes go on coming, and complete no event. */
    | 'drip'
    /** Events go on coming. */
    | 'endless'
    /** The backend sends an error of its own inside the stream. */
    | 'error';
  readonly usage: { readonly input: number; readonly output: number };
}

export type Said =
  | { readonly text: string }
  | { readonly reasoning: string }
  | { readonly call: { readonly id: string; readonly name: string; readonly pieces: readonly string[] } };

/** What a scripted backend does instead of an answer. */
export type Refusal =
  'busy' | 'overloaded' | 'broken' | 'too-long' | 'invalid' | 'key' | 'page' | 'down' | 'hang' | 'drip';

export interface ScriptedBackend {
  readonly provider: Provider;
  /** Requests for an answer so far. */
  readonly asked: () => number;
  /** Resolves when the provider let go of the request that is under way. */
  readonly released: () => Promise<void>;
}

/** One provider over a backend that says what a test wants. `timeoutMs` is its longest silence, `totalTimeoutMs` its longest answer. */
export interface ScriptedProvider {
  readonly name: string;
  readonly open: (
    t: TestContext,
    answer: Script | Refusal,
    timeoutMs: number,
    totalTimeoutMs?: number,
  ) => Promise<ScriptedBackend>;
}

export const plainRequest: ModelRequest = {
  ...emptyRequest,
  system: ['Be brief.'],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'What is a kea?' }] }],
};

export interface Collected {
  readonly events: readonly ModelEvent[];
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly usage: ModelUsage;
  readonly reason: FinishReason;
  readonly stopSequence: string | null;
}

/** Reads a stream to its end and checks what every stream holds. */
export async function collect(
  model: Model,
  request: Partial<ModelRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Collected> {
  const events: ModelEvent[] = [];
  for await (const batch of model.stream({ ...plainRequest, ...request }, signal)) {
    assert.ok(batch.length > 0, 'no batch is empty');
    events.push(...batch);
  }
  return checkStream(events);
}

/** The rules of `Model`, over the events of one stream. */
export function checkStream(events: readonly ModelEvent[]): Collected {
  const calls = new Map<string, { id: string; name: string; arguments: string; ended: boolean }>();
  const texts = { 'text-delta': '', 'reasoning-delta': '' };
  let usage: ModelUsage | null = null;
  const cut = new Set<string>();
  for (const [i, event] of events.entries()) {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
        assert.notEqual(event.text, '', 'no delta is empty');
        texts[event.type] += event.text;
        break;
      case 'thought':
        assert.notEqual(event.signature, '', 'a thought is signed');
        break;
      case 'tool-call-start':
        assert.ok(event.id !== '' && event.name !== '', 'a call has an id and a name');
        assert.ok(!calls.has(event.id), 'ids of calls are unique');
        calls.set(event.id, { id: event.id, name: event.name, arguments: '', ended: false });
        break;
      case 'tool-call-delta':
      case 'tool-call-end': {
        const call = calls.get(event.id);
        assert.ok(call !== undefined && !call.ended, `${event.type} belongs to an open call`);
        if (event.type === 'tool-call-delta') call.arguments += event.arguments;
        else {
          call.ended = true;
          if (event.isCut === true) {
            cut.add(event.id);
            calls.delete(event.id);
          }
        }
        break;
      }
      case 'usage':
        ({ usage } = event);
        for (const count of Object.values(usage)) assert.ok(Number.isInteger(count) && count >= 0);
        assert.ok(usage.reasoning <= usage.output);
        break;
      case 'finish':
        assert.equal(i, events.length - 1, 'finish is the last event');
    }
  }
  const last = events.at(-1);
  assert.ok(last?.type === 'finish', 'a stream that did not throw ends with finish');
  assert.ok(usage !== null, 'usage comes before finish');
  for (const call of calls.values()) {
    assert.ok(call.ended, 'every call is ended before finish');
    assert.doesNotThrow(() => JSON.parse(call.arguments) as unknown);
  }
  assert.ok(cut.size === 0 || last.reason === 'content-filter', 'only a filter cuts calls');
  assert.equal(last.stopSequence !== null, last.reason === 'stop-sequence');
  return {
    events,
    text: texts['text-delta'],
    reasoning: texts['reasoning-delta'],
    calls: [...calls.values()].map(({ id, name, arguments: text }) => ({ id, name, arguments: text })),
    usage,
    reason: last.reason,
    stopSequence: last.stopSequence,
  };
}

export function firstModel(provider: Provider): Model {
  const [offered] = provider.models();
  assert.ok(offered !== undefined, 'the provider offers a model');
  return offered.model;
}

/** A promise that must reject with a Fault. */
export async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Fault, `a Fault was expected, not ${String(error)}`);
  return error;
}

/** What a backend writes about itself and must reach no caller and no log. */
export const backendSecret = 'backend-secret-text';

const usage = { input: 12, output: 7 };
/** The longest silence of a backend that no test waits for. */
const long = hangMs;
const weather = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
} as const;

/** What holds for every provider whose backend can be scripted. */
export function scriptedSuite({ name, open }: ScriptedProvider): void {
  const answering = async (t: TestContext, says: readonly Said[], ends: Script['ends'] = 'end') =>
    firstModel((await open(t, { says, ends, usage }, long)).provider);

  suite(`a model of ${name}`, () => {
    test('emits a text in order, its usage and its natural end', async (t) => {
      const model = await answering(t, [{ text: 'The kea ' }, { text: 'is a pärröt 🦜' }, { text: '.' }]);
      const answer = await collect(model);
      assert.equal(answer.text, 'The kea is a pärröt 🦜.');
      assert.deepEqual([answer.reason, answer.stopSequence], ['end', null]);
      assert.deepEqual([answer.usage.input, answer.usage.output], [12, 7]);
    });

    test('separates reasoning from the text', async (t) => {
      const answer = await collect(
        await answering(t, [{ reasoning: 'Birds? ' }, { reasoning: 'Birds.' }, { text: 'A bird.' }]),
      );
      assert.deepEqual([answer.reasoning, answer.text], ['Birds? Birds.', 'A bird.']);
    });

    test('emits calls with their arguments put together', async (t) => {
      const says: Said[] = [
        { text: 'Looking.' },
        { call: { id: 'call_a1', name: 'weather', pieces: ['{"ci', 'ty":"Zü', 'rich"}'] } },
        { call: { id: 'call_b2', name: 'weather', pieces: ['{"city":"Bern"}'] } },
      ];
      const answer = await collect(await answering(t, says, 'tool-calls'), { tools: [weather] });
      assert.equal(answer.text, 'Looking.');
      assert.deepEqual(
        answer.calls.map(({ name, arguments: text }) => [name, JSON.parse(text) as unknown]),
        [
          ['weather', { city: 'Zürich' }],
          ['weather', { city: 'Bern' }],
        ],
      );
      assert.equal(answer.reason, 'tool-calls');
    });

    callTests({ answering, collect, faultOf, weather });

    test('reports why an answer ended', async (t) => {
      for (const ends of ['length', 'content-filter'] as const) {
        assert.equal((await collect(await answering(t, [{ text: 'A bird' }], ends))).reason, ends);
      }
    });

    test('never emits part of a stop sequence, wherever the backend splits it', async (t) => {
      const model = await answering(t, [
        { text: 'one S' },
        { text: 'T' },
        { text: 'OP two' },
        { text: ' STO' },
      ]);
      const stopped = await collect(model, { stop: ['END', 'STOP'] });
      assert.deepEqual(
        [stopped.text, stopped.reason, stopped.stopSequence],
        ['one ', 'stop-sequence', 'STOP'],
      );
      const whole = await collect(model, { stop: ['STOP!'] });
      assert.deepEqual([whole.text, whole.reason], ['one STOP two STO', 'end']);
    });

    test('a stream that is cut, or holds an error, throws and has no finish', async (t) => {
      for (const ends of ['cut', 'error'] as const) {
        const model = await answering(t, [{ text: 'The kea' }], ends);
        const received: ModelEvent[] = [];
        const fault = await faultOf(
          (async () => {
            for await (const batch of model.stream(plainRequest, AbortSignal.timeout(long)))
              received.push(...batch);
          })(),
        );
        assert.equal(fault.code, 'bad_gateway', ends);
        assert.ok(received.every(({ type }) => type !== 'finish'));
      }
    });

    timeTests({ open, firstModel, faultOf, asked: plainRequest, usage, long });

    test('names what failed, without a word of the backend', async (t) => {
      const expected = {
        busy: 'service_unavailable',
        overloaded: 'service_unavailable',
        down: 'service_unavailable',
        broken: 'bad_gateway',
        key: 'bad_gateway',
        page: 'bad_gateway',
        'too-long': 'context_length_exceeded',
        invalid: 'invalid_value',
      } as const;
      for (const [refusal, code] of Object.entries(expected)) {
        const { provider } = await open(t, refusal as Refusal, long);
        const fault = await faultOf(collect(firstModel(provider)));
        assert.equal(fault.code, code, refusal);
        assert.ok(!everythingIn(fault).includes(backendSecret), refusal);
      }
    });

    test('a busy backend passes on the wait that it asks for', async (t) => {
      const { provider } = await open(t, 'busy', long);
      assert.equal((await faultOf(collect(firstModel(provider)))).retryAfterMs, 7_000);
    });

    test('a request that fails leaves the provider up; the fault says whether the server is away', async (t) => {
      const { provider } = await open(t, 'down', long);
      assert.equal((await faultOf(collect(firstModel(provider)))).away, true);
      const page = await open(t, 'page', long);
      assert.equal((await faultOf(collect(firstModel(page.provider)))).away, false);
      assert.deepEqual([provider.health(), page.provider.health()], ['ok', 'ok']);
    });

    test('answers side by side do not mix', async (t) => {
      const model = await answering(t, [{ text: 'a' }, { text: 'b' }, { text: 'c' }]);
      const answers = await Promise.all(Array.from({ length: 12 }, () => collect(model)));
      assert.deepEqual([...new Set(answers.map(({ text }) => text))], ['abc']);
    });
  });
  commonSuite(
    name,
    async (t) => (await open(t, { says: [{ text: 'A parrot.' }], ends: 'end', usage }, long)).provider,
  );
}

/** What holds for every provider, also for one whose answers nobody can foresee. */
export function commonSuite(name: string, open: (t: TestContext) => Promise<Provider>): void {
  suite(`any model of ${name}`, () => {
    test('answers with a stream that holds the rules', async (t) => {
      const answer = await collect(firstModel(await open(t)));
      assert.notEqual(answer.text + answer.reasoning, '');
      assert.ok(answer.usage.output > 0);
    });

    test('counts more tokens for more input', async (t) => {
      const model = firstModel(await open(t));
      const { signal } = new AbortController();
      const few = await model.countTokens(plainRequest, signal);
      const text = 'The kea is a large parrot. '.repeat(50);
      const turns = [...plainRequest.turns, { role: 'user', parts: [{ type: 'text', text }] }] as const;
      assert.ok(few > 0);
      assert.ok((await model.countTokens({ ...plainRequest, turns }, signal)) > few + 200);
    });

    test('an abort beforehand rejects with its reason', async (t) => {
      const model = firstModel(await open(t));
      await assert.rejects(collect(model, {}, AbortSignal.abort(new Error('gone'))), { message: 'gone' });
    });
  });
}

/** Everything that a log could show of an error. */
export function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? '';
  const own = Object.getOwnPropertyNames(error)
    .filter((key) => key !== 'cause')
    .map((key) => String((error as unknown as Record<string, unknown>)[key]));
  return `${own.join('\n')}\n${error.cause === undefined ? '' : everythingIn(error.cause)}`;
}
