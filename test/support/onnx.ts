import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toOnnx, type OnnxGraph, type OnnxNode, type OnnxWeight } from './onnx-file.ts';
import type { TestScope } from './server.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A model in ONNX form of random weights, as small as it can be. */
export interface TestOnnx {
  /** What the graph gives; the vectors of the tokens by default. */
  readonly output?: 'last_hidden_state' | 'sentence_embedding' | 'logits' | 'pooler_output';
  /** What the outputs of a classifier stand for. */
  readonly labels?: readonly string[];
  /** As in `1_Pooling/config.json`; null writes no such file. */
  readonly pooling?: string | null;
  readonly normalizes?: boolean;
  readonly tokensMax?: number;
  readonly prompts?: Readonly<Record<string, string>>;
  readonly defaultPrompt?: string;
  /** Name of a file beside the graph for its weights. */
  readonly weightsFile?: string;
  /** A further input, as models of another kind have. */
  readonly strange?: string;
  /** The graph reads one row at a time, as some exporters write it. */
  readonly isSingle?: boolean;
}

const size = 32;
const words =
  'where is my card the a bird green kea parrot it lives in mountains refund customer parcel money back want delivery billing no yes not word text one two three'.split(
    ' ',
  );
const characters = Array.from('abcdefghijklmnopqrstuvwxyz0123456789.,:;?!()"\'<>|_-/');
export const controls = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'];
export const vocabulary = [
  ...new Set([...controls, ...words, ...characters, ...characters.map((one) => `##${one}`)]),
];

/** Writes the folder of a model and returns its path. */
export async function writeOnnxModel(t: TestScope, model: TestOnnx = {}, folder?: string): Promise<string> {
  const path = folder ?? (await temporaryFolder(t));
  const { pooling = 'pooling_mode_mean_tokens', labels = [], tokensMax = 256 } = model;
  await mkdir(join(path, '1_Pooling'), { recursive: true });
  const write = (name: string, content: object) => writeFile(join(path, name), JSON.stringify(content));
  const outside =
    model.weightsFile === undefined ? undefined : { name: model.weightsFile, parts: [] as Buffer[] };
  await writeFile(join(path, 'model.onnx'), toOnnx(graphOf(model), outside));
  if (outside !== undefined) await writeFile(join(path, outside.name), Buffer.concat(outside.parts));
  await write('tokenizer.json', tokenizerOf(vocabulary, controls));
  await write('tokenizer_config.json', { model_max_length: tokensMax });
  const id2label = Object.fromEntries(labels.map((label, index) => [String(index), label]));
  await write('config.json', { model_type: 'bert', max_position_embeddings: 512, id2label });
  if (pooling !== null) await write('1_Pooling/config.json', { [pooling]: true });
  if (model.normalizes === true)
    await write('modules.json', [{ type: 'sentence_transformers.models.Normalize' }]);
  const { prompts, defaultPrompt: default_prompt_name } = model;
  if (prompts !== undefined)
    await write('config_sentence_transformers.json', { prompts, default_prompt_name });
  return path;
}

/** Words that are alike have vectors that are; what stands around a token moves it a little. */
function graphOf(model: TestOnnx): OnnxGraph {
  const { output = 'last_hidden_state', labels = [], strange, isSingle = false } = model;
  const outputs = Math.max(1, labels.length);
  const weights: readonly OnnxWeight[] = [
    { name: 'words', dims: [vocabulary.length, size], values: random(1, vocabulary.length * size) },
    { name: 'types', dims: [2, size], values: random(2, 2 * size) },
    { name: 'readout', dims: [size, outputs], values: random(3, size * outputs) },
  ];
  const nodes: OnnxNode[] = [
    { op: 'Gather', inputs: ['words', 'input_ids'], output: 'word' },
    { op: 'Gather', inputs: ['types', 'token_type_ids'], output: 'type' },
    { op: 'Add', inputs: ['word', 'type'], output: 'typed' },
    { op: 'ReduceMean', inputs: ['typed'], output: 'mean', attributes: { axes: [1], keepdims: 1 } },
    { op: 'ReduceMean', inputs: ['typed'], output: 'whole', attributes: { axes: [1], keepdims: 0 } },
    { op: 'Add', inputs: ['typed', 'mean'], output: 'last_hidden_state' },
    { op: 'MatMul', inputs: ['whole', 'readout'], output: 'logits' },
    { op: 'Identity', inputs: ['whole'], output: 'sentence_embedding' },
    { op: 'Identity', inputs: ['whole'], output: 'pooler_output' },
  ];
  const dims = { last_hidden_state: ['b', 's', size], logits: ['b', outputs] } as const;
  const given = output in dims ? dims[output as keyof typeof dims] : ['b', size];
  const inputs = [
    'input_ids',
    'attention_mask',
    'token_type_ids',
    ...(strange === undefined ? [] : [strange]),
  ];
  return {
    nodes,
    weights,
    inputs: inputs.map((name) => ({ name, type: 'int64', dims: [isSingle ? 1 : 'b', 's'] })),
    outputs: [{ name: output, type: 'float', dims: given }],
  };
}

/** A tokenizer of whole words and of characters. */
export function tokenizerOf(tokens: readonly string[], special: readonly string[]): object {
  const control = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  const text = (id: string, type_id: number) => ({ Sequence: { id, type_id } });
  const one = [control('[CLS]', 0), text('A', 0), control('[SEP]', 0)];
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special.map((content) => ({
      id: tokens.indexOf(content),
      content,
      special: true,
      normalized: false,
    })),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: one,
      pair: [...one, text('B', 1), control('[SEP]', 1)],
      special_tokens: Object.fromEntries(
        ['[CLS]', '[SEP]'].map((id) => [id, { id, ids: [tokens.indexOf(id)], tokens: [id] }]),
      ),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
    },
  };
}

/** The same numbers between -1 and 1 for the same seed. */
export function random(seed: number, count: number): Float32Array {
  let state = seed * 2_654_435_761;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2_147_483_648 - 1;
  });
}
