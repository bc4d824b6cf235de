import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Fault } from '../../src/kernel/faults.ts';
import type { FunctionTool, Model, ModelRequest } from '../../src/features/models/model.ts';
import type { Collected, Said, Script } from './suite.ts';

export interface CallDependencies {
  readonly answering: (t: TestContext, says: readonly Said[], ends?: Script['ends']) => Promise<Model>;
  readonly collect: (model: Model, request: Partial<ModelRequest>) => Promise<Collected>;
  readonly faultOf: (work: Promise<unknown>) => Promise<Fault>;
  readonly weather: FunctionTool;
}

/** What holds for the calls of every provider whose backend can be scripted. */
export function callTests({ answering, collect, faultOf, weather }: CallDependencies): void {
  test('a call without arguments has {}', async (t) => {
    const says: Said[] = [{ call: { id: 'call_a1', name: 'weather', pieces: [] } }];
    const { calls } = await collect(await answering(t, says, 'tool-calls'), { tools: [weather] });
    assert.deepEqual(
      calls.map((call) => call.arguments),
      ['{}'],
    );
  });

  test('a call whose arguments are cut is a failure of the backend, whatever it says about its end', async (t) => {
    for (const ends of ['tool-calls', 'end', 'length'] as const) {
      const says: Said[] = [
        { text: 'Looking.' },
        { call: { id: 'call_a1', name: 'weather', pieces: ['{"city":', '"Bern"}'] } },
        { call: { id: 'call_b2', name: 'weather', pieces: ['{"city":', '"Be'] } },
      ];
      const asked = answering(t, says, ends).then((model) => collect(model, { tools: [weather] }));
      assert.equal((await faultOf(asked)).code, 'bad_gateway', ends);
    }
  });

  test('arguments that never came before a limit was reached are missing, and none', async (t) => {
    const says: Said[] = [{ call: { id: 'call_a1', name: 'weather', pieces: [] } }];
    const asked = answering(t, says, 'length').then((model) => collect(model, { tools: [weather] }));
    assert.equal((await faultOf(asked)).code, 'bad_gateway');
  });

  test('numbers in arguments keep every digit, and blocks their order', async (t) => {
    const digits = '{"id":12345678901234567890,"pi":3.14159265358979323846}';
    const says: Said[] = [
      { text: 'Before. ' },
      { call: { id: 'call_a1', name: 'weather', pieces: [digits.slice(0, 9), digits.slice(9)] } },
      { text: 'Behind.' },
    ];
    const { calls, events, text } = await collect(await answering(t, says, 'tool-calls'), {
      tools: [weather],
    });
    assert.deepEqual([calls[0]?.arguments, text], [digits, 'Before. Behind.']);
    const order = events.flatMap(({ type }) => (/^(text-delta|tool-call-start)$/.test(type) ? [type] : []));
    assert.deepEqual(order, ['text-delta', 'tool-call-start', 'text-delta']);
  });
}
