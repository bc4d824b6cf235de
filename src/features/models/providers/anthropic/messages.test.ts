import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../../kernel/faults.ts';
import type { AssistantPart, ToolResult, Turn, UserPart } from '../../model.ts';
import { toMessages } from './messages.ts';

const options = { thinking: true, prefill: true, cache: true };
const text = (value: string) => ({ type: 'text', text: value }) as const;
const user = (...parts: readonly UserPart[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: readonly AssistantPart[]): Turn => ({ role: 'assistant', parts });
const call = (id: string, change: Partial<AssistantPart> = {}) =>
  ({ type: 'tool-call', id, name: 'weather', arguments: '{"city":"Bern"}', ...change }) as AssistantPart;
const results = (...all: readonly Partial<ToolResult>[]): Turn => ({
  role: 'tool',
  results: all.map((result) => ({
    callId: 'a',
    name: 'weather',
    parts: [text('Sun')],
    isError: false,
    ...result,
  })),
});
const use = (id: string, input: object = { city: 'Bern' }) => ({
  type: 'tool_use',
  id,
  name: 'weather',
  input,
});
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: [text('Sun')] });

test('neighbours of one role become one message, and results stand first in it', () => {
  const turns = [
    user(text('One')),
    user(text('Two')),
    assistant(text('Looking.')),
    assistant(call('a'), call('b')),
    results({ callId: 'a' }),
    user(text('And?')),
    results({ callId: 'b' }),
    assistant(text('Sun.')),
    user(text('Thanks')),
  ];
  assert.deepEqual(toMessages(turns, options), [
    { role: 'user', content: [text('One'), text('Two')] },
    { role: 'assistant', content: [text('Looking.'), use('a'), use('b')] },
    { role: 'user', content: [result('a'), result('b'), text('And?')] },
    { role: 'assistant', content: [text('Sun.')] },
    { role: 'user', content: [text('Thanks')] },
  ]);
});

test('the first word is the user’s, and blank text is nobody’s', () => {
  assert.deepEqual(toMessages([], options), [{ role: 'user', content: [text('Begin.')] }]);
  const turns = [user(text('  \n')), assistant(text(''), text('Hello')), user(text('Hi'))];
  assert.deepEqual(
    toMessages(turns, options).map(({ role, content }) => [role, content.length]),
    [
      ['user', 1],
      ['assistant', 1],
      ['user', 1],
    ],
  );
});

test('a prefill loses the white space at its end, or becomes a wish to go on', () => {
  const turns = [user(text('Say')), assistant(text('So \n'))];
  assert.deepEqual(toMessages(turns, options).at(-1), { role: 'assistant', content: [text('So')] });
  const [, received, last] = toMessages(turns, { ...options, prefill: false });
  assert.deepEqual(received, { role: 'assistant', content: [text('So \n')] });
  assert.equal(last?.role, 'user');
});

test('images and documents become their blocks; a type that has none is refused', () => {
  const image = { type: 'image', mediaType: 'image/png', base64: 'aW1n' } as const;
  const file = (mediaType: string, content: string, title: string | null = null) =>
    ({ type: 'document', mediaType, base64: Buffer.from(content).toString('base64'), title }) as const;
  const [message] = toMessages(
    [user(image, file('application/pdf', 'pdf', 'T'.repeat(600)), file('text/csv; charset=utf-8', 'a,ü'))],
    options,
  );
  assert.deepEqual(message?.content, [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aW1n' } },
    {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'cGRm' },
      title: 'T'.repeat(500),
    },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,ü' } },
  ]);
  assert.throws(
    () => toMessages([user(file('application/zip', 'zip'))], options),
    (error) => error instanceof Fault && error.code === 'invalid_value',
  );
});

test('arguments keep every digit', () => {
  const digits = '{"id":12345678901234567890}';
  const [, message] = toMessages([user(text('x')), assistant(call('a', { arguments: digits }))], options);
  assert.equal(JSON.stringify(message?.content[0]?.['input']), digits);
});

test('arguments become an object, whatever a model wrote', () => {
  const inputs = ['', '{}', '[1]', '{"cit', '"x"'].map((value) => {
    const [, message] = toMessages([user(text('x')), assistant(call('a', { arguments: value }))], options);
    return message?.content[0]?.['input'];
  });
  assert.deepEqual(inputs, [{}, {}, { arguments: '[1]' }, { arguments: '{"cit' }, { arguments: '"x"' }]);
});

test('ids of other models are written in the letters of the wire, the same for call and result', () => {
  const turns = [user(text('x')), assistant(call('functions.get:0')), results({ callId: 'functions.get:0' })];
  const [, calls, received] = toMessages(turns, options);
  const id = calls?.content[0]?.['id'];
  assert.ok(typeof id === 'string' && /^[\w-]+$/.test(id));
  assert.equal(received?.content[0]?.['tool_use_id'], id);
});

test('an error holds text alone, and an empty result nothing', () => {
  const image = { type: 'image', mediaType: 'image/png', base64: 'aW1n' } as const;
  const blocks = toMessages(
    [
      user(text('x')),
      assistant(call('a')),
      results({ parts: [text('No.'), image], isError: true }, { parts: [] }),
    ],
    options,
  ).at(-1)?.content;
  assert.deepEqual(blocks, [
    { type: 'tool_result', tool_use_id: 'a', content: [text('No.')], is_error: true },
    { type: 'tool_result', tool_use_id: 'a' },
  ]);
});

test('thoughts go back before the text and the call that they led to, if they are this wire’s', () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
  const hidden = { type: 'redacted_thinking', data: 'ZGF0YQ' };
  const parts = (signature: string) => [
    text('Looking.'),
    call('a', { signature }),
    text('Again.'),
    call('b', { signature: JSON.stringify([hidden]) }),
  ];
  const content = (signature: string, thinking = true) =>
    toMessages([user(text('x')), assistant(...parts(signature))], { ...options, thinking })[1]?.content;
  assert.deepEqual(content(JSON.stringify([thought])), [
    thought,
    text('Looking.'),
    use('a'),
    hidden,
    text('Again.'),
    use('b'),
  ]);
  assert.equal(content(JSON.stringify([thought]), false)?.length, 4);
  for (const foreign of [
    '',
    'opaque',
    '[{"type":"thinking"}]',
    '[{"type":"text","text":"x"}]',
    '{"google":{}}',
  ]) {
    assert.equal(content(foreign)?.length, 5, foreign);
  }
});

test('thoughts of the caller go back in their places, once', () => {
  const kept = call('a', { signature: '[{"type":"thinking","thinking":"old","signature":"s"}]' });
  const thought = (said: string | null) => ({ type: 'thought', text: said, signature: 'sig' }) as const;
  const turns = [user(text('x')), assistant(thought('first'), text('then'), thought(null), kept)];
  const [, message] = toMessages(turns, options);
  assert.deepEqual(message?.content, [
    { type: 'thinking', thinking: 'first', signature: 'sig' },
    text('then'),
    { type: 'redacted_thinking', data: 'sig' },
    { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Bern' } },
  ]);
  const [, silent] = toMessages(turns, { ...options, thinking: false });
  assert.deepEqual(
    silent?.content.map(({ type }) => type),
    ['text', 'tool_use'],
  );
});
