import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import type { ModelRequest } from '../../src/features/models/model.ts';
import { chunk, done, usageChunk, type WireAnswer, type WireRequest } from '../support/upstream-chat.ts';
import { openChat } from './chat-backend.ts';
import { collect, faultOf, firstModel, plainRequest } from './suite.ts';

const hello = [chunk({ role: 'assistant', content: 'Hello.' }), chunk({}, 'stop'), usageChunk(5, 2), done];

const refused = (message: string): WireAnswer => ({
  status: 400,
  headers: { 'content-type': 'application/json' },
  steps: [JSON.stringify({ error: { message, type: 'invalid_request_error' } })],
});

async function open(t: TestContext, chat: (request: WireRequest) => readonly string[] | WireAnswer) {
  const { server, provider } = await openChat(t, chat);
  const ask = (request: Partial<ModelRequest>) => collect(firstModel(provider), request);
  return { server, ask };
}

suite('what an openai-compatible server refuses of one request', () => {
  test('a limit is clipped to the longest answer of the model, then and afterwards', async (t) => {
    const { server, ask } = await open(t, ({ body }) =>
      Number(body['max_tokens']) > 8_192
        ? refused('Invalid max_tokens value, the valid range of max_tokens is [1, 8192]')
        : hello,
    );
    for (const outputTokensMax of [32_000, 32_000, 20]) await ask({ outputTokensMax });
    const limits = server.requests.map(({ body }) => body['max_tokens']);
    assert.deepEqual(limits, [32_000, 8_192, 8_192, 20]);
  });

  test('a limit that does not fit behind the prompt is left out of that request alone', async (t) => {
    const { server, ask } = await open(t, ({ body }) =>
      Number(body['max_tokens']) > 8_000
        ? refused(
            "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 192 input tokens (32000 > 8192 - 192).",
          )
        : hello,
    );
    for (const outputTokensMax of [32_000, 20]) await ask({ outputTokensMax });
    const limits = server.requests.map(({ body }) => body['max_tokens']);
    assert.deepEqual(limits, [32_000, undefined, 20]);
  });

  test('a prompt that is too long is asked about once more at most', async (t) => {
    const words =
      "This model's maximum context length is 8192 tokens. However, you requested 9020 tokens (9000 in the messages, 20 in the completion).";
    const { server, ask } = await open(t, () => refused(words));
    const fault = await faultOf(ask({ outputTokensMax: 20 }));
    assert.deepEqual([fault.code, server.requests.length], ['context_length_exceeded', 2]);
  });

  test('reasoning goes back with the call that it led to, once a server refuses one without', async (t) => {
    type Said = { readonly role: string; readonly reasoning_content?: string };
    const saidIn = ({ body }: WireRequest) =>
      (body['messages'] as unknown as Said[]).filter(({ role }) => role === 'assistant');
    const called = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } };
    const { server, ask } = await open(t, (request) =>
      saidIn(request).every(({ reasoning_content: text }) => typeof text === 'string')
        ? [
            chunk({ reasoning_content: 'I ' }),
            chunk({ reasoning_content: 'look.' }),
            chunk({ tool_calls: [called] }, 'tool_calls'),
            done,
          ]
        : refused('thinking is enabled but reasoning_content is missing in assistant tool call message'),
    );
    const tools = [{ name: 'f', description: null, parameters: {}, strict: false }];
    const turnsOf = (signature: string | undefined): ModelRequest['turns'] => [
      ...plainRequest.turns,
      {
        role: 'assistant',
        parts: [
          {
            type: 'tool-call',
            id: 'a',
            name: 'f',
            arguments: '{}',
            ...(signature !== undefined && { signature }),
          },
        ],
      },
      { role: 'tool', results: [{ callId: 'a', name: 'f', parts: [], isError: false }] },
    ];
    const signatureOf = ({ events }: Awaited<ReturnType<typeof ask>>) =>
      events.flatMap((event) => (event.type === 'tool-call-start' ? [event.signature] : []))[0];
    const first = await ask({ tools, turns: turnsOf(undefined) });
    await ask({ tools, turns: turnsOf(signatureOf(first)) });
    const texts = server.requests.map((request) => saidIn(request)[0]?.reasoning_content);
    assert.deepEqual(texts, [undefined, '', 'I look.']);
  });

  test('a call that Gemini did not sign is marked, once it refuses one without a signature', async (t) => {
    type Call = { readonly extra_content?: { readonly google: { readonly thought_signature: string } } };
    const signaturesIn = ({ body }: WireRequest) =>
      (body['messages'] as unknown as { tool_calls?: Call[] }[]).flatMap(({ tool_calls: calls = [] }) =>
        calls.map((call) => call.extra_content?.google.thought_signature),
      );
    const words = 'Function call is missing a thought_signature in functionCall parts.';
    const { server, ask } = await open(t, (request) =>
      signaturesIn(request)[0] === undefined
        ? { ...refused(words), steps: [JSON.stringify([{ error: { code: 400, message: words } }])] }
        : hello,
    );
    const call = { type: 'tool-call', name: 'f', arguments: '{}' } as const;
    const result = { callId: 'a', name: 'f', parts: [], isError: false };
    const turnsOf = (...signatures: (string | undefined)[]): ModelRequest['turns'] => [
      ...plainRequest.turns,
      {
        role: 'assistant',
        parts: signatures.map((signature, at) => {
          return { ...call, id: `${at}`, ...(signature !== undefined && { signature }) };
        }),
      },
      { role: 'tool', results: signatures.map((_, at) => ({ ...result, callId: `${at}` })) },
    ];
    const thoughts = '[{"type":"thinking","thinking":"Hm.","signature":"s"}]';
    for (const signatures of [
      [thoughts, undefined],
      ['c2ln', undefined],
    ])
      await ask({ turns: turnsOf(...signatures) });
    const mark = 'skip_thought_signature_validator';
    assert.deepEqual(server.requests.map(signaturesIn), [
      [undefined, undefined],
      [mark, undefined],
      ['c2ln', undefined],
    ]);
  });

  test('a server that refuses to answer in one piece streams, then and afterwards', async (t) => {
    const { server, ask } = await open(t, ({ body }) =>
      body['stream'] === true
        ? hello
        : refused('parameter.enable_thinking must be set to false for non-streaming calls'),
    );
    for (let n = 0; n < 2; n++) assert.equal((await ask({ whole: true })).text, 'Hello.');
    assert.deepEqual(
      server.requests.map(({ body }) => body['stream']),
      [false, true, true],
    );
  });
});
