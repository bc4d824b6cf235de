import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyRequest, type ModelRequest } from '../../model.ts';
import { toCallOptions, toOlderOptions } from './request.ts';

const plain: ModelRequest = {
  ...emptyRequest,
  system: ['Be brief.', ' ', 'Be kind.'],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
};

const asked = (change: Partial<ModelRequest>) => toCallOptions({ ...plain, ...change }, 'acme');

const tool = {
  name: 'weather',
  description: null,
  parameters: { type: 'object', properties: {} },
  strict: true,
} as const;

const image = { type: 'image', mediaType: 'image/png', base64: 'aW1n' } as const;
const paper = { type: 'document', mediaType: 'application/pdf', base64: 'cGRm', title: 'Paper' } as const;

test('a plain request is a prompt and nothing else', () => {
  assert.deepEqual(asked({}), {
    prompt: [
      { role: 'system', content: 'Be brief.\n\nBe kind.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    ],
  });
  assert.deepEqual(asked({ system: [], turns: [{ role: 'user', parts: [] }] }), { prompt: [] });
});

test('each setting has its name, and null none', () => {
  const { prompt: _prompt, ...options } = asked({
    outputTokensMax: 100,
    stop: ['END'],
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    seed: 7,
    effort: 'low',
  });
  assert.deepEqual(options, {
    maxOutputTokens: 100,
    stopSequences: ['END'],
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    presencePenalty: 0.1,
    frequencyPenalty: 0.2,
    seed: 7,
    reasoning: 'low',
  });
});

test('tools, their choice and the wish for one call at a time are handed over', () => {
  const { tools, toolChoice, providerOptions } = asked({ tools: [tool], parallelToolCalls: false });
  assert.deepEqual(tools, [
    { type: 'function', name: 'weather', inputSchema: tool.parameters, strict: true },
  ]);
  assert.deepEqual(toolChoice, { type: 'auto' });
  assert.deepEqual(providerOptions, { acme: { parallelToolCalls: false } });
  assert.deepEqual(asked({ tools: [tool], toolChoice: { name: 'weather' } }).toolChoice, {
    type: 'tool',
    toolName: 'weather',
  });
  assert.deepEqual(asked({ tools: [tool], toolChoice: 'required' }).toolChoice, { type: 'required' });
  assert.equal(asked({ toolChoice: 'required', parallelToolCalls: false }).providerOptions, undefined);
});

test('formats are handed over with their schema', () => {
  assert.deepEqual(asked({ format: { type: 'json' } }).responseFormat, { type: 'json' });
  const schema = { type: 'object' };
  const { responseFormat, providerOptions } = asked({
    format: { type: 'json-schema', name: 'thing', schema, description: null, strict: true },
  });
  assert.deepEqual(responseFormat, { type: 'json', name: 'thing', schema });
  assert.deepEqual(providerOptions, { acme: { strictJsonSchema: true } });
});

const round: ModelRequest['turns'] = [
  { role: 'user', parts: [image, paper] },
  {
    role: 'assistant',
    parts: [
      { type: 'text', text: 'Looking.' },
      {
        type: 'tool-call',
        id: 'a',
        name: 'weather',
        arguments: '{"city":"Bern"}',
        signature: '{"acme":{"s":1}}',
      },
      { type: 'tool-call', id: 'b', name: 'weather', arguments: '', signature: '[{"type":"thinking"}]' },
      { type: 'tool-call', id: 'c', name: 'weather', arguments: '{"cit' },
    ],
  },
  {
    role: 'tool',
    results: [
      { callId: 'a', name: 'weather', parts: [{ type: 'text', text: 'Sun' }], isError: false },
      { callId: 'b', name: 'weather', parts: [{ type: 'text', text: 'No.' }], isError: true },
      { callId: 'c', name: 'weather', parts: [{ type: 'text', text: 'See' }, image], isError: false },
    ],
  },
];

test('files, calls and results become the parts of a prompt', () => {
  const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aW1n' } };
  const call = { type: 'tool-call', toolName: 'weather' };
  const result = { type: 'tool-result', toolName: 'weather' };
  assert.deepEqual(asked({ system: [], turns: round }).prompt, [
    {
      role: 'user',
      content: [
        file,
        {
          type: 'file',
          mediaType: 'application/pdf',
          data: { type: 'data', data: 'cGRm' },
          filename: 'Paper',
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Looking.' },
        { ...call, toolCallId: 'a', input: { city: 'Bern' }, providerOptions: { acme: { s: 1 } } },
        { ...call, toolCallId: 'b', input: {} },
        { ...call, toolCallId: 'c', input: '{"cit' },
      ],
    },
    {
      role: 'tool',
      content: [
        { ...result, toolCallId: 'a', output: { type: 'text', value: 'Sun' } },
        { ...result, toolCallId: 'b', output: { type: 'error-text', value: 'No.' } },
        {
          ...result,
          toolCallId: 'c',
          output: { type: 'content', value: [{ type: 'text', text: 'See' }, file] },
        },
      ],
    },
  ]);
});

test('for the version before, files are written as it wants them', () => {
  const { prompt } = toOlderOptions(asked({ system: [], turns: round }));
  const [user, , results] = prompt;
  assert.deepEqual(user?.content[0], { type: 'file', mediaType: 'image/png', data: 'aW1n' });
  assert.deepEqual(results?.content[2], {
    type: 'tool-result',
    toolName: 'weather',
    toolCallId: 'c',
    output: {
      type: 'content',
      value: [
        { type: 'text', text: 'See' },
        { type: 'image-data', mediaType: 'image/png', data: 'aW1n' },
      ],
    },
  });
});
