import { open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../../../kernel/kit/errors.ts';

/** The facts about a model file that are checked before native code opens it. */
export interface GgufHeader {
  readonly architecture: string;
  /** Scalars and strings by key; of arrays only the length, under `<key>.length`. */
  readonly metadata: ReadonlyMap<string, string | number | boolean>;
}

/**
 * Reads the header of a GGUF file (versions 2 and 3) and checks that all tensor data is there. Native loaders map
 * the file and die with SIGBUS, or assert, where data is missing or counts lie; here it is one line instead.
 * Throws GgufProblem. https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
export async function readGgufHeader(path: string): Promise<GgufHeader> {
  const file = await openFile(path);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new GgufProblem('it is not a file');
    const { size } = stat;
    if (size === 0) throw new GgufProblem('the file is empty');
    const cursor = new GgufCursor(file, size);
    if ((await cursor.bytes(4)).toString('latin1') !== 'GGUF')
      throw new GgufProblem('the file is not a GGUF file');
    const version = await cursor.u32();
    if (version !== 2 && version !== 3) throw new GgufProblem(`GGUF version ${version} is not supported`);
    const tensors = await cursor.count();
    const metadata = await readMetadata(cursor, await cursor.count());
    const architecture = metadata.get('general.architecture');
    if (typeof architecture !== 'string') throw new GgufProblem('the file names no architecture');
    checkKind(architecture, metadata);
    const infos: TensorInfo[] = [];
    for (let i = 0; i < tensors; i++) infos.push(await readTensor(cursor));
    checkData(infos, cursor.position, Number(metadata.get('general.alignment') ?? 32), size);
    checkNumbers(architecture, metadata, infos);
    return { architecture, metadata };
  } finally {
    await file.close();
  }
}

/** Decision models that answer by the logits of their vocabulary, as llama.cpp's converter names them. */
export const decisionTypes = ['openjev', 'lev', 'nimble', 'pplx-decider', 'lfm2-d1'] as const;

/**
 * Others answer through a head that llama-server evaluates and the library in this process does not: asked as
 * chat models they would give numbers that mean nothing.
 */
function checkKind(architecture: string, metadata: GgufHeader['metadata']): void {
  const type = metadata.get(`${architecture}.decision.type`);
  if (type === undefined || decisionTypes.some((known) => known === type)) return;
  throw new GgufProblem(
    `the file is a decision model of the type ${JSON.stringify(type)}, whose head is not run in this process; serve it with llama-server, and name that under decisions.upstreams`,
  );
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    const code = errorCode(error) ?? 'unknown error';
    const reason = code === 'ENOENT' ? 'the file does not exist' : `the file cannot be read (${code})`;
    throw new GgufProblem(reason);
  }
}

async function readMetadata(cursor: GgufCursor, count: number): Promise<GgufHeader['metadata']> {
  const metadata = new Map<string, string | number | boolean>();
  for (let i = 0; i < count; i++) {
    const key = await cursor.string();
    const type = await cursor.u32();
    if (type === arrayType) metadata.set(`${key}.length`, await skipArray(cursor));
    else metadata.set(key, await readScalar(cursor, type));
  }
  return metadata;
}

const boolType = 7;
const stringType = 8;
const arrayType = 9;
/** Bytes of a value, and how it is read, by its type. */
const scalars = new Map<number, readonly [size: number, read: (bytes: Buffer) => number | bigint]>([
  [0, [1, (bytes) => bytes.readUInt8()]],
  [1, [1, (bytes) => bytes.readInt8()]],
  [2, [2, (bytes) => bytes.readUInt16LE()]],
  [3, [2, (bytes) => bytes.readInt16LE()]],
  [4, [4, (bytes) => bytes.readUInt32LE()]],
  [5, [4, (bytes) => bytes.readInt32LE()]],
  [6, [4, (bytes) => bytes.readFloatLE()]],
  [boolType, [1, (bytes) => bytes.readUInt8()]],
  [10, [8, (bytes) => bytes.readBigUInt64LE()]],
  [11, [8, (bytes) => bytes.readBigInt64LE()]],
  [12, [8, (bytes) => bytes.readDoubleLE()]],
]);

async function readScalar(cursor: GgufCursor, type: number): Promise<string | number | boolean> {
  if (type === stringType) return cursor.string();
  const [size, read] = scalarOf(type);
  const value = Number(read(await cursor.bytes(size)));
  return type === boolType ? value !== 0 : value;
}

async function skipArray(cursor: GgufCursor): Promise<number> {
  const type = await cursor.u32();
  const length = await cursor.count();
  if (type === arrayType) throw new GgufProblem('the header holds nested arrays');
  if (type === stringType) for (let i = 0; i < length; i++) await cursor.skip(await cursor.count());
  else await cursor.skip(scalarOf(type)[0] * length);
  return length;
}

function scalarOf(type: number) {
  const scalar = scalars.get(type);
  if (scalar === undefined) throw new GgufProblem(`the header holds a value of unknown type ${type}`);
  return scalar;
}

interface TensorInfo {
  readonly name: string;
  readonly end: number;
}

async function readTensor(cursor: GgufCursor): Promise<TensorInfo> {
  const name = await cursor.string();
  const dimensions = await cursor.u32();
  let elements = dimensions >= 1 && dimensions <= 4 ? 1 : 0;
  for (let d = 0; elements > 0 && d < dimensions; d++) elements *= await cursor.u64();
  if (elements === 0) throw new GgufProblem(`tensor ${quoted(name)} has no valid shape`);
  const type = await cursor.u32();
  const offset = await cursor.u64();
  // A type that we do not know is left to the loader: it may be newer than this table.
  const [block = 1, bytes = 0] = tensorTypes.get(type) ?? [];
  if (elements % block !== 0) throw new GgufProblem(`tensor ${quoted(name)} does not fill its blocks`);
  return { name, end: offset + (elements / block) * bytes };
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}

function checkData(tensors: readonly TensorInfo[], headerEnd: number, alignment: number, fileSize: number) {
  if (!Number.isInteger(Math.log2(alignment))) throw new GgufProblem(`alignment ${alignment} is invalid`);
  const dataStart = Math.ceil(headerEnd / alignment) * alignment;
  const end = tensors.reduce((most, tensor) => Math.max(most, dataStart + tensor.end), 0);
  if (end > fileSize) throw new GgufProblem(`the file is truncated: ${fileSize} of ${end} bytes are there`);
}

/** Numbers without which native code does not fail but aborts. */
function checkNumbers(
  architecture: string,
  metadata: GgufHeader['metadata'],
  tensors: readonly TensorInfo[],
): void {
  const holds = (pattern: RegExp) => tensors.some(({ name }) => pattern.test(name));
  const required = ['block_count', 'context_length', 'embedding_length'];
  if (holds(/\.attn_(?:q|qkv)\.weight$/)) required.push('attention.head_count');
  if (holds(/\.ffn_down\.weight$/)) required.push('feed_forward_length');
  const lengths = ['attention.key_length', 'attention.value_length'];
  for (const name of [...required, 'attention.head_count_kv', ...lengths, 'expert_count']) {
    const key = `${architecture}.${name}`;
    // Some architectures have one number per layer.
    const value = metadata.get(key) ?? (metadata.has(`${key}.length`) ? 1 : undefined);
    const least = required.includes(name) ? 1 : 0;
    if (value === undefined && least === 0) continue;
    const most = name === 'block_count' ? layersMax : 1e8;
    if (typeof value !== 'number' || value < least || value > most) {
      throw new GgufProblem(`${key} is ${value === undefined ? 'missing' : String(value)}`);
    }
  }
}

/** `LLAMA_MAX_LAYERS` of llama.cpp. */
const layersMax = 512;

/**
 * Elements and bytes of one block, by `ggml_type`, as `type:elements:bytes`.
 * https://github.com/ggml-org/ggml/blob/master/src/ggml.c
 */
const tensorTypes: ReadonlyMap<number, readonly number[]> = new Map(
  `0:1:4 1:1:2 2:32:18 3:32:20 6:32:22 7:32:24 8:32:34 9:32:36 10:256:84 11:256:110 12:256:144
  13:256:176 14:256:210 15:256:292 16:256:66 17:256:74 18:256:98 19:256:50 20:32:18 21:256:110 22:256:82 23:256:136
  24:1:1 25:1:2 26:1:4 27:1:8 28:1:8 29:256:56 30:1:2 34:256:54 35:256:66 39:32:17`
    .split(/\s+/)
    .map((row) => row.split(':').map(Number))
    .map(([type = 0, ...block]) => [type, block]),
);

/** The file cannot be used; the message is one line for an operator. */
export class GgufProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GgufProblem';
  }
}

/**
 * The first GGUF file by name in a folder, else in its folder `models`, whose header `check` lets pass, and the first one
 * without a sound header. `check` throws GgufProblem where the file holds another kind of model.
 */
export async function findModelFile(folder: string, check: (header: GgufHeader) => unknown) {
  let unusable: string | null = null;
  for (const place of [folder, join(folder, 'models')]) {
    const names = await readdir(place).catch(() => []);
    for (const name of names.filter((one) => one.endsWith('.gguf')).toSorted()) {
      const path = join(place, name);
      const header = await readGgufHeader(path).catch(nullForProblem);
      if (header === null) unusable ??= path;
      else if (passes(header, check)) return { found: path, unusable };
    }
  }
  return { found: null, unusable };
}

function passes(header: GgufHeader, check: (header: GgufHeader) => unknown): boolean {
  try {
    check(header);
    return true;
  } catch (error) {
    nullForProblem(error);
    return false;
  }
}

function nullForProblem(error: unknown): null {
  if (error instanceof GgufProblem) return null;
  throw error;
}

/** The longest texts are chat templates, of some ten thousand bytes. */
const stringBytesMax = 16_777_216;

/** Reads forward in blocks: headers are megabytes long and consist of short strings. */
class GgufCursor {
  position = 0;
  readonly #file: FileHandle;
  readonly #size: number;
  #block = Buffer.alloc(0);
  #blockStart = 0;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  async bytes(length: number): Promise<Buffer> {
    const from = this.position - this.#blockStart;
    await this.skip(length);
    if (from >= 0 && from + length <= this.#block.length) return this.#block.subarray(from, from + length);
    this.#blockStart = this.position - length;
    const wanted = Math.min(Math.max(length, 1 << 20), this.#size - this.#blockStart);
    const block = Buffer.alloc(wanted);
    const { bytesRead } = await this.#file.read(block, 0, wanted, this.#blockStart);
    if (bytesRead < length) throw new GgufProblem('the file is truncated inside its header');
    this.#block = block.subarray(0, bytesRead);
    return this.#block.subarray(0, length);
  }

  async skip(length: number): Promise<void> {
    if (this.position + length > this.#size) throw new GgufProblem('the file is truncated inside its header');
    this.position += length;
  }

  async u32(): Promise<number> {
    return (await this.bytes(4)).readUInt32LE();
  }

  async u64(): Promise<number> {
    return Number((await this.bytes(8)).readBigUInt64LE());
  }

  /** A length or count; what is larger than the file is a lie that would make us, or a loader, allocate. */
  async count(): Promise<number> {
    const value = await this.u64();
    if (value > this.#size) throw new GgufProblem('the file is truncated inside its header');
    return value;
  }

  async string(): Promise<string> {
    const length = await this.count();
    if (length > stringBytesMax) throw new GgufProblem(`the header holds a text of ${length} bytes`);
    return (await this.bytes(length)).toString('utf8');
  }
}
