import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../src/faults.ts';
import { createStructuredThread } from '../../src/models/structured-thread.ts';

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

suite('checks of answers in a thread', () => {
  test('say what the same checks say in this one', async () => {
    const { parseSchema, parseRegex } = createStructuredThread();
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const check = await parseSchema(schema, 'schema');
    assert.match(check.instruction, /"required":\["n"\]/);
    assert.deepEqual(await check.check('```json\n{"n":1}\n```'), { ok: true, text: '{"n":1}' });
    const refused = await check.check('{"n":"x"}');
    assert.ok(!refused.ok && refused.problem.includes('answer.n must be integer'));
    const expression = await parseRegex('[a-c]+', 'regex');
    assert.deepEqual(await expression.check('abc\n'), { ok: true, text: 'abc' });
    assert.equal((await expression.check('abd')).ok, false);
  });

  test('refuse a schema and an expression that are none, in their own words', async () => {
    const { parseSchema, parseRegex } = createStructuredThread();
    const faultOf = async (work: Promise<unknown>) => {
      const error: unknown = await work.then(() => null).catch((reason: unknown) => reason);
      assert.ok(error instanceof Fault, String(error));
      return error;
    };
    const schema = await faultOf(parseSchema({ type: 'nothing' }, 'a.schema'));
    assert.deepEqual([schema.code, schema.param], ['invalid_value', 'a.schema']);
    assert.match(schema.message, /^a\.schema is not a valid JSON Schema: /);
    const regex = await faultOf(parseRegex('(', 'a.regex'));
    assert.deepEqual([regex.code, regex.message], ['invalid_value', 'a.regex is not a valid expression']);
  });

  test('that take too long are given up, and everything else goes on meanwhile', async () => {
    const { parseSchema } = createStructuredThread();
    const either = { type: 'array', items: { $ref: '#' } };
    const check = await parseSchema({ anyOf: [either, either, { const: 2 }] }, 'schema');
    const answer = Promise.resolve(check.check('['.repeat(40) + '1' + ']'.repeat(40)));
    assert.ok((await turnsDuring(answer)) > 20);
    assert.deepEqual(await answer, { ok: false, problem: 'the answer takes too long to check' });
    assert.deepEqual((await check.check('[2]')).ok, true);
  });
});
