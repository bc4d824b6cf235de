import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { openOnnxEngine } from '../../src/features/decisions/engines/onnx/index.ts';
import type { TestScope } from './server.ts';
import { toOnnx, type OnnxNode, type OnnxValue, type OnnxWeight } from './onnx-file.ts';
import { controls, random, tokenizerOf, vocabulary } from './onnx.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A decision model that answers with arithmetic a test can repeat: a token has one number, and its place counts. */
export interface TestDecider {
  readonly kind: 'markers' | 'labels' | 'pointers' | 'segments' | 'late';
  /** Of rl_agent_config.json, config.json or decima.json, beside what the kind needs. */
  readonly settings?: object;
  /** Of a pointer model: its temperature, and delimiters other than its own. */
  readonly kev?: { readonly temperature?: number; readonly delimiters?: object };
  /** A temporary one by default. */
  readonly folder?: string;
}

const words =
  'choice score noul question level false true holds does statement for this state if day 0 1 2 query passage of — …'.split(
    ' ',
  );
const delimiters = {
  state: '<|state|>',
  question: '<|question|>',
  option_start: '<|start|>',
  option_end: '<|end|>',
  decide: '<|decide|>',
};
/** What controls a row of one kind of model or another. */
export const special: readonly string[] = [...controls, '<<LABEL>>', '<<SEP>>', ...Object.values(delimiters)];
const tokens = [...new Set([...special, ...vocabulary, ...words])];
const values = random(7, tokens.length);

/** Ids of tokens that stand in a row, apart from each other. */
export function idsOf(row: string): readonly number[] {
  const ids = row.split(' ').map((token) => tokens.indexOf(token));
  assert.ok(!ids.includes(-1), row);
  return ids;
}
export const valueOf = (id: number): number => values[id] ?? Number.NaN;

/** The mean of the numbers of a row, each times its place. */
export const placedMeanOf = (ids: readonly number[]): number =>
  ids.reduce((sum, id, place) => sum + valueOf(id) * place, 0) / ids.length;

/** What the graph of markers, labels and segments gives for the token behind each mark of a row. */
export function logitsBehind(mark: '[MASK]' | '<<LABEL>>', row: string, kind = 0): readonly number[] {
  const ids = idsOf(row);
  const [marked] = idsOf(mark);
  return ids.flatMap((id, at) =>
    id === marked ? [valueOf(ids[at + 1] ?? -1) * (placedMeanOf(ids) + kind)] : [],
  );
}

/**
 * Opens models of a kind for a whole file, those with the same settings once: two seconds of CPU, in a process that tries
 * the model and in its thread.
 */
export function decidersOf(kind: TestDecider['kind']) {
  const opened = new Map<string, ReturnType<typeof openOnnxEngine>>();
  after(async () => {
    for (const engine of opened.values()) await (await engine).close();
  });
  return async (given: Pick<TestDecider, 'settings' | 'kev'> = {}) => {
    const key = JSON.stringify(given);
    const opening =
      opened.get(key) ?? writeDecider({ after }, { kind, ...given }).then((path) => openOnnxEngine({ path }));
    opened.set(key, opening);
    const engine = await opening;
    assert.equal(engine.problem, null);
    return engine;
  };
}

const files = {
  markers: 'rl_agent_config.json',
  labels: 'config.json',
  pointers: 'config.json',
  segments: 'config.json',
  late: 'decima.json',
};
const needed = {
  markers: {},
  labels: { architecture_type: 'uni-encoder', prompt_first: true },
  pointers: {},
  segments: { arch: 'static' },
  late: {
    ordinal: { ord_g_w: [0.5, -1], ord_g_b: 0.1, ord_gap_w: [1, 0.3], ord_gap_b: 0.2 },
    temperature: 0.5,
  },
} as const;

/** Writes the folder of a model and returns its path. */
export async function writeDecider(
  t: TestScope,
  { kind, settings, kev: { delimiters: others, ...more } = {}, folder: given }: TestDecider,
): Promise<string> {
  const folder = given ?? (await temporaryFolder(t));
  const write = (name: string, content: object) => writeFile(join(folder, name), JSON.stringify(content));
  // Beside decision models the tokenizer often has a folder of its own.
  const inner = kind === 'markers' || kind === 'late' ? 'tokenizer' : '.';
  await mkdir(join(folder, inner), { recursive: true });
  await write(join(inner, 'tokenizer.json'), tokenizerOf(tokens, special));
  await write(join(inner, 'tokenizer_config.json'), {
    cls_token: '[CLS]',
    sep_token: '[SEP]',
    mask_token: { content: '[MASK]' },
  });
  const kev = { delimiters: { ...delimiters, ...others }, ...more };
  await write(files[kind], { ...needed[kind], ...(kind === 'pointers' && { kev }), ...settings });
  if (kind === 'late') {
    await writeFile(join(folder, 'encoder.onnx'), lateEncoder());
    await writeFile(join(folder, 'scorer.onnx'), lateScorer());
  } else await writeFile(join(folder, 'model.onnx'), rowModel(kind));
  return folder;
}

const row = (name: string): OnnxValue => ({ name, type: 'int64', dims: ['b', 's'] });
const integer = (name: string, value: number): OnnxWeight => ({
  name,
  dims: [],
  values: BigInt64Array.of(BigInt(value)),
});
const weights: readonly OnnxWeight[] = [
  { name: 'values', dims: [tokens.length], values },
  { name: 'one.float', dims: [1], values: Float32Array.of(1) },
  { name: 'rows', dims: [2], values: BigInt64Array.of(1n, -1n) },
  integer('zero', 0),
  integer('one', 1),
  integer('label', tokens.indexOf('<<LABEL>>')),
  integer('mask', tokens.indexOf('[MASK]')),
];

/** The number of each token, times its place. */
const placed: readonly OnnxNode[] = [
  { op: 'Gather', inputs: ['values', 'input_ids'], output: 'value' },
  { op: 'Shape', inputs: ['input_ids'], output: 'shape' },
  { op: 'Gather', inputs: ['shape', 'one'], output: 'length' },
  { op: 'Range', inputs: ['zero', 'length', 'one'], output: 'places' },
  { op: 'Cast', inputs: ['places'], output: 'place', attributes: { to: 1 } },
  { op: 'Mul', inputs: ['value', 'place'], output: 'placed' },
];

const mean: OnnxNode = {
  op: 'ReduceMean',
  inputs: ['placed'],
  output: 'mean',
  attributes: { axes: [1], keepdims: 1 },
};

const factor: readonly OnnxNode[] = [
  mean,
  { op: 'Cast', inputs: ['qtype'], output: 'kind', attributes: { to: 1 } },
  { op: 'Add', inputs: ['mean', 'kind'], output: 'factor' },
];

/** The number of the token behind each of these, times another. */
const behindEach = (token: 'label' | 'mask', times: 'mean' | 'factor'): readonly OnnxNode[] => [
  { op: 'Equal', inputs: ['input_ids', token], output: 'is.mark' },
  { op: 'NonZero', inputs: ['is.mark'], output: 'found' },
  { op: 'Gather', inputs: ['found', 'one'], output: 'marks' },
  { op: 'Add', inputs: ['marks', 'one'], output: 'behind.flat' },
  { op: 'Reshape', inputs: ['behind.flat', 'rows'], output: 'behind' },
  { op: 'GatherElements', inputs: ['value', 'behind'], output: 'said', attributes: { axis: 1 } },
  { op: 'Mul', inputs: ['said', times], output: 'logits' },
];

/** All but `pointers`: the number of the token behind each mark, times the mean of the row and the kind. */
const heads: Readonly<Record<'markers' | 'labels' | 'pointers' | 'segments', readonly OnnxNode[]>> = {
  markers: [
    ...factor,
    { op: 'Add', inputs: ['marker_pos', 'one'], output: 'behind' },
    { op: 'GatherElements', inputs: ['value', 'behind'], output: 'said', attributes: { axis: 1 } },
    { op: 'Mul', inputs: ['said', 'factor'], output: 'logits' },
    // Like the graphs of Laya, which look at the best two, it needs two options.
    { op: 'Gather', inputs: ['logits', 'one'], output: 'act_logits', attributes: { axis: 1 } },
  ],
  labels: [mean, ...behindEach('label', 'mean')],
  segments: [...factor, ...behindEach('mask', 'factor')],
  // What stands before a token, as models that read from left to right see it.
  pointers: [{ op: 'CumSum', inputs: ['placed', 'one'], output: 'logits' }],
};

function rowModel(kind: keyof typeof heads): Buffer {
  const asked: OnnxValue = { name: 'qtype', type: 'int64', dims: ['b'] };
  const options: readonly OnnxValue[] = [
    { name: 'marker_pos', type: 'int64', dims: ['b', 'k'] },
    { name: 'marker_mask', type: 'bool', dims: ['b', 'k'] },
    asked,
  ];
  return toOnnx({
    nodes: [...placed, ...heads[kind]],
    weights,
    inputs:
      kind === 'segments'
        ? [row('input_ids'), asked]
        : [row('input_ids'), row('attention_mask'), ...(kind === 'markers' ? options : [])],
    outputs: [
      { name: 'logits', type: 'float', dims: ['b', kind === 'pointers' ? 's' : 'k'] },
      ...(kind === 'markers' ? [{ name: 'act_logits', type: 'float', dims: ['b'] } as const] : []),
    ],
  });
}

/** Two numbers of each token: its own, and that times its place. */
function lateEncoder(): Buffer {
  return toOnnx({
    nodes: [
      ...placed,
      { op: 'Reshape', inputs: ['value', 'column'], output: 'value.column' },
      { op: 'Reshape', inputs: ['placed', 'column'], output: 'placed.column' },
      {
        op: 'Concat',
        inputs: ['value.column', 'placed.column'],
        output: 'token_states',
        attributes: { axis: 2 },
      },
    ],
    weights: [...weights, { name: 'column', dims: [3], values: BigInt64Array.of(1n, -1n, 1n) }],
    inputs: [row('input_ids'), row('attention_mask')],
    outputs: [{ name: 'token_states', type: 'float', dims: ['b', 's', 2] }],
  });
}

/** `z`: the mean of the tokens of the option. `scores`: the mean of its product with that of the state. */
function lateScorer(): Buffer {
  const over = (axis: number, keepdims: number) => ({ axes: [axis], keepdims });
  return toOnnx({
    nodes: [
      { op: 'ReduceMean', inputs: ['choice_h'], output: 'z', attributes: over(1, 0) },
      { op: 'ReduceMean', inputs: ['state_h'], output: 'state', attributes: over(1, 0) },
      { op: 'Mul', inputs: ['z', 'state'], output: 'product' },
      { op: 'ReduceMean', inputs: ['product'], output: 'scores', attributes: over(1, 0) },
    ],
    weights: [],
    inputs: [
      { name: 'state_h', type: 'float', dims: [1, 's', 2] },
      { name: 'state_mask', type: 'int64', dims: [1, 's'] },
      { name: 'choice_h', type: 'float', dims: ['n', 'c', 2] },
      { name: 'choice_mask', type: 'int64', dims: ['n', 'c'] },
    ],
    outputs: [
      { name: 'scores', type: 'float', dims: ['n'] },
      { name: 'z', type: 'float', dims: ['n', 2] },
    ],
  });
}
