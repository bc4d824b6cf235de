import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { chunk, data, done } from '../support/upstream-chat.ts';
import { call, called, callsOf, end, fail, fn, read, text } from './chat-reading.ts';

suite('texts of hostile streams', () => {
  test('the first delta may carry text with the role', async (t) => {
    assert.equal(
      (await read(t, [chunk({ role: 'assistant', content: 'Hi' }), text(' there'), ...end])).text,
      'Hi there',
    );
  });

  test('empty lists of calls in text deltas are no calls', async (t) => {
    const answer = await read(t, [
      chunk({ content: 'a', tool_calls: [] }),
      chunk({ content: 'b', tool_calls: null }),
      ...end,
    ]);
    assert.deepEqual([answer.text, answer.calls, answer.reason], ['ab', [], 'end']);
  });

  test('null and missing content, empty and missing choices are passed by', async (t) => {
    const steps = [
      data({ choices: [] }),
      data({ object: 'chat.completion.chunk' }),
      data({ choices: [{ index: 0, finish_reason: null }] }),
      chunk({ role: 'assistant', content: null }),
      data({ choices: [null] }),
      text('a'),
    ];
    assert.equal((await read(t, [...steps, ...end])).text, 'a');
  });

  test('content as a list of parts is read, thinking apart', async (t) => {
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'a' },
    ];
    const answer = await read(t, [
      chunk({ content: parts }),
      chunk({ content: [{ type: 'text', text: 'b' }, 'c'] }),
      ...end,
    ]);
    assert.deepEqual([answer.reasoning, answer.text], ['hm', 'abc']);
  });

  test('characters that are split over packets are whole again', async (t) => {
    const bytes = Buffer.from([text('pärröt 🦜'), ...end].join(''));
    const singly = Array.from({ length: 120 }, (_, i) => bytes.subarray(i, i + 1));
    assert.equal((await read(t, [...singly, bytes.subarray(120)])).text, 'pärröt 🦜');
  });

  test('CRLF, comments, other fields and data without a space are read', async (t) => {
    const crlf = [text('a'), ...end].join('').replaceAll('\n', '\r\n').replaceAll('data: ', 'data:');
    assert.equal(
      (await read(t, [': OPENROUTER PROCESSING\r\n\r\n', ':\n\n', 'retry: 3\n\n', crlf])).text,
      'a',
    );
  });

  test('many chunks in one packet and one chunk in many packets are the same', async (t) => {
    const whole = [text('a'), text('b'), text('c'), ...end].join('');
    const once = await read(t, [whole]);
    assert.deepEqual(
      once.events.filter(({ type }) => type === 'text-delta').length,
      1,
      'neighbours are one delta',
    );
    const cut = await read(t, [whole.slice(0, 40), whole.slice(40, 200), whole.slice(200)]);
    assert.deepEqual([once.text, cut.text], ['abc', 'abc']);
  });

  test('texts with every character that JSON escapes arrive as they were', async (t) => {
    const pieces = [
      '"',
      '\\',
      '\n',
      '\u2028',
      '\\"',
      '"}',
      '","content":"x',
      '\u0000',
      '😀',
      'data: x\n\n',
      '{',
      '',
    ];
    const answer = await read(t, [...pieces.map(text), ...end]);
    assert.equal(answer.text, pieces.join(''));
  });

  test('an encoding that nobody asked for is undone', async (t) => {
    const steps = [gzipSync([text('zipped'), ...end].join(''))];
    assert.equal((await read(t, { headers: { 'content-encoding': 'gzip' }, steps })).text, 'zipped');
  });

  test('a large chunk passes, one above the cap is refused', async (t) => {
    const large = 'x'.repeat(3_000_000);
    assert.equal((await read(t, [text(large), ...end])).text.length, large.length);
    assert.equal(await fail(t, [text('x'.repeat(9_000_000)), ...end]), 'bad_gateway');
  });

  test('reasoning has the names that servers give it, once', async (t) => {
    for (const name of ['reasoning_content', 'reasoning']) {
      const answer = await read(t, [
        chunk({ content: '', [name]: 'hm ' }),
        chunk({ content: null, [name]: 'so' }),
        text('a'),
        ...end,
      ]);
      assert.deepEqual([answer.reasoning, answer.text], ['hm so', 'a']);
    }
    const both = await read(t, [chunk({ reasoning_content: 'hm', reasoning: 'hm' }), text('a'), ...end]);
    assert.equal(both.reasoning, 'hm');
  });

  test('a text that begins with <think> is split, one that holds it later is not', async (t) => {
    const begins = await read(t, [
      text('\n<thi'),
      text('nk>\nhm </th'),
      text('ink>\n\n'),
      text('a <think>'),
      ...end,
    ]);
    assert.deepEqual([begins.reasoning, begins.text], ['hm ', 'a <think>']);
    const later = await read(t, [text('a '), text('<think>b</think>'), ...end]);
    assert.deepEqual([later.reasoning, later.text], ['', 'a <think>b</think>']);
  });

  test('a whole completion instead of events is read, in one piece or several', async (t) => {
    const whole = JSON.stringify({
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Whole.' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 4, completion_tokens: 2 },
    });
    for (const steps of [[whole], [' \n', whole.slice(0, 30), whole.slice(30)]]) {
      const answer = await read(t, { headers: { 'content-type': 'application/json' }, steps });
      assert.deepEqual([answer.text, answer.reason, answer.usage.output], ['Whole.', 'length', 2]);
    }
  });
});

suite('calls of hostile streams', () => {
  test('arguments may come with the name', async (t) => {
    const answer = await read(t, [call({ index: 0, id: 'a', ...fn('{"x":1}', 'f') }), ...called]);
    assert.deepEqual(callsOf(answer), [['f', '{"x":1}']]);
    assert.equal(answer.reason, 'tool-calls');
  });

  test('arguments split inside tokens and characters are put together', async (t) => {
    const bytes = Buffer.from(
      [
        call({ index: 0, id: 'a', ...fn('', 'f') }),
        call({ index: 0, ...fn('{"x":"Zü') }),
        call({ index: 0, ...fn('rich"}') }),
        ...called,
      ].join(''),
    );
    const at = bytes.indexOf('ü') + 1;
    assert.deepEqual(callsOf(await read(t, [bytes.subarray(0, at), bytes.subarray(at)])), [
      ['f', '{"x":"Zürich"}'],
    ]);
  });

  test('parallel calls that all have index 0 are distinguished by id', async (t) => {
    const steps = [
      call({ index: 0, id: 'a', ...fn('{"x":', 'f') }),
      call({ index: 0, ...fn('1}') }),
      call({ index: 0, id: 'b', ...fn('{"x":', 'f') }),
      call({ index: 0, ...fn('2}') }),
    ];
    const answer = await read(t, [...steps, ...called]);
    assert.deepEqual(
      answer.calls.map(({ id, arguments: args }) => [id, args]),
      [
        ['a', '{"x":1}'],
        ['b', '{"x":2}'],
      ],
    );
  });

  test('interleaved calls keep their own pieces', async (t) => {
    const steps = [
      call({ index: 0, id: 'a', ...fn('', 'f') }),
      call({ index: 1, id: 'b', ...fn('', 'g') }),
      call({ index: 1, ...fn('{"y":') }),
      call({ index: 0, ...fn('{"x":') }),
      chunk({
        tool_calls: [
          { index: 0, ...fn('1}') },
          { index: 1, ...fn('2}') },
        ],
      }),
    ];
    assert.deepEqual(callsOf(await read(t, [...steps, ...called])), [
      ['f', '{"x":1}'],
      ['g', '{"y":2}'],
    ]);
  });

  test('calls without ids get ids of their own', async (t) => {
    const steps = [
      call({ index: 0, id: '', ...fn('{}', 'f') }),
      call({ index: 1, id: null, ...fn('{"y":2}', 'g') }),
    ];
    const { calls } = await read(t, [...steps, ...called]);
    assert.deepEqual(
      calls.map(({ name }) => name),
      ['f', 'g'],
    );
    assert.ok(calls.every(({ id }) => /^call_[0-9a-f]{32}$/.test(id)));
  });

  test('whole calls without index or id are calls of their own, also of one function', async (t) => {
    const steps = [chunk({ tool_calls: [fn('{"x":1}', 'f'), fn('{"x":2}', 'f')] }), call(fn('{"y":3}', 'g'))];
    assert.deepEqual(callsOf(await read(t, [...steps, ...called])), [
      ['f', '{"x":1}'],
      ['f', '{"x":2}'],
      ['g', '{"y":3}'],
    ]);
  });

  test('one id for two calls does not make one of them', async (t) => {
    const steps = [
      call({ index: 0, id: 'a', ...fn('{"x":1}', 'f') }),
      call({ index: 1, id: 'a', ...fn('{"y"', 'g') }),
      call({ index: 1, id: 'a', ...fn(':2}') }),
    ];
    assert.deepEqual(callsOf(await read(t, [...steps, ...called])), [
      ['f', '{"x":1}'],
      ['g', '{"y":2}'],
    ]);
  });

  test('name and id that are repeated with each piece are one call, and so are ids that change', async (t) => {
    const repeated = ['{"x"', ':1', '}'].map((args) =>
      call({ index: 0, id: 'a', type: 'function', ...fn(args, 'f') }),
    );
    assert.deepEqual(callsOf(await read(t, [...repeated, ...called])), [['f', '{"x":1}']]);
    const nameOnly = ['{"x"', ':1}'].map((args) => call({ index: 0, ...fn(args, 'f') }));
    assert.deepEqual(callsOf(await read(t, [...nameOnly, ...called])), [['f', '{"x":1}']]);
    const changing = [
      call({ index: 0, id: 'a', ...fn('{"x"', 'f') }),
      call({ index: 0, id: 'b', ...fn(':1}') }),
    ];
    assert.deepEqual(callsOf(await read(t, [...changing, ...called])), [['f', '{"x":1}']]);
  });

  test('a name that comes after the id starts the call then, and one that never comes is no call', async (t) => {
    const late = [
      call({ index: 0, id: 'a', function: {} }),
      call({ index: 0, ...fn('{"x":1}') }),
      call({ index: 0, ...fn('', 'f') }),
    ];
    assert.deepEqual(callsOf(await read(t, [...late, ...called])), [['f', '{"x":1}']]);
    const never = await read(t, [text('a'), call({ index: 0, id: 'a', ...fn('{}') }), ...called]);
    assert.deepEqual([never.calls, never.text, never.reason], [[], 'a', 'end']);
  });

  test('arguments as an object are read as their text', async (t) => {
    const given = { index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } };
    assert.deepEqual(callsOf(await read(t, [call(given), ...called])), [['f', '{"x":1}']]);
  });

  test('calls that end with stop are still calls, and their signature is kept', async (t) => {
    const given = { id: 'a', extra_content: { google: { thought_signature: 'c2ln' } }, ...fn('{}', 'f') };
    const answer = await read(t, [call(given, 'stop'), done]);
    assert.equal(answer.reason, 'tool-calls');
    const start = answer.events.find(({ type }) => type === 'tool-call-start');
    assert.deepEqual(start, { type: 'tool-call-start', id: 'a', name: 'f', signature: 'c2ln' });
  });
});
