import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { FunctionTool, ModelEvent } from '../../src/features/models/model.ts';
import { fail, read } from './chat-reading.ts';
import type { HostileStream } from './hostile-stream.fixture.ts';
import { hostileStreams } from './hostile-streams.fixture.ts';

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

suite('hostile streams of chat completions', () => {
  test('are as many as are promised', () => {
    assert.ok(hostileStreams.length >= 150, String(hostileStreams.length));
    assert.equal(new Set(hostileStreams.map(({ about }) => about)).size, hostileStreams.length);
  });

  for (const { about, steps, said, reason, usage } of hostileStreams) {
    test(about, async (t) => {
      if (said === null) return assert.equal(await fail(t, steps), 'bad_gateway');
      const answer = await read(t, steps, { tools, stop: ['END'] });
      assert.deepEqual(saidIn(answer.events), said);
      assert.equal(answer.reason, reason ?? usualReason(said));
      if (usage) assert.deepEqual([answer.usage.input, answer.usage.output], usage);
    });
  }
});

function usualReason(said: NonNullable<HostileStream['said']>): string {
  return said.some((one) => typeof one !== 'string') ? 'tool-calls' : 'end';
}
