import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keepStates, type TokenStates } from './kept-states.ts';
import { OnnxProblem } from './problem.ts';
import type { Row } from './row.ts';
import { createSession, type Runtime } from './session.ts';

/** A question, and the windows of the state that it asks about. */
export type RowAbout = Row & Required<Pick<Row, 'about'>>;

export interface Reader {
  /** Log odds of yes, no and not told, up to a constant. Throws OnnxProblem. */
  read(row: RowAbout): Promise<Float32Array>;
  /** Takes what the lower layers made of rows of one length, so that they need not be evaluated again. */
  keep(rows: readonly Row[], states: TokenStates): void;
}

/** Output of the encoder's graph with which the reader begins. */
export const lowerOutput = 'lower_hidden_state';
/** Numbers in what is kept of texts: 32 MB. A token of a state takes 2,688, one of a question 384. */
const keptMax = 8_388_608;

/** The graph of an encoder with the reader's input among its outputs, which the second file names. */
export async function readJoinedGraph(graph: string, reader: string): Promise<Uint8Array> {
  return Buffer.concat([await readFile(graph), await readFile(join(reader, 'lower.onnx'))]);
}

/**
 * The reader of a question and a state: layers above the lower ones of the encoder, in which tokens of the question look at
 * those of the state. Those of the state never look at the question, so that what is made of a state serves each question
 * about it. Made by `training/decider/export_reader.py`. Throws OnnxProblem.
 */
export async function openReader(
  runtime: Runtime,
  folder: string,
  lowerOf: (row: Row) => Promise<TokenStates | null>,
): Promise<Reader> {
  const session = await createSession(runtime, join(folder, 'reader.onnx'));
  const { Tensor } = runtime.library;
  const kept = keepStates(keptMax);

  async function evaluate(hidden: TokenStates, before: TokenStates | null, output: string) {
    const earlier = before ?? nothing;
    const feeds = {
      hidden: new Tensor('float32', hidden.data, hidden.dims),
      is_question: new Tensor('float32', Float32Array.of(before === null ? 0 : 1), [1]),
      before: new Tensor('float32', earlier.data, earlier.dims),
    };
    const { [output]: found } = await session.run(feeds, [output]);
    if (!(found?.data instanceof Float32Array)) throw new OnnxProblem(`the reader gives no ${output}`);
    // The runtime may use its memory again.
    return { data: found.data.slice(), dims: found.dims };
  }

  async function lowerStates(ids: readonly number[]): Promise<TokenStates> {
    const key = keyOf([ids]);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const states = await lowerOf({ ids, types: ids.map(() => 0) });
    if (states === null) throw new OnnxProblem(`the graph does not give ${lowerOutput}`);
    const own = { data: states.data.slice(), dims: states.dims };
    kept.set(key, own);
    return own;
  }

  async function stateOf(windows: RowAbout['about']): Promise<TokenStates> {
    const key = `state ${keyOf(windows)}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const parts: TokenStates[] = [];
    for (const ids of windows) parts.push(await lowerStates(ids));
    const made = await evaluate(joined(parts), null, 'after');
    kept.set(key, made);
    return made;
  }

  return {
    async read({ ids, about }) {
      const state = await stateOf(about);
      return (await evaluate(await lowerStates(ids), state, 'logits')).data;
    },
    keep(rows, states) {
      const size = states.data.length / rows.length;
      for (const [index, { ids }] of rows.entries()) {
        const data = states.data.slice(index * size, (index + 1) * size);
        kept.set(keyOf([ids]), { data, dims: [1, ...states.dims.slice(1)] });
      }
    },
  };
}

const keyOf = (windows: readonly (readonly number[])[]): string =>
  windows.map((ids) => ids.join(' ')).join(', ');

/** Keys and values of no token: two in each of three layers, in twelve heads of 32 numbers. */
const nothing: TokenStates = { data: new Float32Array(), dims: [6, 1, 12, 0, 32] };

/** The tokens of all texts one after the other. */
function joined(parts: readonly TokenStates[]): TokenStates {
  const [first, ...others] = parts;
  if (first !== undefined && others.length === 0) return first;
  const data = new Float32Array(parts.reduce((sum, part) => sum + part.data.length, 0));
  let at = 0;
  for (const part of parts) {
    data.set(part.data, at);
    at += part.data.length;
  }
  const size = first?.dims[2] ?? 1;
  return { data, dims: [1, data.length / size, size] };
}
