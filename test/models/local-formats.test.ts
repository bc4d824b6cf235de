import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Json } from '../../src/kernel/kit/json.ts';
import {
  emptyRequest,
  type FunctionTool,
  type Model,
  type ModelRequest,
} from '../../src/features/models/model.ts';
import { toJsonGrammar } from '../../src/features/models/providers/local/json-grammar.ts';
import type { TestModel } from '../support/gguf.ts';
import { comparable, openTestLocal, type OpenedLocal } from '../support/local-models.ts';
import { collect, firstModel } from './suite.ts';

type Schema = Readonly<Record<string, Json>>;

const short = { type: 'string', maxLength: 4 } as const;
const exact: Readonly<Record<string, Schema>> = {
  flat: { type: 'object', properties: { a: short, b: { type: 'integer' } }, required: ['a', 'b'] },
  closed: {
    type: 'object',
    properties: { 'a"b\n': { type: 'boolean' }, ü: { type: 'null' } },
    required: ['a"b\n'],
    additionalProperties: false,
  },
  optional: { type: 'object', properties: { a: short, b: short, c: { type: 'number' }, d: { const: 'x' } } },
  undeclared: { type: 'object', properties: { a: short }, required: ['a', 'b'], additionalProperties: short },
  map: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
  empty: { type: 'object', properties: {}, additionalProperties: false },
  enums: { enum: ['red', 'gr"een', 7, null, true, { a: [1] }] },
  union: { anyOf: [short, { type: 'integer' }, { type: 'array', items: { type: 'boolean' }, maxItems: 3 }] },
  types: { type: ['integer', 'null', 'boolean'] },
  nested: {
    type: 'object',
    properties: {
      list: {
        type: 'array',
        items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
        minItems: 2,
        maxItems: 4,
      },
      pair: {
        type: 'array',
        prefixItems: [{ type: 'boolean' }, { type: 'null' }],
        items: false,
        minItems: 2,
      },
    },
    required: ['list', 'pair'],
  },
  tree: {
    $defs: {
      node: {
        type: 'object',
        properties: {
          leaf: { type: 'boolean' },
          left: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        },
        required: ['leaf'],
      },
    },
    $ref: '#/$defs/node',
  },
  merged: {
    allOf: [
      { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] },
      { properties: { b: { type: 'integer' } }, required: ['b'] },
    ],
  },
  lengths: { type: 'string', minLength: 3, maxLength: 6 },
  times: {
    type: 'object',
    properties: {
      at: { type: 'string', format: 'date-time' },
      on: { type: 'string', format: 'date' },
      id: { type: 'string', format: 'uuid' },
    },
    required: ['at', 'on', 'id'],
  },
};

const weather: FunctionTool = {
  name: 'weather',
  description: 'Tells the weather. <|im_end|>',
  parameters: {
    type: 'object',
    properties: { city: short, days: { type: 'integer', minimum: 0 } },
    required: ['city'],
  },
  strict: true,
};
const clock: FunctionTool = {
  name: 'clock',
  description: null,
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  strict: false,
};

function asking(more: Partial<ModelRequest>): Partial<ModelRequest> {
  return { outputTokensMax: 600, seed: 1, temperature: 1, effort: 'none', ...more };
}

function formatted(schema: Schema, seed: number): Partial<ModelRequest> {
  return asking({
    seed,
    format: { type: 'json-schema', name: 'answer', schema, description: null, strict: true },
  });
}

function holder(file: TestModel) {
  const afters: (() => unknown)[] = [];
  let opened: OpenedLocal | null = null;
  before(async () => {
    opened = await openTestLocal({ after: (hook) => void afters.push(hook as () => unknown) }, file);
  });
  after(() => Promise.all(afters.map((hook) => hook())));
  return (): OpenedLocal => {
    assert.ok(opened !== null);
    return opened;
  };
}

suite('answers of a local model in JSON', () => {
  const opened = holder({ template: 'tools' });
  const model = (): Model => firstModel(opened().provider);

  for (const [name, schema] of Object.entries(exact)) {
    test(`fit their schema: ${name}`, async () => {
      assert.equal(toJsonGrammar(schema, 'x').exact, true);
      const ajv = new Ajv2020({ strict: false });
      ajv.addFormat('date-time', (text) => !Number.isNaN(Date.parse(text)));
      ajv.addFormat('date', (text) => !Number.isNaN(Date.parse(text)));
      ajv.addFormat('uuid', /^[0-9a-f-]{36}$/i);
      const isValid = ajv.compile(schema);
      let ended = 0;
      for (let seed = 0; seed < 6; seed++) {
        const { text, reason } = await collect(model(), formatted(schema, seed));
        // Random weights may go on for ever inside a list; what ended has to fit.
        if (reason === 'length') continue;
        assert.equal(reason, 'end');
        assert.ok(isValid(JSON.parse(text)), `${text}: ${ajv.errorsText(isValid.errors)}`);
        ended += 1;
      }
      assert.ok(ended >= 3);
    });
  }

  test('of any shape are an object', async () => {
    let ended = 0;
    for (let seed = 0; seed < 8; seed++) {
      const { text, reason } = await collect(model(), asking({ seed, format: { type: 'json' } }));
      if (reason === 'length') continue;
      assert.equal(typeof JSON.parse(text), 'object');
      ended += 1;
    }
    assert.ok(ended > 0);
  });

  test('are JSON also where the schema says more than a grammar can, or is a trap', async () => {
    const nested = (depth: number): Schema =>
      depth === 0 ? short : { type: 'object', properties: { a: nested(depth - 1) }, required: ['a'] };
    const traps: readonly Schema[] = [
      { type: 'integer', minimum: 5, maximum: 6 },
      nested(200),
      { $ref: '#' },
      { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }] } }, $ref: '#/$defs/a' },
      { $ref: 'https://example.com/schema' },
      { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 1_000_000 },
      {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`p${i}`, short])),
      },
      { type: 'unknown' },
    ];
    for (const schema of traps) {
      assert.equal(
        toJsonGrammar(schema, 'x').exact,
        schema === traps[3] || schema === traps[2],
        JSON.stringify(schema).slice(0, 60),
      );
      const { text, reason } = await collect(model(), { ...formatted(schema, 3), outputTokensMax: 60 });
      if (reason === 'end') assert.doesNotThrow(() => JSON.parse(text) as unknown);
      else assert.equal(reason, 'length');
    }
  });

  test('think first where reasoning was asked for', async () => {
    const schema = { type: 'boolean' };
    const thinking = await collect(model(), { ...formatted(schema, 2), effort: 'high', outputTokensMax: 50 });
    // Random weights do not find the end of a thought.
    assert.deepEqual([thinking.text, thinking.reason], ['', 'length']);
    assert.notEqual(thinking.reasoning, '');
    assert.equal(thinking.usage.reasoning, thinking.usage.output);
    assert.match(
      (await collect(model(), { ...formatted(schema, 2), effort: null })).text,
      /^(?:true|false)$/,
    );
  });
});

suite('calls of a local model', () => {
  const opened = holder({ template: 'tools' });
  const model = (): Model => firstModel(opened().provider);
  const asked = { tools: [weather, clock], toolChoice: 'required' as const };

  test('are offered where the template shows tools', () => {
    assert.equal(model().capabilities.tools, true);
    assert.equal(model().capabilities.reasoning, true);
  });

  test('are made when they are required, with arguments that fit', async () => {
    const isValid = new Ajv2020().compile(weather.parameters);
    const names = new Set<string>();
    for (let seed = 0; seed < 12; seed++) {
      const answer = await collect(model(), asking({ ...asked, seed, parallelToolCalls: false }));
      assert.deepEqual([answer.reason, answer.text, answer.calls.length], ['tool-calls', '', 1]);
      for (const { id, name, arguments: text } of answer.calls) {
        assert.match(id, /^call_[\w-]{24}$/);
        names.add(name);
        if (name === 'weather') assert.ok(isValid(JSON.parse(text)), text);
        else assert.deepEqual(JSON.parse(text), {});
      }
    }
    assert.deepEqual([...names].toSorted(), ['clock', 'weather']);
  });

  test('are of the tool that was named', async () => {
    for (let seed = 0; seed < 4; seed++) {
      const { calls } = await collect(model(), asking({ ...asked, seed, toolChoice: { name: 'clock' } }));
      assert.ok(calls.length > 0 && calls.every(({ name }) => name === 'clock'));
    }
  });

  test('may be several in one answer', async () => {
    const counts: number[] = [];
    for (let seed = 0; seed < 12; seed++) {
      const request = asking({ ...asked, seed, toolChoice: { name: 'clock' }, outputTokensMax: 200 });
      counts.push((await collect(model(), request)).calls.length);
    }
    assert.ok(Math.max(...counts) > 1, String(counts));
  });

  test('are not made when they are not allowed', async () => {
    const without = await collect(
      model(),
      asking({ tools: [weather], toolChoice: 'none', outputTokensMax: 30 }),
    );
    assert.deepEqual([without.calls, without.reason], [[], 'length']);
  });

  test('side by side are what they are alone', async () => {
    const requests = Array.from({ length: 6 }, (_, seed) => asking({ ...asked, seed, outputTokensMax: 80 }));
    const alone: unknown[] = [];
    for (const request of requests) alone.push(comparable((await collect(model(), request)).events));
    const together = await Promise.all(requests.map((request) => collect(model(), request)));
    assert.deepEqual(
      together.map(({ events }) => comparable(events)),
      alone,
    );
  });

  test('and their results go back into the prompt', async () => {
    const never = new AbortController().signal;
    const user = { role: 'user', parts: [{ type: 'text', text: 'Weather?' }] } as const;
    const call = { type: 'tool-call', id: 'a', name: 'weather', arguments: '{"city":"Bern"}' } as const;
    const result = {
      callId: 'a',
      name: 'weather',
      parts: [{ type: 'text', text: 'Sunny' }],
      isError: false,
    } as const;
    const base = { ...asking({ tools: [weather] }) };
    const count = (turns: ModelRequest['turns']) =>
      model().countTokens({ ...emptyRequest, ...base, turns }, never);
    const few = await count([user]);
    const more = await count([
      user,
      { role: 'assistant', parts: [call] },
      { role: 'tool', results: [result] },
    ]);
    assert.ok(more > few + 20);
  });

  test('without a marker are recognized by their beginning', async (t) => {
    const { provider } = await openTestLocal(t, { template: 'json-calls' });
    const bare = firstModel(provider);
    assert.equal(bare.capabilities.tools, true);
    for (let seed = 0; seed < 4; seed++) {
      const answer = await collect(bare, asking({ ...asked, seed }));
      assert.deepEqual([answer.reason, answer.calls.length, answer.text], ['tool-calls', 1, '']);
    }
  });
});
