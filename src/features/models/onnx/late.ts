import { keepStates, type TokenStates } from './kept-states.ts';
import { OnnxProblem } from './problem.ts';
import type { Row } from './row.ts';
import { createSession, type Runtime } from './session.ts';

/** Numbers in the vectors that are kept: 64 MB. A state of 256 tokens has 98,304, an option of 48 has 18,432. */
const keptMax = 16_777_216;
const inputs = ['state_h', 'state_mask', 'choice_h', 'choice_mask'] as const;

/**
 * The second graph of a model that encodes states and options by themselves. What was encoded is kept, so that an option
 * is encoded once for many states, and a state once for the options of a question. An option is scored alone: beside
 * others it would be padded, and graphs of 8 bits would give it other bytes. Throws OnnxProblem.
 */
export async function openLateScorer(
  runtime: Runtime,
  path: string,
  encode: (row: Row) => Promise<TokenStates>,
): Promise<(row: Row) => Promise<Float32Array>> {
  const session = await createSession(runtime, path);
  const missing = inputs.filter((name) => !session.inputNames.includes(name));
  if (missing.length > 0) throw new OnnxProblem(`the second graph does not read ${missing.join(', ')}`);
  const kept = keepStates(keptMax);
  async function statesOf(ids: readonly number[]): Promise<TokenStates> {
    const key = ids.join(' ');
    const states = kept.get(key) ?? (await encode({ ids, types: ids.map(() => 0) }));
    kept.set(key, states);
    return states;
  }

  const { Tensor } = runtime.library;
  const maskOf = (ids: readonly number[]) =>
    new Tensor(
      'int64',
      BigInt64Array.from(ids, () => 1n),
      [1, ids.length],
    );
  return async ({ ids, option = [] }) => {
    const state = await statesOf(ids);
    const choice = await statesOf(option);
    const { scores, z } = await session.run(
      {
        state_h: new Tensor('float32', state.data, state.dims),
        state_mask: maskOf(ids),
        choice_h: new Tensor('float32', choice.data, choice.dims),
        choice_mask: maskOf(option),
      },
      ['scores', 'z'],
    );
    if (!(scores?.data instanceof Float32Array && z?.data instanceof Float32Array))
      throw new OnnxProblem('the second graph does not give scores and z as float32');
    return Float32Array.from([...scores.data, ...z.data]);
  };
}
