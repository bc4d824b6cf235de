import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import type { FunctionTool, ModelEvent } from '../../src/features/models/model.ts';
import type { WireStep } from '../support/upstream-chat.ts';
import { answer } from '../support/upstream-messages-model.ts';
import { read } from './chat-reading.ts';
import { hostileMessages } from './hostile-messages.fixture.ts';
import type { HostileStream } from './hostile-stream.fixture.ts';
import { hostileStreams } from './hostile-streams.fixture.ts';
import { faultOf, type Collected } from './suite.ts';

const tools = ['weather', 'now', 'now_in'].map((name): FunctionTool => ({
  name,
  description: null,
  parameters: { type: 'object' },
  strict: false,
}));

/** What a client puts together: a text goes on behind a call that came between. */
function saidIn(events: readonly ModelEvent[]) {
  const said: (string | [name: string, args: string])[] = [];
  const calls = new Map<string, [name: string, args: string]>();
  for (const event of events) {
    const last = said.at(-1);
    if (event.type === 'text-delta' && typeof last === 'string') said[said.length - 1] = last + event.text;
    else if (event.type === 'text-delta') said.push(event.text);
    else if (event.type === 'tool-call-start') {
      const call: [string, string] = [event.name, ''];
      calls.set(event.id, call);
      said.push(call);
    } else if (event.type === 'tool-call-delta') {
      const call = calls.get(event.id);
      if (call) call[1] += event.arguments;
    } else if (event.type === 'tool-call-end' && event.isCut === true) {
      said.splice(said.indexOf(calls.get(event.id) ?? ''), 1);
    }
  }
  return said;
}

const request = { tools, stop: ['END'] };
const wires = [
  {
    name: 'chat completions',
    streams: hostileStreams,
    ask: async (t: TestContext, steps: readonly WireStep[]) => (await read(t, steps, request)) as Collected,
  },
  {
    name: 'messages',
    streams: hostileMessages,
    ask: (t: TestContext, steps: readonly WireStep[]) => answer(t, steps, request),
  },
];

test('there are as many hostile streams as are promised', () => {
  assert.ok(hostileStreams.length >= 150, String(hostileStreams.length));
  for (const { streams } of wires)
    assert.equal(new Set(streams.map(({ about }) => about)).size, streams.length);
});

for (const { name, streams, ask } of wires) {
  suite(`hostile streams of ${name}`, () => {
    for (const { about, steps, said, reason, usage } of streams) {
      test(about, async (t) => {
        if (said === null) return assert.equal((await faultOf(ask(t, steps))).code, 'bad_gateway');
        const told = await ask(t, steps);
        assert.deepEqual(saidIn(told.events), said);
        assert.equal(told.reason, reason ?? usualReason(said));
        if (usage) assert.deepEqual([told.usage.input, told.usage.output], usage);
      });
    }
  });
}

function usualReason(said: NonNullable<HostileStream['said']>): string {
  return said.some((one) => typeof one !== 'string') ? 'tool-calls' : 'end';
}
