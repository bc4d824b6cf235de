import { markers, type Form } from './forms.ts';
import { feederOf } from './inputs.ts';
import { openLateScorer } from './late.ts';
import { loadRuntime, type OnnxLibrary, type OnnxOutput, type OnnxSession } from './library.ts';
import type { ModelFolder } from './model-folder.ts';
import { OnnxProblem } from './problem.ts';
import type { Tokenize } from './tokens.ts';
import type { Row, RowText } from './row.ts';
import { openReader, type RowAbout } from './reader.ts';
import { createSession } from './session.ts';

/** `encoder`: a vector for a row. `classifier`: a number for each of its labels. */
export type GraphKind = 'encoder' | 'classifier' | Form['kind'];

/** A graph that is ready to evaluate. */
export interface Graph {
  readonly kind: GraphKind;
  readonly runtime: string;
  /** The shortest row that it can read. */
  readonly sample: Row;
  /**
   * Vector or numbers of one row. The same row gives the same bytes, because no row is evaluated beside another but where
   * that changes nothing.
   */
  run(row: Row): Promise<Float32Array>;
  /**
   * Those of rows of one length at once, which changes the bytes of some graphs. Absent where marks in a row say what is
   * read of it: what looks for them may look in the first row only.
   */
  runTogether?(rows: readonly Row[]): Promise<readonly Float32Array[]>;
  /** What a reader gives of a row about a state; absent where the model has none. */
  read?(row: RowAbout): Promise<Float32Array>;
}

/** A text that every encoder and classifier can read, to see that it evaluates. */
const sampleText: RowText = { text: 'a', pair: null };

/** Opens the graph and finds out by one row what it gives. Throws OnnxProblem. */
export async function openGraph(model: ModelFolder, tokenize: Tokenize): Promise<Graph> {
  const loaded = await loadRuntime();
  const { name: runtime, library } = loaded;
  library.env.logLevel = 'fatal';
  const { path, reader: readerFolder } = model;
  const session = await createSession(loaded, path);
  const evaluate = evaluatorOf(library, session);
  const read = readerFolder === null ? null : await openReader(loaded, path, readerFolder);
  const form = session.inputNames.includes('marker_pos') ? markers : model.form;
  const row = tokenize(form?.sample ?? sampleText);
  if (form?.kind === 'late' && model.scorer !== null) {
    const run = await openLateScorer(loaded, model.scorer, (asked) => evaluate([asked]));
    return { kind: 'late', runtime, sample: { ...row, option: row.ids }, run };
  }
  const { dims } = await evaluate([row]);
  if (form !== null) {
    const run = async (asked: Row) => answersOf(await evaluate([asked]), form, asked);
    return { kind: form.kind, runtime, sample: row, run };
  }
  const kind = kindOf(evaluate.output, dims);
  if (dims.length === 3 && model.pooling === null)
    throw new OnnxProblem('1_Pooling/config.json is missing, which says how its tokens become one vector');
  const vectorOf = (data: Float32Array) => {
    const pooled = dims.length === 3 ? pool(data, dims[2] ?? 0, model) : data.slice();
    return kind === 'encoder' && model.normalizes ? normalize(pooled) : pooled;
  };
  return {
    kind,
    runtime,
    sample: row,
    run: async (asked) => vectorOf((await evaluate([asked])).data),
    runTogether: async (rows) => separate(await evaluate(rows)).map(({ data }) => vectorOf(data)),
    ...(read !== null && { read }),
  };
}

interface Evaluated extends OnnxOutput {
  readonly data: Float32Array;
}

/** Evaluates rows of one length, with the name of the output that it reads. Throws OnnxProblem. */
function evaluatorOf(library: OnnxLibrary, session: OnnxSession) {
  const feed = feederOf(library, session);
  const output = outputOf(session);
  const evaluate = async (rows: readonly Row[]): Promise<Evaluated> => {
    const { [output]: found } = await session.run(feed(rows), [output]);
    if (!(found?.data instanceof Float32Array))
      throw new OnnxProblem(`its output ${output} is of the type ${found?.type}; float32 is needed`);
    return { ...found, data: found.data };
  };
  return Object.assign(evaluate, { output });
}

/** What a graph gives of rows, row by row. */
function separate(all: Evaluated): readonly Evaluated[] {
  const {
    data,
    dims: [rows = 1, ...dims],
  } = all;
  const size = data.length / rows;
  return Array.from({ length: rows }, (_, index) => ({
    ...all,
    data: data.subarray(index * size, (index + 1) * size),
    dims: [1, ...dims],
  }));
}

/** The number of each marked token, in order. Throws OnnxProblem. */
function answersOf({ data, dims }: Evaluated, { kind }: Form, { ids, marks = [] }: Row): Float32Array {
  const found = kind === 'pointers' ? data.length === ids.length : data.length >= marks.length;
  if (!found)
    throw new OnnxProblem(`its output of ${dims.join(' x ')} does not fit a model of the kind ${kind}`);
  return Float32Array.from(marks, (mark, index) => data[kind === 'pointers' ? mark : index] ?? 0);
}

/** Outputs by which a graph is known, the first that it has counts. */
const known = [
  'logits',
  'sentence_embedding',
  'last_hidden_state',
  'token_embeddings',
  'token_states',
] as const;

function outputOf({ outputNames }: OnnxSession): string {
  const output = known.find((name) => outputNames.includes(name));
  if (output !== undefined) return output;
  throw new OnnxProblem(`the graph gives ${outputNames.join(', ')}; needed is one of ${known.join(', ')}`);
}

function kindOf(output: string, dims: readonly number[]): GraphKind {
  if (output === 'logits' && dims.length <= 2) return 'classifier';
  if (output !== 'logits' && (dims.length === 2 || dims.length === 3)) return 'encoder';
  throw new OnnxProblem(
    `its output ${output} has ${dims.length} dimensions: it is a model that answers token by token`,
  );
}

/** Sums in double precision: over hundreds of tokens single precision would lose digits. */
function pool(values: Float32Array, size: number, { pooling }: ModelFolder): Float32Array {
  const tokens = values.length / size;
  if (pooling === 'first') return values.slice(0, size);
  if (pooling === 'last') return values.slice((tokens - 1) * size);
  const sums = new Float64Array(size);
  for (let token = 0, at = 0; token < tokens; token++)
    for (let i = 0; i < size; i++, at++) sums[i] = (sums[i] ?? 0) + (values[at] ?? 0);
  return Float32Array.from(sums, (sum) => sum / tokens);
}

function normalize(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}
