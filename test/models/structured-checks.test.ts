import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { Fault } from '../../src/kernel/faults.ts';
import {
  openStructuredChecks,
  type OpenedStructuredChecks,
} from '../../src/features/models/open-structured-checks.ts';

const caller = { account: 'acme', signal: new AbortController().signal };

function open(t: TestContext): OpenedStructuredChecks {
  const checks = openStructuredChecks();
  t.after(() => checks.close());
  return checks;
}

/** A check that nests without an end to its branches, and an answer that keeps it busy until its time is over. */
const either = { type: 'array', items: { $ref: '#' } };
const slowSchema = { anyOf: [either, either, { const: 2 }] };
const slowAnswer = '['.repeat(40) + '1' + ']'.repeat(40);

/** How often the event loop came round while the work was under way. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  const state = { turns: 0, isOver: false };
  void work.finally(() => (state.isOver = true));
  while (!state.isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    state.turns++;
  }
  return state.turns;
}

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const error: unknown = await work.then(() => null).catch((reason: unknown) => reason);
  assert.ok(error instanceof Fault, String(error));
  return error;
}

suite('checks of answers in threads', () => {
  test('say what the same checks say in this one', async (t) => {
    const { parseSchema, parseRegex } = open(t);
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const check = await parseSchema(schema, 'schema', caller);
    assert.match(check.instruction, /"required":\["n"\]/);
    assert.deepEqual(await check.check('```json\n{"n":1}\n```'), { ok: true, text: '{"n":1}' });
    const refused = await check.check('{"n":"x"}');
    assert.ok(!refused.ok && refused.problem.includes('answer.n must be integer'));
    const expression = await parseRegex('[a-c]+', 'regex', caller);
    assert.deepEqual(await expression.check('abc\n'), { ok: true, text: 'abc' });
    assert.equal((await expression.check('abd')).ok, false);
  });

  test('refuse a schema and an expression that are none, in their own words', async (t) => {
    const { parseSchema, parseRegex } = open(t);
    const schema = await faultOf(parseSchema({ type: 'nothing' }, 'a.schema', caller));
    assert.deepEqual([schema.code, schema.param], ['invalid_value', 'a.schema']);
    assert.match(schema.message, /^a\.schema is not a valid JSON Schema: /);
    const regex = await faultOf(parseRegex('(', 'a.regex', caller));
    assert.deepEqual([regex.code, regex.message], ['invalid_value', 'a.regex is not a valid expression']);
  });

  test('that take too long are given up, and everything else goes on meanwhile', async (t) => {
    const check = await open(t).parseSchema(slowSchema, 'schema', caller);
    const answer = Promise.resolve(check.check(slowAnswer));
    assert.ok((await turnsDuring(answer)) > 20);
    assert.deepEqual(await answer, { ok: false, problem: 'the answer takes too long to check' });
    assert.deepEqual((await check.check('[2]')).ok, true);
  });

  test('of one account wait for nothing that another brought before', async (t) => {
    const { parseSchema } = open(t);
    const check = await parseSchema(slowSchema, 'schema', caller);
    let ended = 0;
    const waiting = 24;
    for (let number = 0; number < waiting; number++)
      void Promise.resolve(check.check(slowAnswer)).then(
        () => ended++,
        () => null,
      );
    const other = await parseSchema({ const: 1 }, 'schema', { ...caller, account: 'other' });
    assert.deepEqual(await other.check('1'), { ok: true, text: '1' });
    assert.ok(ended < waiting / 2, `${ended} of ${waiting} had ended before`);
  });

  test('end with the threads, also those that wait', async (t) => {
    const checks = open(t);
    const check = await checks.parseSchema(slowSchema, 'schema', caller);
    const waiting = Array.from({ length: 4 }, () => faultOf(Promise.resolve(check.check(slowAnswer))));
    await checks.close();
    for (const { code } of await Promise.all(waiting)) assert.equal(code, 'service_unavailable');
    assert.equal((await faultOf(checks.parseRegex('a', 'regex', caller))).code, 'service_unavailable');
  });

  test('are dropped with a caller that leaves while they wait', async (t) => {
    const { parseRegex } = open(t);
    const stop = new AbortController();
    const parsed = parseRegex('a', 'regex', { account: 'acme', signal: stop.signal });
    stop.abort(new Fault('client_closed'));
    assert.equal((await faultOf(parsed)).code, 'client_closed');
  });
});
