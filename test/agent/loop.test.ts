import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { AgentEvent } from '../../src/features/agent/events.ts';
import { runAgent, type AgentRun } from '../../src/features/agent/loop.ts';
import { Fault } from '../../src/kernel/faults.ts';
import type { FunctionTool, ModelRequest } from '../../src/features/models/model.ts';
import { parseRegex } from '../../src/features/models/structured-pattern.ts';
import type { Tool } from '../../src/features/tools/tool.ts';
import { checkRun } from '../support/agent-grammar.ts';
import { agentRun } from '../support/agent-run.ts';
import {
  breaks,
  call,
  finish,
  says,
  scriptedModels,
  text,
  type Batch,
  type Script,
  type ScriptedModel,
} from '../support/models.ts';

const definition = (name: string): FunctionTool => ({
  name,
  description: name,
  parameters: {},
  strict: false,
});

/** Finds as many pages as the query has words, each of a site of that name. */
const search: Tool = {
  definition: definition('web_search'),
  cites: true,
  async call(args, _callId, { cite, report }) {
    const { queries } = args as { readonly queries: readonly string[] };
    report({ type: 'search-queries', queries });
    await new Promise((resolve) => setImmediate(resolve));
    const results = queries
      .join(' ')
      .split(' ')
      .map((word) => {
        const url = `https://${word}.example/`;
        return cite({
          url,
          title: word,
          snippet: word,
          text: word,
          date: null,
          lastUpdated: null,
          language: null,
        });
      });
    report({ type: 'search-results', results });
    return {
      items: [{ type: 'search', queries, results }],
      text: `<results>${results.map(({ id, title }) => `[${id}] ${title}`).join('\n')}</results>`,
      isError: false,
      uses: [{ name: 'search_web', count: 1, costUsd: 0.005 }],
    };
  },
};

const searches = (...words: readonly string[]) =>
  call('c1', 'web_search', JSON.stringify({ queries: [words.join(' ')] }));

/** Says one thing after the other, one for each time it is asked. */
function inTurn(...scripts: readonly Script[]): Script {
  let asked = 0;
  return (request, signal) => {
    const script = scripts[asked++];
    if (script === undefined) throw new Error('asked more often than foreseen');
    return script(request, signal);
  };
}

async function run(model: Script | ScriptedModel, over: Partial<AgentRun> = {}) {
  const models = scriptedModels({ 'test/a': model });
  const { signal } = new AbortController();
  const events: AgentEvent[] = [];
  for await (const batch of runAgent({ ...agentRun, ...over }, models, signal)) events.push(...batch);
  return { ...checkRun(events), events, requests: models.requests };
}

const toolNames = ({ tools }: ModelRequest) => tools.map(({ name }) => name);

suite('the loop', () => {
  test('a plain answer is one message, told as it comes, and brackets in it are no markers', async () => {
    const { texts, reason, events, usage } = await run(
      says([text('It is [1] a')], [text(' parrot.')], finish()),
    );
    assert.deepEqual([texts, reason], [['It is [1] a parrot.'], 'end']);
    assert.equal(events.filter(({ type }) => type === 'text-delta').length, 2);
    assert.deepEqual(usage?.tools, {});
  });

  test('the model searches, reads what was found as data, and its markers are checked', async () => {
    const { texts, items, requests, usage, events } = await run(
      inTurn(
        says([text('Let me look.')], searches('kea', 'bird'), finish('tool-calls')),
        says([text('A parrot [1], green')], [text(' [7] or so [2, 9].')], finish()),
      ),
      { tools: [search] },
    );
    assert.deepEqual(texts, ['A parrot [1], green or so [2].']);
    assert.deepEqual(items, ['search']);
    const started = events.find((event) => event.type === 'tools-start');
    assert.equal(started?.thought, 'Let me look.');
    const roles = requests[1]?.turns.map(({ role }) => role);
    assert.deepEqual(roles, ['user', 'assistant', 'tool']);
    assert.match(JSON.stringify(requests[1]?.turns[2]), /<results>\[1\] kea\\n\[2\] bird<\/results>/);
    assert.deepEqual(usage?.tools, { search_web: { count: 1, costUsd: 0.005 } });
    assert.equal(usage?.model.input, 22);
    assert.deepEqual(
      requests[1]?.sources?.map(({ id }) => id),
      [1, 2],
    );
  });

  test('brackets are markers only in a run that has searched, and code is never touched', async () => {
    const code = 'Take `m[0][42]` or m[0][42]:\n```\nm[9] = [7]\n```\nas said [9].';
    const pieces = [...code].map((one) => [text(one)]);
    const without = await run(says(...pieces, finish()), { tools: [search] });
    assert.deepEqual(without.texts, [code]);
    const searched = await run(
      inTurn(says(searches('kea'), finish('tool-calls')), says(...pieces, finish())),
      {
        tools: [search],
      },
    );
    assert.deepEqual(searched.texts, [code.replace(' [9].', '.')]);
  });

  test('a long text before a call is a message of its own', async () => {
    const long = 'I will think about this for a good while. '.repeat(6);
    const { texts, items } = await run(
      inTurn(says([text(long)], searches('kea'), finish('tool-calls')), says([text('A bird.')], finish())),
      { tools: [search] },
    );
    assert.deepEqual(texts, [long, 'A bird.']);
    assert.deepEqual(items, ['search']);
  });

  test('after the last step the model is asked once more and may call no tool', async () => {
    const { texts, items, requests, reason } = await run(
      inTurn(
        says(searches('one'), finish('tool-calls')),
        says(searches('two'), finish('tool-calls')),
        says([text('Done [2].')], searches('three'), finish('tool-calls')),
      ),
      { tools: [search], stepsMax: 2 },
    );
    assert.deepEqual([texts, items, reason], [['Done [2].'], ['search', 'search'], 'end']);
    assert.deepEqual(
      requests.map(({ toolChoice }) => toolChoice),
      ['auto', 'auto', 'none'],
    );
    assert.deepEqual(toolNames(requests[2] as ModelRequest), ['web_search'], 'earlier calls need their tool');
  });

  test('a turn that says nothing is repeated once; a model that goes on so has given no answer', async () => {
    const ignoring = says(searches('more'), finish('tool-calls'));
    const noAnswer = (error: unknown) => error instanceof Fault && error.code === 'model_no_answer';
    const good = await run(
      inTurn(says(searches('one'), finish('tool-calls')), ignoring, says([text('A bird [1].')], finish())),
      { tools: [search], stepsMax: 1 },
    );
    assert.deepEqual([good.texts, good.items, good.reason], [['A bird [1].'], ['search'], 'end']);
    const again = good.requests[2];
    assert.deepEqual([again?.toolChoice, again?.turns.at(-1)?.role], ['none', 'user']);
    assert.equal(good.usage?.model.input, 33, 'every turn is counted');
    await assert.rejects(
      run(inTurn(says(searches('one'), finish('tool-calls')), ignoring, ignoring), {
        tools: [search],
        stepsMax: 1,
      }),
      noAnswer,
    );
    const empty = says(finish());
    await assert.rejects(run(inTurn(empty, empty)), noAnswer);
    await assert.rejects(run(inTurn(says(finish('content-filter')))), noAnswer);
    // The caller's own limits may leave nothing to tell.
    assert.equal((await run(says(finish('length')))).reason, 'length');
    assert.equal((await run(says(finish('stop-sequence', 'END')))).reason, 'stop-sequence');
  });

  test('what was told before a call stands as the answer of a model that has no more to say', async () => {
    const long = 'The kea is a parrot of New Zealand. '.repeat(6);
    const { texts, reason } = await run(
      inTurn(says([text(long)], searches('kea'), finish('tool-calls')), says(finish())),
      { tools: [search] },
    );
    assert.deepEqual([texts, reason], [[long], 'end']);
  });

  test('where no tool may be called, calls are nobody’s: neither run nor handed to the caller', async () => {
    const functions = [definition('get_weather')];
    const { texts, calls, items } = await run(
      inTurn(
        says(call('f1', 'get_weather'), searches('kea'), finish('tool-calls')),
        says([text('Sunny.')], call('f2', 'get_weather'), finish('tool-calls')),
      ),
      { functions, tools: [search], toolChoice: 'none' },
    );
    assert.deepEqual([texts, calls, items], [['Sunny.'], [], []]);
  });

  test('text behind a call is a message behind it, as it came', async () => {
    const functions = [definition('get_weather')];
    const { texts, calls, events } = await run(
      says(
        [text('First.')],
        call('f1', 'get_weather'),
        [text('\n')],
        [text('Then [1].')],
        finish('tool-calls'),
      ),
      { functions },
    );
    assert.deepEqual([texts, calls.length], [['First.', '\nThen [1].'], 1]);
    const order = events.flatMap(({ type }) => (/^(message|call)-end$/.test(type) ? [type] : []));
    assert.deepEqual(order, ['message-end', 'call-end', 'message-end']);
  });

  test('calls beyond the limit are refused to the model and cost nothing', async () => {
    const twice: Batch = [
      ...call('c1', 'web_search', '{"queries":["one"]}'),
      ...call('c2', 'web_search', '{"queries":["two"]}'),
    ];
    const { items, usage, requests } = await run(
      inTurn(says(twice, finish('tool-calls')), says([text('x')], finish())),
      { tools: [search], toolCallsMax: 1 },
    );
    assert.deepEqual(items, ['search']);
    assert.equal(usage?.tools.search_web?.count, 1);
    assert.match(JSON.stringify(requests[1]?.turns[2]), /No more tool calls/);
    assert.equal(requests[1]?.toolChoice, 'none');
  });

  test('a function of the caller ends the run; tools of the same turn run first', async () => {
    const functions = [definition('get_weather')];
    const alone = await run(
      says([text('One moment.')], call('f1', 'get_weather', '{"city"', ':"Oslo"}'), finish('tool-calls')),
      { functions },
    );
    assert.deepEqual([alone.texts, alone.reason], [['One moment.'], 'calls']);
    assert.deepEqual(alone.calls, [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }]);
    const mixed = await run(says([...call('f1', 'get_weather'), ...searches('kea')], finish('tool-calls')), {
      functions,
      tools: [search],
    });
    assert.deepEqual([mixed.items, mixed.reason], [['search'], 'calls']);
    assert.deepEqual(mixed.calls, [{ name: 'get_weather', arguments: '{}' }]);
    const order = mixed.events.flatMap(({ type }) =>
      type === 'item' || type === 'call-start' ? [type] : [],
    );
    assert.deepEqual(order, ['item', 'call-start']);
  });

  test('an unknown tool, bad arguments and a tool that fails are told to the model', async () => {
    const broken: Tool = {
      definition: definition('broken'),
      call: () => Promise.resolve({ items: [], text: 'The page cannot be read.', isError: true, uses: [] }),
    };
    const batch: Batch = [
      ...call('c1', 'no_such_tool'),
      ...call('c2', 'web_search', '{"queries":'),
      ...call('c3', 'broken'),
    ];
    const { requests, texts } = await run(
      inTurn(says(batch, finish('tool-calls')), says([text('Sorry.')], finish())),
      {
        tools: [search, broken],
      },
    );
    assert.deepEqual(texts, ['Sorry.']);
    const [, , last] = requests[1]?.turns ?? [];
    assert.ok(last?.role === 'tool' && last.results.every(({ isError }) => isError));
    assert.match(JSON.stringify(last), /no tool of this name.*not valid JSON.*cannot be read/);
  });

  test('a forced tool is forced once', async () => {
    const { requests } = await run(
      inTurn(says(searches('kea'), finish('tool-calls')), says([text('A bird [1].')], finish())),
      { tools: [search], toolChoice: { name: 'web_search' } },
    );
    assert.deepEqual(
      requests.map(({ toolChoice }) => toolChoice),
      [{ name: 'web_search' }, 'auto'],
    );
  });

  test('a search that the caller planned comes first, as data behind the question', async () => {
    const { items, requests, texts } = await run(says([text('A parrot [1].')], finish()), {
      tools: [search],
      seed: ['kea'],
    });
    assert.deepEqual([items, texts], [['search'], ['A parrot [1].']]);
    const [turn] = requests[0]?.turns ?? [];
    assert.match(JSON.stringify(turn), /What is a kea\?.*<results>\[1\] kea<\/results>/);
  });

  test('for a model that calls no tools the last question is searched', async () => {
    const weak = { capabilities: { tools: false }, answer: says([text('Ja [5].')], finish()) };
    const { items, requests, texts } = await run(weak, { tools: [search] });
    assert.deepEqual([items, texts], [['search'], ['Ja.']]);
    assert.equal(requests[0]?.tools.length, 0);
    const quoting = {
      capabilities: { tools: false, generates: false },
      answer: says([text('“kea” [4].')], finish()),
    };
    const quoted = await run(quoting, { tools: [search] });
    assert.doesNotMatch(JSON.stringify(quoted.requests[0]?.turns), /results/);
    assert.deepEqual(
      quoted.requests[0]?.sources?.map(({ title }) => title),
      ['What', 'is', 'a', 'kea?'],
    );
  });

  test('an answer of a given form is told when it is valid, and asked for three times at most', async () => {
    const check = parseRegex('[0-9]+', 'regex');
    const good = await run(inTurn(says([text('four')], finish()), says([text('4')], finish())), { check });
    assert.deepEqual([good.texts, good.usage?.model.input], [['4'], 22]);
    const never = says([text('four')], finish());
    await assert.rejects(
      run(never, { check }),
      (error) => error instanceof Fault && error.code === 'structured_output_failed',
    );
  });

  test('calls that a model writes at the same time are told one after the other', async () => {
    const functions = [definition('a'), definition('b')];
    const interleaved: Batch[] = [
      [{ type: 'tool-call-start', id: 'f1', name: 'a' }],
      [{ type: 'tool-call-start', id: 'f2', name: 'b' }],
      [{ type: 'tool-call-delta', id: 'f2', arguments: '{"x":' }],
      [{ type: 'tool-call-delta', id: 'f1', arguments: '{}' }],
      [{ type: 'tool-call-delta', id: 'f2', arguments: '1}' }],
      [{ type: 'tool-call-end', id: 'f2' }],
      [{ type: 'tool-call-end', id: 'f1' }],
    ];
    const { calls } = await run(says(...interleaved, finish('tool-calls')), { functions });
    assert.deepEqual(calls, [
      { name: 'a', arguments: '{}' },
      { name: 'b', arguments: '{"x":1}' },
    ]);
  });

  test('what a backend throws and an abort end the run with their reason', async () => {
    const fault = new Fault('bad_gateway');
    await assert.rejects(run(breaks(fault, [text('A')])), fault);
    const controller = new AbortController();
    const models = scriptedModels({ 'test/a': says([text('A')], [text('B')], finish()) });
    const reason = new Error('gone');
    await assert.rejects(async () => {
      for await (const batch of runAgent(agentRun, models, controller.signal))
        if (batch.some(({ type }) => type === 'text-delta')) controller.abort(reason);
    }, reason);
  });

  test('text that orders something stays data: nothing runs that the request did not allow', async () => {
    const evil = says([text('x')], call('c1', 'sandbox', '{"code":"rm -rf /"}'), finish('tool-calls'));
    const { items, calls } = await run(evil, { functions: [definition('get_weather')] });
    assert.deepEqual([items, calls], [[], []]);
  });
});
