import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../../../kernel/faults.ts';
import type { ModelEvent } from '../../model.ts';
import { Answer, type AnswerOptions } from './answer.ts';
import type { ToolFormat } from './tool-format.ts';

const marked: ToolFormat = {
  open: '<tool_call>\n{"name": "',
  middle: '", "arguments": ',
  between: '}\n</tool_call>\n<tool_call>\n{"name": "',
  close: '}\n</tool_call>',
  marked: true,
  argumentsAs: 'object',
};
const listed: ToolFormat = {
  open: '[CALLS][{"name": "',
  middle: '", "arguments": ',
  between: '}, {"name": "',
  close: '}]',
  marked: true,
  argumentsAs: 'object',
};
const bare: ToolFormat = {
  open: '{"name": "',
  middle: '", "parameters": ',
  between: null,
  close: '}',
  marked: false,
  argumentsAs: 'object',
};
const thought = { open: '<think>', close: '</think>' };
const free = { grammar: null, from: 'start', calls: null, forced: false } as const;
const lazy = (calls: ToolFormat) => ({ grammar: 'g', from: 'call', calls, forced: false }) as const;

function optionsOf(more: Partial<AnswerOptions>): AnswerOptions {
  return {
    plan: free,
    thought: null,
    inThought: false,
    stop: [],
    parallelToolCalls: true,
    idOf: (index) => `id${index}`,
    ...more,
  };
}

/** The events of a text that comes in these pieces; surplus comes again, as the model would write it again. */
function read(pieces: readonly string[], more: Partial<AnswerOptions>) {
  const answer = new Answer(optionsOf(more));
  const events: ModelEvent[] = [];
  for (const piece of pieces) {
    for (let rest = piece; rest !== '' && !answer.isOver;) {
      const heard = answer.push(rest);
      events.push(...heard.events);
      rest = heard.surplus;
    }
  }
  const end = answer.end('end');
  events.push(...end.events);
  const textOf = (type: 'text-delta' | 'reasoning-delta') =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  const calls = events.flatMap((event) =>
    event.type === 'tool-call-start' ? [{ id: event.id, name: event.name }] : [],
  );
  return {
    text: textOf('text-delta'),
    reasoning: textOf('reasoning-delta'),
    calls: calls.map(({ id, name }) => [
      name,
      events
        .map((event) => (event.type === 'tool-call-delta' && event.id === id ? event.arguments : ''))
        .join(''),
    ]),
    ended: events.flatMap((event) => (event.type === 'tool-call-end' ? [event.id] : [])),
    reason: end.reason,
    stopSequence: end.stopSequence,
  };
}

/** The same, however the text is cut. */
function readAnyhow(text: string, more: Partial<AnswerOptions>) {
  const whole = read([text], more);
  assert.deepEqual(read([...text], more), whole);
  const cuts = fc.array(fc.nat(text.length), { maxLength: 8 });
  fc.assert(
    fc.property(cuts, (places) => {
      const at = [0, ...places.toSorted((a, b) => a - b), text.length];
      const pieces = at.slice(1).map((to, index) => text.slice(at[index], to));
      assert.deepEqual(read(pieces, more), whole);
    }),
    { numRuns: 40 },
  );
  return whole;
}

suite('reading an answer', () => {
  test('emits plain text as it is', () => {
    const answer = readAnyhow('  Hello <tool_call> and <think> are words here. ', {});
    assert.equal(answer.text, '  Hello <tool_call> and <think> are words here. ');
    assert.equal(answer.reason, 'end');
  });

  test('sets a thought apart, opened by the prompt or by the model', () => {
    const received = { reasoning: 'Hm, a < b.\n', text: 'Yes.' };
    const opened = readAnyhow('Hm, a < b.\n</think>\n\nYes.', { thought, inThought: true });
    assert.deepEqual({ reasoning: opened.reasoning, text: opened.text }, received);
    const own = readAnyhow('\n<think>\nHm, a < b.\n</think>\n\nYes.', { thought });
    assert.deepEqual({ reasoning: own.reasoning, text: own.text }, received);
    assert.deepEqual(readAnyhow('<thin', { thought }).text, '<thin');
    assert.equal(readAnyhow('So <think> is a tag', { thought }).text, 'So <think> is a tag');
  });

  test('stops at a stop sequence in the text, and never in a thought', () => {
    const answer = readAnyhow('Hm STOP\n</think>one STOP two', { thought, inThought: true, stop: ['STOP'] });
    assert.deepEqual([answer.reasoning, answer.text], ['Hm STOP\n', 'one ']);
    assert.deepEqual([answer.reason, answer.stopSequence], ['stop-sequence', 'STOP']);
    assert.equal(readAnyhow('one STO', { stop: ['STOP'] }).text, 'one STO');
  });

  test('finds calls behind text, one and several', () => {
    const one = '<tool_call>\n{"name": "weather", "arguments": {"a": "}{\\"", "b": [1]}}\n</tool_call>';
    const two = `${one}\n<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>`;
    const single = readAnyhow(`Let me see.\n${one}`, { plan: lazy(marked) });
    assert.equal(single.text, 'Let me see.');
    assert.deepEqual(single.calls, [['weather', '{"a": "}{\\"", "b": [1]}']]);
    assert.equal(single.reason, 'tool-calls');
    const both = readAnyhow(two, { plan: lazy(marked) });
    assert.deepEqual(
      both.calls.map(([name]) => name),
      ['weather', 'clock'],
    );
    assert.deepEqual(both.ended, ['id0', 'id1']);
    const list = '[CALLS][{"name": "a", "arguments": {"x": 1}}, {"name": "b", "arguments": {}}]';
    assert.deepEqual(readAnyhow(list, { plan: lazy(listed) }).calls, [
      ['a', '{"x": 1}'],
      ['b', '{}'],
    ]);
  });

  test('takes a call without a marker only where an answer begins', () => {
    const call = '{"name": "weather", "parameters": {"city": "Bern"}}';
    assert.deepEqual(readAnyhow(call, { plan: lazy(bare) }).calls, [['weather', '{"city": "Bern"}']]);
    assert.equal(readAnyhow(`Like ${call}`, { plan: lazy(bare) }).text, `Like ${call}`);
    assert.equal(readAnyhow('{"nam', { plan: lazy(bare) }).text, '{"nam');
  });

  test('has nothing after one call where one is all that was asked for', () => {
    const answer = new Answer(optionsOf({ plan: lazy(marked), parallelToolCalls: false }));
    answer.push('<tool_call>');
    answer.push('\n{"name": "weather", "arguments": {}}\n</tool_call>');
    assert.equal(answer.isOver, true);
  });

  test('returns the text behind the place where a grammar begins', () => {
    const answer = new Answer(optionsOf({ plan: lazy(marked) }));
    assert.equal(answer.isBound, false);
    const { surplus } = answer.push('Text <tool_call>\n{"na');
    assert.equal(surplus, '\n{"na');
    assert.equal(answer.isBound, true);
    const thinking = new Answer(optionsOf({ plan: { ...free, grammar: 'g' }, thought, inThought: true }));
    assert.equal(thinking.isBound, false);
    assert.equal(thinking.push('Hm</think>\n{').surplus, '\n{');
    assert.equal(thinking.isBound, true);
  });

  test('a call that was cut off is an unusable answer, and says why', () => {
    const answer = new Answer(optionsOf({ plan: { ...lazy(marked), from: 'start', forced: true } }));
    answer.push('<tool_call>\n{"name": "weather", "arguments": {"ci');
    assert.throws(() => answer.end('length'), { code: 'bad_gateway', message: /limit of tokens/ });
  });

  test('what does not read as a call is an unusable answer', () => {
    const answer = new Answer(optionsOf({ plan: lazy(marked) }));
    answer.push('<tool_call>');
    assert.throws(
      () => answer.push(' nonsense'),
      (error) => error instanceof Fault && error.code === 'bad_gateway',
    );
  });
});
