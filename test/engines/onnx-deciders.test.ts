import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { writeDecider } from '../support/onnx-deciders.ts';
import { startServer } from '../support/server.ts';

suite('decision models in ONNX form through a whole server', () => {
  for (const kind of ['markers', 'labels', 'late', 'pointers', 'segments'] as const)
    test(`the adapter ${kind} answers, in any order of the options alike, and says how a long state was read`, async (t) => {
      const path = await writeDecider(t, { kind });
      const server = await startServer(t, { config: JSON.stringify({ decisions: { path } }) });
      const ask = async (state: string, names: readonly string[]) => {
        const response = await server.post('/v1/decisions', {
          model: 'svc-decider-v1-27b',
          state,
          questions: {
            place: {
              type: 'choice',
              instructions: 'where is it',
              criteria: Object.fromEntries(names.map((name) => [name, null])),
            },
            bird: { type: 'noul', instructions: 'is it a bird' },
            level: { type: 'score', instructions: 'level', criteria: ['no', 'yes'] },
          },
        });
        assert.equal(response.status, 200, await response.clone().text());
        assert.equal(response.headers.get('x-nestor-engine'), 'onnx');
        const { answers } = (await response.json()) as { readonly answers: object };
        return { answers, windows: response.headers.get('x-nestor-state-windows') };
      };
      const names = ['bird', 'card', 'mountains'];
      const short = await ask('the kea lives in the mountains', names);
      assert.deepEqual(await ask('the kea lives in the mountains', names.toReversed()), short);
      assert.equal(short.windows, null);
      const long = await ask('the kea lives in the mountains. '.repeat(300), names);
      assert.match(long.windows ?? '', kind === 'segments' ? /^16 of 300$/ : /^[24] of \d+$/);
    });
});
