import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { Arguments } from '../../src/features/tools/arguments.ts';
import { failure } from '../../src/features/tools/context-block.ts';
import { defineTool, outputItem } from '../../src/features/tools/define-tool.ts';
import { definitions } from '../../src/features/tools/index.ts';
import { ToolSet } from '../../src/features/tools/tool-set.ts';
import { parametersOf } from '../../src/features/tools/tool.ts';
import { startAgent, turns } from '../support/agent.ts';
import type { Json } from '../support/agent-wire.ts';
import { call, finish, says, scriptedModels, text } from '../support/models.ts';
import { found, scriptedPages, scriptedRunner, scriptedSearch } from '../support/tools.ts';

interface Rolled {
  readonly sides: number;
  readonly eyes: readonly number[];
}

declare module '../../src/features/tools/tool.ts' {
  interface ToolItems {
    readonly rolled: Rolled;
  }
}

/** A tool outside of the house: a die that shows its highest number. */
const die = defineTool({
  name: 'roll_die',
  request: {
    fields: { sides: Type.Integer({ minimum: 2, errorMessage: 'sides must be at least 2' }) },
    toOptions: ({ sides }) => ({ sides }),
  },
  price: { name: 'die_rolls', usd: 0.25 },
  items: {
    rolled: outputItem(
      'roll_results',
      { sides: Type.Integer(), eyes: Type.Array(Type.Integer()) },
      ({ sides, eyes }: Rolled) => ({ sides, eyes }),
    ),
  },
  open: ({ options: { sides }, charge }) => ({
    description: `Rolls a die with ${sides} sides.`,
    parameters: parametersOf({ name: { type: 'string' } }),
    async run(args) {
      const read = new Arguments(args);
      const name = read.text('name');
      if (read.problem !== null) return failure(read.problem);
      return {
        items: [{ type: 'rolled', sides, eyes: [sides, sides] }],
        text: `${name} shows ${sides} twice.`,
        isError: false,
        uses: charge(2),
      };
    },
  }),
});

const toolSet = new ToolSet([...definitions, die]);

const rolls = () =>
  scriptedModels({
    'lab/a': turns(
      says(call('call_1', 'roll_die', '{"name":"Red"}'), finish('tool-calls')),
      says([text('It is twelve.')], finish()),
    ),
  });
const body = { model: 'lab/a', input: 'Roll.', tools: [{ type: 'roll_die', sides: 6 }] };

suite('a tool that is declared outside of the house and added to the list', () => {
  test('is accepted in a request, called, billed and shown as an output item', async (t) => {
    const models = rolls();
    const agent = await startAgent(t, { models, toolSet });
    const response = await agent.ask(body);
    const [first, second] = models.requests;
    assert.deepEqual(
      first?.tools.map(({ name, description }) => [name, description]),
      [['roll_die', 'Rolls a die with 6 sides.']],
    );
    assert.match(JSON.stringify(second?.turns), /Red shows 6 twice\./);
    const [item] = response['output'] as readonly Json[];
    assert.deepEqual(item, { type: 'roll_results', sides: 6, eyes: [6, 6] });
    const { tool_calls_details: uses, cost } = response['usage'] as Record<string, Json>;
    assert.deepEqual(uses, { die_rolls: { invocation: 2, cost_usd: 0.5 } });
    assert.equal(cost?.['tool_calls_cost'], 0.5);
    assert.deepEqual(agent.records[0]?.billing.otherUnits, { die_rolls: 2 });
    assert.deepEqual(response['tools'], body.tools);
    // The whole output goes back in as the beginning of the next request.
    const input = [...(response['output'] as readonly Json[]), { role: 'user', content: 'Again.' }];
    assert.equal((await agent.ask({ ...body, input }))['status'], 'completed');
  });

  test('is validated, forced and reserved as those of the house are', async (t) => {
    const agent = await startAgent(t, { models: rolls(), toolSet });
    const refused = async (more: object) => {
      const { code, message, param } = await agent.refused({ ...body, ...more });
      return [code, message, param];
    };
    assert.deepEqual(await refused({ tools: [{ type: 'roll_die', sides: 1 }] }), [
      'invalid_value',
      'sides must be at least 2',
      'tools.0.sides',
    ]);
    assert.deepEqual(await refused({ tools: [...body.tools, ...body.tools] }), [
      'invalid_tool',
      'only one "roll_die" tool is allowed',
      'tools.1.type',
    ]);
    for (const name of ['roll_die', 'die_rolls'])
      assert.deepEqual(await refused({ tools: [{ type: 'function', name }] }), [
        'invalid_tool',
        `function name "${name}" is reserved`,
        'tools.0.name',
      ]);
    const forced = await agent.ask({ ...body, tool_choice: { type: 'roll_die' } });
    assert.equal(forced['status'], 'completed');
    const plain = await startAgent(t, { models: rolls() });
    assert.equal((await plain.refused(body))['code'], 'invalid_tool');
  });
});

test('every output item that a tool makes is valid against its schema', async (t) => {
  const url = 'https://a.example/';
  const bytes = Buffer.from('1');
  const models = scriptedModels({
    'lab/a': turns(
      says(
        call('c1', 'web_search', '{"queries":["kea"]}'),
        call('c2', 'people_search', '{"queries":["Ada"]}'),
        call('c3', 'fetch_url', JSON.stringify({ urls: [url] })),
        call('c4', 'finance_search', '{"tickers":["A"],"categories":["profile"]}'),
        call('c5', 'sandbox', '{"code":"1"}'),
        call('c6', 'load_skill', '{"name":"report"}'),
        finish('tool-calls'),
      ),
      says([text('Done.')], finish()),
    ),
  });
  const answer = { category: 'profile' as const, content: 'x', sources: [url], tickers: ['A'] };
  const agent = await startAgent(t, {
    models,
    tools: {
      search: scriptedSearch(() => [found(url, { date: '2026-01-31' })]),
      pages: scriptedPages({ [url]: 'Alpha' }),
      sandbox: scriptedRunner({ files: [{ path: 'share/b.csv', bytes }] }),
      finance: { categories: ['profile'], find: async () => ({ answers: [answer], failed: [] }) },
    },
  });
  const types = ['web_search', 'people_search', 'fetch_url', 'finance_search', 'sandbox'];
  const response = await agent.ask({
    model: 'lab/a',
    input: 'x',
    tools: types.map((type) => ({ type })),
    skills: [{ type: 'inline', name: 'report', description: 'x', instructions: 'y' }],
  });
  const items = (response['output'] as readonly Json[]).filter(({ type }) => type !== 'message');
  const outputs = definitions.flatMap((tool) => Object.values(tool.items));
  assert.deepEqual(
    items.map(({ type }) => type),
    outputs.map(({ type }) => type).toSorted((a, b) => order(a) - order(b)),
  );
  for (const item of items) {
    const schema = outputs.find(({ type }) => type === item['type'])?.schema;
    assert.ok(schema !== undefined && Value.Check(schema, item), JSON.stringify(item));
  }

  function order(type: string): number {
    return items.findIndex((item) => item['type'] === type);
  }
});
