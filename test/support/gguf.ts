import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBpe, createSentencePiece, createWordPiece, type TestTokenizer } from './gguf-tokenizer.ts';

/** Raised by any change of what is written, so that no file of an older writer is found. */
const writerVersion = 5;

export interface TestModel {
  readonly shape?: keyof typeof shapes;
  /** The shape `bert` has its own. */
  readonly tokenizer?: 'bpe' | 'spm';
  /** How many pairs of capitals are one token. */
  readonly pairs?: number;
  readonly template?: keyof typeof chatTemplates | null;
  readonly architecture?: string;
  /** What llama.cpp calls the head of a decision model. */
  readonly decision?: string;
  readonly seed?: number;
  /** How an embedding model joins its tokens, as llama.cpp counts them: 1 mean, 2 first, 3 last, 4 ranking. */
  readonly pooling?: 1 | 2 | 3 | 4;
  /** Most tokens of a text; that of the shape by default. */
  readonly context?: number;
}

const shapes = {
  tiny: {
    arch: 'llama',
    layers: 2,
    d: 128,
    ff: 256,
    heads: 4,
    kv: 2,
    head: 32,
    vocab: 2_048,
    context: 16_384,
  },
  bert: {
    arch: 'bert',
    layers: 2,
    d: 128,
    ff: 256,
    heads: 4,
    kv: 4,
    head: 32,
    vocab: 512,
    context: 512,
  },
  qwen06: {
    arch: 'qwen3',
    layers: 28,
    d: 1_024,
    ff: 3_072,
    heads: 16,
    kv: 8,
    head: 128,
    vocab: 151_936,
    context: 40_960,
  },
} as const;

const turns =
  "{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endfor %}";
const start = "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}";

export const chatTemplates = {
  chatml: `${turns}${start}{%- endif %}`,
  /** As Qwen3: a switch closes the thought at once. */
  switched: `${turns}${start}{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}`,
  /** As DeepSeek R1: every answer begins inside a thought. */
  thinking: `${turns}${start}{{- '<think>\\n' }}{%- endif %}`,
  /** As Gemma 2. */
  'no-system': `{%- if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{%- endif %}${turns}${start}{%- endif %}`,
  /** As Qwen3: tools and calls between markers, and a switch for thinking. */
  tools: `{%- if tools %}{{- '<|im_start|>system\\n' }}{%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}{{- '<tools>' }}{%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}{{- '\\n</tools><|im_end|>\\n' }}{%- endif %}{%- for message in messages %}{%- if message.role == 'tool' %}{{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}{%- elif message.role == 'assistant' %}{{- '<|im_start|>assistant\\n' + message.content }}{%- if message.tool_calls %}{%- for call in message.tool_calls %}{%- if (loop.first and message.content) or (not loop.first) %}{{- '\\n' }}{%- endif %}{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}{{- call.function.arguments | tojson }}{{- '}\\n</tool_call>' }}{%- endfor %}{%- endif %}{{- '<|im_end|>\\n' }}{%- elif message.role == 'user' or not tools %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endif %}{%- endfor %}${start}{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}`,
  /** As Llama 3.1: one call per turn, without a marker, and results as JSON texts. */
  'json-calls': `{%- if tools %}{{- '<|im_start|>system\\n' }}{%- for tool in tools %}{{- (tool | tojson) + '\\n' }}{%- endfor %}{{- '<|im_end|>\\n' }}{%- endif %}{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' }}{%- if message.tool_calls %}{%- if message.tool_calls | length != 1 %}{{- raise_exception('one call at a time') }}{%- endif %}{%- set call = message.tool_calls[0].function %}{{- '{"name": "' + call.name + '", "parameters": ' }}{{- call.arguments | tojson }}{{- '}' }}{%- elif message.role == 'tool' %}{{- message.content | tojson }}{%- else %}{{- message.content }}{%- endif %}{{- '<|im_end|>\\n' }}{%- endfor %}${start}{%- endif %}`,
  /** Loses what the user says. */
  mute: "{{ 'hello' }}",
  broken: '{% if %}',
} as const;

const special = ['<|endoftext|>', '<|im_start|>', '<|im_end|>'];

/**
 * Writes a model with random weights and returns its path. The same description gives the same bytes; a file that
 * is there already is used again, also by other processes at the same time: small ones stay. `removeTestModel` takes away
 * one that is too large to leave behind, and that no other test uses.
 */
export async function writeTestModel(model: TestModel = {}): Promise<string> {
  const key = createHash('sha256')
    .update(JSON.stringify([writerVersion, model]))
    .digest('hex')
    .slice(0, 16);
  const folder = join(tmpdir(), 'nestor-test-models');
  const path = join(folder, `${model.shape ?? 'tiny'}-${key}.gguf`);
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  const partial = `${path}.${process.pid}`;
  const file = await open(partial, 'w');
  try {
    await write(file, model);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(partial, path);
  return path;
}

export async function removeTestModel(path: string): Promise<void> {
  await rm(path, { force: true });
}

interface Tensor {
  readonly name: string;
  readonly columns: number;
  readonly rows: number;
  /** Norms are single-precision ones and biases zeros, matrices random Q8_0. */
  readonly matrix: boolean;
}

async function write(file: FileHandle, model: TestModel): Promise<void> {
  const shape = shapes[model.shape ?? 'tiny'];
  const tensors = shape.arch === 'bert' ? bertTensorsOf(shape, contextOf(model, shape)) : tensorsOf(shape);
  const metadata = metadataOf(model, shape);
  const infos: Buffer[] = [];
  let offset = 0;
  for (const { name, columns, rows, matrix } of tensors) {
    const sizes = matrix || rows > 1 ? [u32(2), u64(columns), u64(rows)] : [u32(1), u64(columns)];
    infos.push(text(name), ...sizes, u32(matrix ? 8 : 0), u64(offset));
    offset += align(bytesOf({ name, columns, rows, matrix }));
  }
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    u32(3),
    u64(tensors.length),
    u64(metadata.length),
    ...metadata,
    ...infos,
  ]);
  await file.write(Buffer.concat([header, Buffer.alloc(align(header.length) - header.length)]));
  const noise = createNoise(model.seed ?? 1);
  for (const tensor of tensors) {
    const bytes = tensor.matrix
      ? noise(bytesOf(tensor))
      : [Buffer.from(new Float32Array(tensor.columns * tensor.rows).fill(isZero(tensor) ? 0 : 1).buffer)];
    for (const part of bytes) await file.write(part);
    await file.write(Buffer.alloc(align(bytesOf(tensor)) - bytesOf(tensor)));
  }
}

function isZero({ name }: Tensor): boolean {
  return name.endsWith('.bias') || name.startsWith('token_types');
}

type Shape = (typeof shapes)[keyof typeof shapes];

function contextOf({ context }: TestModel, shape: Shape): number {
  return context ?? shape.context;
}

const matrix = (name: string, rows: number, columns: number): Tensor => ({
  name,
  rows,
  columns,
  matrix: true,
});
const vector = (name: string, columns: number): Tensor => ({ name, rows: 1, columns, matrix: false });

function bertTensorsOf({ layers, d, ff, vocab }: Shape, context: number): readonly Tensor[] {
  const norm = (name: string) => [vector(`${name}.weight`, d), vector(`${name}.bias`, d)];
  const linear = (name: string, rows: number, columns: number) => [
    matrix(`${name}.weight`, rows, columns),
    vector(`${name}.bias`, rows),
  ];
  const layer = (prefix: string) => [
    ...['q', 'k', 'v', 'output'].flatMap((part) => linear(`${prefix}attn_${part}`, d, d)),
    ...norm(`${prefix}attn_output_norm`),
    ...linear(`${prefix}ffn_up`, ff, d),
    ...linear(`${prefix}ffn_down`, d, ff),
    ...norm(`${prefix}layer_output_norm`),
  ];
  return [
    matrix('token_embd.weight', vocab, d),
    matrix('position_embd.weight', context, d),
    { name: 'token_types.weight', rows: 2, columns: d, matrix: false },
    ...norm('token_embd_norm'),
    ...Array.from({ length: layers }, (_, index) => layer(`blk.${index}.`)).flat(),
  ];
}

function tensorsOf({ arch, layers, d, ff, heads, kv, head, vocab }: Shape): readonly Tensor[] {
  const layer = (prefix: string) => [
    vector(`${prefix}attn_norm.weight`, d),
    matrix(`${prefix}attn_q.weight`, heads * head, d),
    matrix(`${prefix}attn_k.weight`, kv * head, d),
    matrix(`${prefix}attn_v.weight`, kv * head, d),
    matrix(`${prefix}attn_output.weight`, d, heads * head),
    ...(arch === 'qwen3'
      ? [vector(`${prefix}attn_q_norm.weight`, head), vector(`${prefix}attn_k_norm.weight`, head)]
      : []),
    vector(`${prefix}ffn_norm.weight`, d),
    matrix(`${prefix}ffn_gate.weight`, ff, d),
    matrix(`${prefix}ffn_up.weight`, ff, d),
    matrix(`${prefix}ffn_down.weight`, d, ff),
  ];
  const blocks = Array.from({ length: layers }, (_, index) => layer(`blk.${index}.`));
  return [matrix('token_embd.weight', vocab, d), vector('output_norm.weight', d), ...blocks.flat()];
}

function metadataOf(model: TestModel, shape: Shape): readonly Buffer[] {
  const arch = model.architecture ?? shape.arch;
  const sizes = {
    block_count: shape.layers,
    context_length: contextOf(model, shape),
    embedding_length: shape.d,
    feed_forward_length: shape.ff,
    'attention.head_count': shape.heads,
    'attention.head_count_kv': shape.kv,
    'attention.key_length': shape.head,
    'attention.value_length': shape.head,
    'rope.dimension_count': shape.head,
    vocab_size: shape.vocab,
    ...(model.pooling === undefined ? {} : { pooling_type: model.pooling }),
  };
  return [
    string('general.architecture', arch),
    string('general.name', 'random'),
    ...(model.decision === undefined ? [] : [string(`${arch}.decision.type`, model.decision)]),
    integer('general.alignment', 32),
    ...Object.entries(sizes).map(([name, value]) => integer(`${arch}.${name}`, value)),
    float(`${arch}.rope.freq_base`, 1e6),
    float(`${arch}.attention.layer_norm_rms_epsilon`, 1e-6),
    ...(shape.arch === 'bert' ? bertMetadata(shape.vocab) : tokenizerMetadata(model, shape.vocab)),
  ];
}

function bertMetadata(vocab: number): readonly Buffer[] {
  const { model, tokens: made, types } = createWordPiece();
  const padding = Array.from({ length: vocab - made.length }, (_, index) => `[unused${index}]`);
  const tokens = [...made, ...padding];
  const id = (token: string) => tokens.indexOf(token);
  return [
    flag('bert.attention.causal', false),
    float('bert.attention.layer_norm_epsilon', 1e-12),
    string('tokenizer.ggml.model', model),
    string('tokenizer.ggml.pre', 'jina-v2-en'),
    array('tokenizer.ggml.tokens', 8, tokens.map(text)),
    array('tokenizer.ggml.token_type', 5, [...types, ...padding.map(() => 5)].map(i32)),
    integer('tokenizer.ggml.token_type_count', 2),
    integer('tokenizer.ggml.bos_token_id', id('[CLS]')),
    integer('tokenizer.ggml.cls_token_id', id('[CLS]')),
    integer('tokenizer.ggml.eos_token_id', id('[SEP]')),
    integer('tokenizer.ggml.seperator_token_id', id('[SEP]')),
    integer('tokenizer.ggml.unknown_token_id', id('[UNK]')),
    integer('tokenizer.ggml.padding_token_id', id('[PAD]')),
  ];
}

function tokenizerMetadata(
  { tokenizer = 'bpe', pairs = 676, template = 'chatml' }: TestModel,
  vocab: number,
) {
  const made =
    tokenizer === 'bpe'
      ? createBpe(pairs, special, ['<think>', '</think>'])
      : createSentencePiece(pairs, special);
  const padding = Array.from({ length: vocab - made.tokens.length }, (_, index) => `[PAD${index}]`);
  const tokens = [...made.tokens, ...padding];
  const id = (token: string) => tokens.indexOf(token);
  return [
    string('tokenizer.ggml.model', made.model),
    ...(made.model === 'gpt2' ? [string('tokenizer.ggml.pre', 'qwen2')] : []),
    array('tokenizer.ggml.tokens', 8, tokens.map(text)),
    array('tokenizer.ggml.token_type', 5, [...made.types, ...padding.map(() => 5)].map(i32)),
    ...modelMetadata(made, padding.length),
    integer('tokenizer.ggml.bos_token_id', id(made.model === 'gpt2' ? '<|endoftext|>' : '<s>')),
    integer('tokenizer.ggml.eos_token_id', id('<|im_end|>')),
    flag('tokenizer.ggml.add_bos_token', made.model === 'llama'),
    ...(template === null ? [] : [string('tokenizer.chat_template', chatTemplates[template])]),
  ];
}

function modelMetadata({ model, merges, scores }: TestTokenizer, padding: number): readonly Buffer[] {
  if (model === 'gpt2') return [array('tokenizer.ggml.merges', 8, merges.map(text))];
  return [array('tokenizer.ggml.scores', 6, [...scores, ...Array<number>(padding).fill(-1e4)].map(f32))];
}

function bytesOf({ columns, rows, matrix }: Tensor): number {
  return matrix ? ((columns * rows) / 32) * 34 : columns * rows * 4;
}

/** Q8_0 blocks of small random numbers, cut from one pool: weights of a real model take seconds to make one by one. */
function createNoise(seed: number): (bytes: number) => Buffer[] {
  let state = seed >>> 0 || 1;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  const blocks = 65_536;
  const pool = Buffer.alloc(blocks * 34);
  for (let at = 0; at < pool.length; at += 2) pool.writeUInt16LE(random() & 0xff_ff, at);
  // Half-precision scale of about 4e-4, so that activations neither vanish nor explode.
  for (let block = 0; block < blocks; block++) pool.writeUInt16LE(0x0e_bc, block * 34);
  return (bytes) => {
    const parts: Buffer[] = [];
    let from = (random() % blocks) * 34;
    for (let left = bytes; left > 0; from = 0) {
      const part = pool.subarray(from, from + Math.min(left, pool.length - from));
      parts.push(part);
      left -= part.length;
    }
    return parts;
  };
}

function align(length: number): number {
  return Math.ceil(length / 32) * 32;
}

function number(bytes: number, fill: (buffer: Buffer) => void): Buffer {
  const buffer = Buffer.alloc(bytes);
  fill(buffer);
  return buffer;
}

const u32 = (value: number) => number(4, (buffer) => buffer.writeUInt32LE(value));
const i32 = (value: number) => number(4, (buffer) => buffer.writeInt32LE(value));
const f32 = (value: number) => number(4, (buffer) => buffer.writeFloatLE(value));
const u64 = (value: number) => number(8, (buffer) => buffer.writeBigUInt64LE(BigInt(value)));

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8');
  return Buffer.concat([u64(bytes.length), bytes]);
}

const entry = (key: string, type: number, ...value: Buffer[]) =>
  Buffer.concat([text(key), u32(type), ...value]);
const string = (key: string, value: string) => entry(key, 8, text(value));
const integer = (key: string, value: number) => entry(key, 4, u32(value));
const float = (key: string, value: number) => entry(key, 6, f32(value));
const flag = (key: string, value: boolean) => entry(key, 7, Buffer.from([value ? 1 : 0]));
const array = (key: string, type: number, values: readonly Buffer[]) =>
  entry(key, 9, u32(type), u64(values.length), Buffer.concat(values));
