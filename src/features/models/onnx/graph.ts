import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  loadRuntime,
  type IntegerType,
  type OnnxLibrary,
  type OnnxOutput,
  type OnnxSession,
} from './library.ts';
import { OnnxProblem, type ModelFolder } from './model-folder.ts';
import type { Row } from './tokens.ts';

/** `encoder`: a vector for a row. `classifier`: a number for each of its labels. */
export type GraphKind = 'encoder' | 'classifier';

/** A graph that is ready to evaluate. */
export interface Graph {
  readonly kind: GraphKind;
  readonly runtime: string;
  /** Vector or numbers of one row. The same row gives the same bytes, because no row is evaluated beside another. */
  run(row: Row): Promise<Float32Array>;
}

/** Opens the graph and finds out by one row what it gives. Throws OnnxProblem. */
export async function openGraph(model: ModelFolder, sample: Row): Promise<Graph> {
  const { name: runtime, library } = await loadRuntime();
  library.env.logLevel = 'fatal';
  const outside = runtime === 'onnxruntime-web' ? { externalData: await weightsBeside(model.path) } : {};
  const session = await createSession(library, model.path, outside);
  const feed = feederOf(library, session);
  const output = outputOf(session);
  const evaluate = async (row: Row): Promise<OnnxOutput> => {
    const outputs = await session.run(feed(row), [output]);
    const found = outputs[output];
    if (!(found?.data instanceof Float32Array))
      throw new OnnxProblem(`its output ${output} is of the type ${found?.type}; float32 is needed`);
    return found;
  };
  const { dims } = await evaluate(sample);
  const kind = kindOf(output, dims);
  if (dims.length === 3 && model.pooling === null)
    throw new OnnxProblem('1_Pooling/config.json is missing, which says how its tokens become one vector');
  return {
    kind,
    runtime,
    async run(row) {
      const { data, dims: found } = await evaluate(row);
      const values = data as Float32Array;
      const pooled = found.length === 3 ? pool(values, found[2] ?? 0, model) : values.slice();
      return kind === 'encoder' && model.normalizes ? normalize(pooled) : pooled;
    },
  };
}

async function createSession(library: OnnxLibrary, path: string, more: object): Promise<OnnxSession> {
  const options = { intraOpNumThreads: 1, logSeverityLevel: 4, ...more };
  try {
    return await library.InferenceSession.create(path, options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OnnxProblem(`the graph cannot be opened: ${reason.replaceAll(/\s+/g, ' ').slice(0, 300)}`);
  }
}

/**
 * Files of weights beside a graph of which it holds no more than their names, as exporters write them: `model.onnx_data`,
 * `model.onnx_data_1`, `model.onnx.data`. The native runtime finds them by itself; in WebAssembly a graph reads no file.
 */
async function weightsBeside(path: string): Promise<readonly { path: string; data: string }[]> {
  const names = await readdir(dirname(path));
  return names
    .filter(
      (name) =>
        /^[._]data(?:_\d+)?$/.test(name.slice(basename(path).length)) && name.startsWith(basename(path)),
    )
    .toSorted()
    .map((name) => ({ path: name, data: join(dirname(path), name) }));
}

/** What every input is fed with. Throws OnnxProblem for one of another kind of model. */
function feederOf({ Tensor }: OnnxLibrary, session: OnnxSession): (row: Row) => Record<string, unknown> {
  const made: Readonly<Record<string, (row: Row) => readonly number[]>> = {
    input_ids: ({ ids }) => ids,
    attention_mask: ({ ids }) => ids.map(() => 1),
    token_type_ids: ({ types }) => types,
    position_ids: ({ ids }) => ids.map((_, index) => index),
  };
  const strange = session.inputNames.filter((name) => !Object.hasOwn(made, name));
  if (strange.length > 0 || !session.inputNames.includes('input_ids'))
    throw new OnnxProblem(
      `the graph reads ${session.inputNames.join(', ')}; an encoder reads input_ids, attention_mask and token_type_ids`,
    );
  const typeOf = (name: string): IntegerType =>
    session.inputMetadata?.find((one) => one.name === name)?.type === 'int32' ? 'int32' : 'int64';
  const toData = (type: IntegerType, values: readonly number[]) =>
    type === 'int32' ? Int32Array.from(values) : BigInt64Array.from(values, BigInt);
  const inputs = session.inputNames.map((name) => ({ name, type: typeOf(name) }));
  return (row) =>
    Object.fromEntries(
      inputs.map(({ name, type }) => {
        const values = made[name]?.(row) ?? [];
        return [name, new Tensor(type, toData(type, values), [1, values.length])];
      }),
    );
}

/** Outputs by which a graph is known, the first that it has counts. */
const known = ['logits', 'sentence_embedding', 'last_hidden_state', 'token_embeddings'] as const;

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
