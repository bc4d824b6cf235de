import { join } from 'node:path';
import { embeddingSize, openEmbeddings } from './embeddings.ts';
import { keepStates, type TokenStates } from './kept-states.ts';
import { OnnxProblem } from './problem.ts';
import type { Row } from './row.ts';
import { createSession, type Runtime } from './session.ts';

/** A question, and the windows of the state that it asks about. */
export type RowAbout = Row & Required<Pick<Row, 'about'>>;

/** Log odds of yes, no and not told, up to a constant. Throws OnnxProblem. */
export type ReadRow = (row: RowAbout) => Promise<Float32Array>;

/** Numbers in what is kept of states: 32 MB. A token takes 6,912. */
const keptMax = 8_388_608;

/**
 * The reader of a question and a state: layers on the embeddings of the encoder, in which tokens of the question look at
 * those of the state. Those of the state never look at the question, so that what is made of a state serves each question
 * about it. Made by `training/decider/export_reader.py`. Throws OnnxProblem.
 */
export async function openReader(runtime: Runtime, encoder: string, folder: string): Promise<ReadRow> {
  const embed = await openEmbeddings(encoder, folder);
  const session = await createSession(runtime, join(folder, 'reader.onnx'));
  const { Tensor } = runtime.library;
  const kept = keepStates(keptMax);

  async function evaluate(texts: RowAbout['about'], before: TokenStates | null, output: string) {
    const embedded = joined(texts.map(embed));
    const earlier = before ?? nothing;
    const feeds = {
      embedded: new Tensor('float32', embedded, [1, embedded.length / embeddingSize, embeddingSize]),
      is_question: new Tensor('float32', Float32Array.of(before === null ? 0 : 1), [1]),
      before: new Tensor('float32', earlier.data, earlier.dims),
    };
    const { [output]: found } = await session.run(feeds, [output]);
    if (!(found?.data instanceof Float32Array)) throw new OnnxProblem(`the reader gives no ${output}`);
    // The runtime may use its memory again.
    return { data: found.data.slice(), dims: found.dims };
  }

  async function stateOf(windows: RowAbout['about']): Promise<TokenStates> {
    const key = windows.map((ids) => ids.join(' ')).join(', ');
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = await evaluate(windows, null, 'after');
    kept.set(key, made);
    return made;
  }

  return async ({ ids, about }) => (await evaluate([ids], await stateOf(about), 'logits')).data;
}

/** Keys and values of no token: two in each of nine layers, in twelve heads of 32 numbers. */
const nothing: TokenStates = { data: new Float32Array(), dims: [18, 1, 12, 0, 32] };

function joined(parts: readonly Float32Array[]): Float32Array {
  const [first, ...others] = parts;
  if (first !== undefined && others.length === 0) return first;
  const data = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    data.set(part, at);
    at += part.length;
  }
  return data;
}
