import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import type { Distribution, NormalizedQuestion } from '../../src/features/decisions/engine.ts';
import { openOnnxEngine } from '../../src/features/decisions/engines/onnx/index.ts';
import { never, stateOf } from '../support/asked.ts';
import { copySparrow, decider, skipsDeciders, skipsSparrow } from '../support/weights.ts';

interface AskedRow extends NormalizedQuestion {
  readonly state: string;
  readonly probabilities: Distribution;
}

/** Compares what Nestor answers to 200 questions with what lies beside the model. */
async function agrees(t: TestContext, path: string): Promise<void> {
  const engine = await openOnnxEngine({ path });
  t.after(() => engine.close());
  assert.equal(engine.problem, null);
  const rows = JSON.parse(await readFile(join(path, 'rows.json'), 'utf8')) as readonly AskedRow[];
  assert.equal(rows.length, 200);
  let furthest = 0;
  for (const { state, probabilities, ...question } of rows) {
    const [answer = []] = await engine.score(stateOf(state), [question], never);
    assert.equal(answer.length, probabilities.length);
    const apart = answer.map((one, index) => Math.abs(one - (probabilities[index] ?? Number.NaN)));
    furthest = Math.max(furthest, ...apart);
  }
  t.diagnostic(`the furthest probability is ${furthest} away`);
  assert.ok(furthest < 1e-4, String(furthest));
}

suite('decision models answer as in their authors’ own Python', () => {
  for (const name of ['laya', 'gliclass', 'nli'])
    test(`${name} of random weights, to 1e-4 on 200 questions`, { skip: skipsDeciders }, (t) =>
      agrees(t, decider(name)),
    );
  test('sparrow as published, to 1e-4 on 200 questions', { skip: skipsSparrow }, async (t) =>
    agrees(t, await copySparrow(t)),
  );
});
