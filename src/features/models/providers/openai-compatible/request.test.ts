import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../../../kernel/faults.ts';
import { emptyRequest, type ModelRequest, type Turn } from '../../model.ts';
import { familyOfUrl, quirksOf, type ServerFamily } from './quirks.ts';
import { toRequest } from './request.ts';

const build = (
  request: Partial<ModelRequest>,
  family: ServerFamily = 'unknown',
  outputTokensMax: number | null = null,
) => toRequest('m', { ...emptyRequest, ...request }, quirksOf(family), outputTokensMax);
const messagesOf = (turns: readonly Turn[], family: ServerFamily = 'unknown') =>
  build({ turns }, family)['messages'];

const user = (text: string): Turn => ({ role: 'user', parts: [{ type: 'text', text }] });
const assistant = (text: string): Turn => ({ role: 'assistant', parts: [{ type: 'text', text }] });
const call = { type: 'tool-call', id: 'call_1', name: 'f', arguments: '{"x":1}' } as const;
const png = { type: 'image', mediaType: 'image/png', base64: 'iVBO' } as const;
const pdf = { type: 'document', mediaType: 'application/pdf', base64: 'JVBE', title: 'a.pdf' } as const;
const tool = { name: 'f', description: 'Does.', parameters: { type: 'object' }, strict: true } as const;

suite('messages of a chat completion', () => {
  test('instructions are one message, neighbours of one role too', () => {
    const turns = [user('a'), user('b'), assistant('c'), assistant('d'), user('e')];
    assert.deepEqual(build({ system: ['Be brief.', '', 'Be kind.'], turns })['messages'], [
      { role: 'system', content: 'Be brief.\n\nBe kind.' },
      { role: 'user', content: 'a\n\nb' },
      { role: 'assistant', content: 'cd' },
      { role: 'user', content: 'e' },
    ]);
  });

  test('images are data addresses, and text stays text beside them', () => {
    assert.deepEqual(messagesOf([{ role: 'user', parts: [{ type: 'text', text: 'what?' }, png] }]), [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'what?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
        ],
      },
    ]);
  });

  test('documents are files where they can be; texts are always text', () => {
    assert.deepEqual(messagesOf([{ role: 'user', parts: [pdf] }], 'openai'), [
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
        ],
      },
    ]);
    const note = {
      type: 'document',
      mediaType: 'text/emptyRequest',
      base64: 'w6Q=',
      title: 'n.txt',
    } as const;
    assert.deepEqual(messagesOf([{ role: 'user', parts: [note] }]), [
      { role: 'user', content: 'n.txt\n\nä' },
    ]);
    assert.throws(
      () => messagesOf([{ role: 'user', parts: [pdf] }]),
      (error) => error instanceof Fault && error.code === 'invalid_value',
    );
  });

  test('calls and results meet, with what results hold besides text after them', () => {
    const turns: Turn[] = [
      user('a'),
      {
        role: 'assistant',
        parts: [
          { ...call, signature: 'c2ln' },
          { ...call, id: 'call_2', arguments: ' ' },
        ],
      },
      {
        role: 'tool',
        results: [
          { callId: 'call_1', name: 'f', parts: [{ type: 'text', text: 'ok' }, png], isError: false },
          { callId: 'call_2', name: 'f', parts: [{ type: 'text', text: 'no' }], isError: true },
        ],
      },
      user('b'),
    ];
    const [, calls, ...rest] = messagesOf(turns) as never[];
    assert.deepEqual(calls, {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'f', arguments: '{"x":1}' },
          extra_content: { google: { thought_signature: 'c2ln' } },
        },
        { id: 'call_2', type: 'function', function: { name: 'f', arguments: '{}' } },
      ],
    });
    assert.deepEqual(rest, [
      { role: 'tool', tool_call_id: 'call_1', content: 'ok\n\nWhat it returned besides text follows.' },
      { role: 'tool', tool_call_id: 'call_2', content: 'Error: no' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Returned by the tool f:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
          { type: 'text', text: 'b' },
        ],
      },
    ]);
  });

  test('ids of calls have the length that Mistral wants, the same for call and result', () => {
    const turns: Turn[] = [
      { role: 'assistant', parts: [call, { ...call, id: 'abcDEF123' }] },
      { role: 'tool', results: [{ callId: 'call_1', name: 'f', parts: [], isError: false }] },
    ];
    const [{ tool_calls: calls }, { tool_call_id: result }] = messagesOf(turns, 'mistral') as never as [
      { tool_calls: { id: string }[] },
      { tool_call_id: string },
    ];
    assert.match(calls[0]?.id ?? '', /^[a-z0-9]{9}$/);
    assert.equal(calls[0]?.id, result);
    assert.equal(calls[1]?.id, 'abcDEF123');
  });

  test('a prefill is continued as each server wants it', () => {
    const turns = [user('a'), assistant('b')];
    const last = (family: ServerFamily) => {
      const { messages, model: _, stream: __, stream_options: ___, ...rest } = build({ turns }, family);
      return [(messages as never[]).at(-1), rest];
    };
    const message = { role: 'assistant', content: 'b' };
    assert.deepEqual(last('vllm'), [message, { continue_final_message: true, add_generation_prompt: false }]);
    assert.deepEqual(last('llama-server'), [message, { chat_template_kwargs: { enable_thinking: false } }]);
    assert.deepEqual(last('openrouter'), [message, {}]);
    assert.deepEqual(last('deepseek-beta'), [{ ...message, prefix: true }, {}]);
    assert.deepEqual(last('mistral'), [{ ...message, prefix: true }, {}]);
  });
});

suite('settings of a chat completion', () => {
  test('the name of a cached prompt is told where it is known, and says neither what it was nor whose', () => {
    const keyOf = (request: Partial<ModelRequest>, family: ServerFamily = 'openai') =>
      build(request, family)['prompt_cache_key'];
    const key = keyOf({ cacheKey: 'jane@example.com', account: 'a' });
    assert.match(typeof key === 'string' ? key : '', /^[0-9a-f]{64}$/);
    assert.equal(keyOf({ cacheKey: 'jane@example.com', account: 'a' }), key);
    assert.notEqual(keyOf({ cacheKey: 'jane@example.com', account: 'b' }), key);
    assert.equal(keyOf({ account: 'a' }), undefined);
    assert.equal(keyOf({ cacheKey: 'jane@example.com', account: 'a' }, 'unknown'), undefined);
  });

  test('what is not set is not sent', () => {
    assert.deepEqual(build({}), {
      model: 'm',
      messages: [],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('each has its name, and the limit is clipped to what the model can do', () => {
    const request = {
      outputTokensMax: 500,
      temperature: 0,
      topP: 0.5,
      topK: 4,
      presencePenalty: 1,
      frequencyPenalty: -1,
      seed: 7,
    };
    const {
      model: _,
      messages: __,
      stream: ___,
      stream_options: ____,
      ...sent
    } = build(request, 'vllm', 100);
    assert.deepEqual(sent, {
      max_tokens: 100,
      temperature: 0,
      top_p: 0.5,
      top_k: 4,
      presence_penalty: 1,
      frequency_penalty: -1,
      seed: 7,
    });
    assert.equal(build(request, 'openai')['max_completion_tokens'], 500);
    assert.equal('top_k' in build(request, 'openai'), false);
    assert.equal(build(request, 'mistral')['random_seed'], 7);
    assert.equal('max_tokens' in build({}, 'vllm', 100), false, 'a limit of the model is no wish');
  });

  test('stop sequences go to servers that report which one they found', () => {
    assert.deepEqual(build({ stop: ['a', 'b'] }, 'vllm')['stop'], ['a', 'b']);
    assert.equal('stop' in build({ stop: ['a'] }, 'openai'), false);
  });

  test('tools, choices and parallel calls', () => {
    const fn = { name: 'f', description: 'Does.', parameters: { type: 'object' } };
    assert.deepEqual(build({ tools: [tool] })['tools'], [{ type: 'function', function: fn }]);
    assert.deepEqual(build({ tools: [tool] }, 'openai')['tools'], [
      { type: 'function', function: { ...fn, strict: true } },
    ]);
    assert.equal('tool_choice' in build({ tools: [tool] }), false);
    assert.equal('tool_choice' in build({ toolChoice: 'required' }), false, 'no choice without tools');
    const choices = { none: 'none', required: 'required' } as const;
    for (const [choice, wire] of Object.entries(choices)) {
      assert.equal(build({ tools: [tool], toolChoice: choice as 'none' })['tool_choice'], wire);
    }
    assert.equal(build({ tools: [tool], toolChoice: 'required' }, 'mistral')['tool_choice'], 'any');
    const named = build({ tools: [tool], toolChoice: { name: 'f' }, parallelToolCalls: false });
    assert.deepEqual(named['tool_choice'], { type: 'function', function: { name: 'f' } });
    assert.equal(named['parallel_tool_calls'], false);
  });

  test('formats, and a schema in words where it is not enforced', () => {
    const format = {
      type: 'json-schema',
      name: 'n',
      schema: { type: 'object' },
      description: null,
      strict: true,
    } as const;
    assert.deepEqual(build({ format })['response_format'], {
      type: 'json_schema',
      json_schema: { name: 'n', schema: { type: 'object' }, strict: true },
    });
    assert.deepEqual(build({ format: { type: 'json' } })['response_format'], { type: 'json_object' });
    const deepseek = build({ format, system: ['Be brief.'] }, 'deepseek');
    assert.deepEqual(deepseek['response_format'], { type: 'json_object' });
    assert.match(JSON.stringify(deepseek['messages']), /Be brief.*JSON Schema.*object/);
  });

  test('effort in the words of each server', () => {
    const sent = (family: ServerFamily, effort: ModelRequest['effort']) => {
      const {
        model: _,
        messages: __,
        stream: ___,
        stream_options: ____,
        ...rest
      } = build({ effort }, family);
      return rest;
    };
    assert.deepEqual(sent('openai', 'max'), { reasoning_effort: 'xhigh' });
    assert.deepEqual(sent('groq', 'xhigh'), { reasoning_effort: 'high' });
    assert.deepEqual(sent('vllm', 'none'), { chat_template_kwargs: { enable_thinking: false } });
    assert.deepEqual(sent('vllm', 'minimal'), { reasoning_effort: 'low' });
    assert.deepEqual(sent('openrouter', 'none'), { reasoning: { enabled: false } });
    assert.deepEqual(sent('openrouter', 'low'), { reasoning: { effort: 'low' } });
    assert.deepEqual(sent('deepseek', 'none'), { thinking: { type: 'disabled' } });
    assert.deepEqual(sent('mistral', 'high'), {});
  });

  test('services are known by their address', () => {
    const addresses: Readonly<Record<string, ServerFamily>> = {
      'https://api.openai.com/v1': 'openai',
      'https://birds.openai.azure.com/openai/v1': 'azure',
      'https://openrouter.ai/api/v1': 'openrouter',
      'https://api.deepseek.com': 'deepseek',
      'https://api.deepseek.com/beta': 'deepseek-beta',
      'https://api.groq.com/openai/v1': 'groq',
      'https://generativelanguage.googleapis.com/v1beta/openai': 'gemini',
      'https://api.mistral.ai/v1': 'mistral',
      'https://api.x.ai/v1': 'xai',
      'http://127.0.0.1:8000/v1': 'unknown',
      'https://notopenrouter.ai.example.com/v1': 'unknown',
      'https://myopenrouter.ai/v1': 'unknown',
    };
    for (const [address, family] of Object.entries(addresses))
      assert.equal(familyOfUrl(address), family, address);
  });
});
