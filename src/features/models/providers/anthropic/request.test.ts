import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../kernel/kit/json.ts';
import { emptyRequest, type ModelRequest } from '../../model.ts';
import { toCountRequest, toRequest } from './request.ts';
import { traitsOf } from './traits.ts';

const plain: ModelRequest = {
  ...emptyRequest,
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
};

function wire(name: string, change: Partial<ModelRequest> = {}) {
  return toRequest(name, traitsOf(name), { ...plain, ...change });
}

const body = (name: string, change?: Partial<ModelRequest>): JsonObject => wire(name, change).body;

/** A model of each generation: plain, with budgets, adaptive with prefill gone, without sampling, always thinking. */
const plainName = 'glm-5';
const budget = 'claude-sonnet-4-5';
const adaptive = 'claude-opus-4-6';
const current = 'claude-opus-4-8';
const always = 'claude-sonnet-5-5';

const weather = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { properties: { city: { type: 'string' } } },
  strict: false,
} as const;

test('a plain request is streamed and bounded by what the model can write', () => {
  assert.deepEqual(body(budget, { system: ['Be brief.', ' '], stop: ['END', '\n\n'] }), {
    model: budget,
    max_tokens: 64_000,
    stream: true,
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    // White space alone is refused there; it is looked for here.
    stop_sequences: ['END'],
  });
  assert.equal(body(plainName)['max_tokens'], 4_096);
  assert.equal(body(plainName, { outputTokensMax: 50_000 })['max_tokens'], 50_000);
  assert.equal(body(budget, { outputTokensMax: 1_000_000 })['max_tokens'], 64_000);
  assert.equal(body(budget, { outputTokensMax: 10 })['max_tokens'], 10);
});

test('sampling is clamped, and left out as far as the model refuses it', () => {
  const asked = { temperature: 1.7, topP: 0.9, topK: 5, presencePenalty: 1, seed: 3 };
  const sampling = (name: string, change: Partial<ModelRequest> = asked) => {
    const { temperature, top_p, top_k } = body(name, change);
    return [temperature, top_p, top_k];
  };
  assert.deepEqual(sampling(plainName), [1, 0.9, 5]);
  assert.deepEqual(sampling(budget), [1, undefined, 5]);
  assert.deepEqual(sampling(budget, { topP: 0.9 }), [undefined, 0.9, undefined]);
  assert.deepEqual(sampling(current), [undefined, undefined, undefined]);
  assert.equal('seed' in body(plainName, asked) || 'presence_penalty' in body(plainName, asked), false);
});

test('effort becomes a budget that fits, or a word, or nothing', () => {
  const asked = (name: string, effort: ModelRequest['effort'], change: Partial<ModelRequest> = {}) => {
    const { thinking, output_config: config } = body(name, { effort, ...change });
    return [thinking, config];
  };
  const enabled = (tokens: number) => ({ type: 'enabled', budget_tokens: tokens });
  assert.deepEqual(asked(budget, null), [undefined, undefined]);
  assert.deepEqual(asked(budget, 'medium', { outputTokensMax: 10_000 }), [enabled(5_000), undefined]);
  assert.deepEqual(asked(budget, 'minimal', { outputTokensMax: 3_000 }), [enabled(1_024), undefined]);
  assert.deepEqual(asked(budget, 'max'), [enabled(32_000), undefined]);
  assert.deepEqual(asked(budget, 'high', { outputTokensMax: 2_000 }), [undefined, undefined]);
  assert.deepEqual(asked(budget, 'none'), [{ type: 'disabled' }, undefined]);
  const summarized = { type: 'adaptive', display: 'summarized' };
  assert.deepEqual(asked(adaptive, 'xhigh'), [summarized, { effort: 'high' }]);
  assert.deepEqual(asked(current, 'minimal'), [summarized, { effort: 'low' }]);
  assert.deepEqual(asked(current, 'none'), [{ type: 'disabled' }, undefined]);
  assert.deepEqual(asked(always, 'none'), [{ type: 'between_tools' }, undefined]);
  assert.deepEqual(asked('claude-fable-5-1', 'none'), [undefined, { effort: 'low' }]);
});

test('thinking brings its own rules for sampling', () => {
  const asked = { effort: 'high', temperature: 0.2, topK: 5 } as const;
  assert.deepEqual(
    ['temperature', 'top_k'].filter((field) => field in body(budget, asked)),
    [],
  );
  assert.equal(body(budget, { ...asked, topP: 0.97 })['top_p'], 0.97);
  assert.equal('top_p' in body(budget, { ...asked, topP: 0.5 }), false);
});

test('thinking is off beside a forced tool, a prefill, and a round whose thoughts are lost', () => {
  const prefill = [...plain.turns, { role: 'assistant', parts: [{ type: 'text', text: 'So' }] }] as const;
  const call = { type: 'tool-call', id: 'a', name: 'weather', arguments: '{}' } as const;
  const round = (signature?: string) =>
    [
      ...plain.turns,
      { role: 'assistant', parts: [signature === undefined ? call : { ...call, signature }] },
      { role: 'tool', results: [{ callId: 'a', name: 'weather', parts: [], isError: false }] },
    ] as const;
  const thinks = (change: Partial<ModelRequest>) =>
    'thinking' in body(budget, { effort: 'high', tools: [weather], ...change });
  assert.equal(thinks({}), true);
  assert.equal(thinks({ toolChoice: 'required' }), false);
  assert.equal(thinks({ turns: prefill }), false);
  assert.equal(thinks({ turns: round() }), false);
  assert.equal(thinks({ turns: round('[{"type":"thinking","thinking":"Hm.","signature":"c2ln"}]') }), true);
});

test('tools have a schema of an object, and choices their words', () => {
  const { tools, tool_choice: choice } = body(budget, { tools: [weather], parallelToolCalls: false });
  assert.deepEqual(tools, [
    {
      name: 'weather',
      description: 'Tells the weather.',
      input_schema: { properties: { city: { type: 'string' } }, type: 'object' },
    },
  ]);
  assert.deepEqual(choice, { type: 'auto', disable_parallel_tool_use: true });
  const chosen = (name: string, toolChoice: ModelRequest['toolChoice']) =>
    body(name, { tools: [weather], toolChoice })['tool_choice'];
  assert.deepEqual(chosen(budget, 'none'), { type: 'none' });
  assert.deepEqual(chosen(budget, 'required'), { type: 'any' });
  assert.deepEqual(chosen(budget, { name: 'weather' }), { type: 'tool', name: 'weather' });
  assert.deepEqual(chosen(always, 'required'), { type: 'auto' });
  const { system } = body(always, { tools: [weather], toolChoice: { name: 'weather' } });
  assert.match(JSON.stringify(system), /must call the tool weather/);
});

test('strict tools are strict where the model enforces it and the schema allows it', () => {
  const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const strict = (name: string, more: JsonObject = {}) => {
    const { tools } = body(name, {
      tools: [{ ...weather, parameters: { ...parameters, ...more }, strict: true }],
    });
    const [tool] = tools as unknown as readonly { strict?: boolean; input_schema: JsonObject }[];
    return [tool?.strict, tool?.input_schema['additionalProperties']];
  };
  assert.deepEqual(strict(budget), [true, false]);
  assert.deepEqual(strict(plainName), [undefined, undefined]);
  assert.deepEqual(strict(budget, { additionalProperties: true }), [undefined, true]);
});

test('calls in a conversation are declared, also when no tool is offered any more', () => {
  const parts = [{ type: 'tool-call', id: 'a', name: 'weather', arguments: '{}' }] as const;
  const { tools, tool_choice: choice } = body(budget, {
    turns: [...plain.turns, { role: 'assistant', parts }],
  });
  assert.deepEqual(tools, [{ name: 'weather', input_schema: { type: 'object' } }]);
  assert.deepEqual(choice, { type: 'none' });
});

const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
const structured = { type: 'json-schema', name: 'thing', schema, description: null, strict: true } as const;

test('a schema goes to structured outputs, else to a tool that has to be called, else into words', () => {
  const native = wire(budget, { format: structured });
  assert.equal(native.answerTool, null);
  assert.deepEqual(native.body['output_config'], {
    format: { type: 'json_schema', schema: { ...schema, additionalProperties: false } },
  });
  const forced = wire(plainName, { format: structured });
  assert.equal(forced.answerTool, 'give_answer');
  assert.deepEqual(forced.body['tool_choice'], {
    type: 'tool',
    name: 'give_answer',
    disable_parallel_tool_use: true,
  });
  const beside = wire(plainName, { format: structured, tools: [weather] });
  assert.deepEqual(beside.body['tool_choice'], { type: 'any', disable_parallel_tool_use: true });
  assert.equal((beside.body['tools'] as readonly unknown[]).length, 2);
  const open = { ...schema, additionalProperties: true };
  const received = wire(always, { format: { ...structured, schema: open } });
  assert.deepEqual([received.answerTool, received.body['output_config']], [null, undefined]);
  assert.match(JSON.stringify(received.body['system']), /JSON Schema.*integer/);
  const calls = wire(plainName, { format: structured, tools: [weather], toolChoice: 'required' });
  assert.equal(calls.answerTool, null);
});

test('JSON without a schema is asked for in words', () => {
  assert.match(JSON.stringify(body(current, { format: { type: 'json' } })['system']), /one JSON object/);
});

test('counting sends the prompt and what belongs to it', () => {
  const asked = wire(current, {
    system: ['x'],
    tools: [weather],
    effort: 'low',
    stop: ['a'],
    format: structured,
  });
  assert.deepEqual(Object.keys(toCountRequest(asked)).sort(), [
    'messages',
    'model',
    'output_config',
    'system',
    'thinking',
    'tool_choice',
    'tools',
  ]);
});

test('marks of the prompt cache stand where the caller put them, and only where the model takes them', () => {
  const change: Partial<ModelRequest> = {
    system: ['Long.', ' ', 'Short.'],
    systemCache: ['1h', null, '5m'],
    tools: [{ ...weather, cache: '5m' }],
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'Hello', cache: '5m' }] }],
  };
  const short = { cache_control: { type: 'ephemeral' } };
  const { system, tools, messages } = body(budget, change);
  assert.deepEqual(system, [
    { type: 'text', text: 'Long.', cache_control: { type: 'ephemeral', ttl: '1h' } },
    { type: 'text', text: 'Short.', ...short },
  ]);
  assert.deepEqual((tools as readonly JsonObject[])[0]?.['cache_control'], short.cache_control);
  assert.deepEqual(messages, [{ role: 'user', content: [{ type: 'text', text: 'Hello', ...short }] }]);
  const without = { ...traitsOf(budget), promptCache: false };
  const bare = toRequest(budget, without, { ...plain, ...change });
  assert.ok(!JSON.stringify(bare.body).includes('cache_control'));
});

test('tools that the model knows, further fields and betas go to Anthropic alone', () => {
  const known = { type: 'bash_20250124', name: 'bash' };
  const bash = { ...weather, name: 'bash', known };
  const fields = {
    context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
    output_config: { task_budget: { type: 'tokens', total: 20_000 } },
  };
  const change: Partial<ModelRequest> = {
    tools: [bash],
    effort: 'low',
    messagesFields: { fields, betas: ['context-management-2025-06-27'] },
  };
  const own = wire(adaptive, change);
  assert.deepEqual(own.body['tools'], [known]);
  assert.deepEqual(own.body['context_management'], fields.context_management);
  assert.deepEqual(own.body['output_config'], { ...fields.output_config, effort: 'low' });
  assert.deepEqual(own.betas, ['context-management-2025-06-27']);
  const other = wire(plainName, change);
  assert.equal((other.body['tools'] as readonly JsonObject[])[0]?.['description'], weather.description);
  assert.equal(other.body['context_management'], undefined);
  assert.equal(other.body['output_config'], undefined);
  assert.deepEqual(other.betas, []);
});

test('a budget that the caller set stands, below the limit of the answer', () => {
  const asked = { effort: 'high', reasoningTokens: 5_000 } as const;
  const told = (outputTokensMax: number) => body(budget, { ...asked, outputTokensMax })['thinking'];
  assert.deepEqual(told(20_000), { type: 'enabled', budget_tokens: 5_000 });
  assert.deepEqual(told(4_000), { type: 'enabled', budget_tokens: 3_999 });
});
