import { readFile } from 'node:fs/promises';

/** What is used of onnxruntime-web and of onnxruntime-node, which have one interface. */
export interface OnnxLibrary {
  readonly Tensor: new (
    type: TensorType,
    data: BigInt64Array | Int32Array | Uint8Array | Float32Array,
    dims: readonly number[],
  ) => unknown;
  readonly InferenceSession: {
    create(path: string | Uint8Array, options: Readonly<Record<string, unknown>>): Promise<OnnxSession>;
  };
  readonly env: {
    readonly wasm: {
      numThreads?: number;
      /** The runtime itself, where it is not to be read from its own package; used with the first session. */
      wasmBinary?: Uint8Array<ArrayBuffer>;
    };
    logLevel?: 'fatal';
  };
}

export type TensorType = 'int64' | 'int32' | 'bool' | 'float32';

export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  /** Absent in old versions. */
  readonly inputMetadata?: readonly { readonly name: string; readonly type?: string }[];
  run(
    feeds: Readonly<Record<string, unknown>>,
    outputs: readonly string[],
  ): Promise<Readonly<Record<string, OnnxOutput>>>;
}

export interface OnnxOutput {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: unknown;
}

/** What is used of @huggingface/tokenizers. */
export interface HubTokenizer {
  encode(
    text: string,
    options: {
      readonly text_pair: string | null;
      readonly add_special_tokens: boolean;
      readonly return_token_type_ids: true;
    },
  ): { readonly ids: number[]; readonly token_type_ids?: number[] };
  token_to_id(token: string): number | undefined;
  get_added_tokens_decoder(): ReadonlyMap<number, { readonly content: string; readonly special: boolean }>;
}

/** `onnxruntime-node` is never installed with Nestor: its library for Linux alone is 46 MB. */
export type RuntimeName = 'onnxruntime-node' | 'onnxruntime-web';

const binary = 'onnxruntime-web/ort-wasm-simd-threaded.wasm';

/** The native runtime where an operator installed it, else the one in WebAssembly, which every platform runs. */
export async function loadRuntime(): Promise<{ readonly name: RuntimeName; readonly library: OnnxLibrary }> {
  try {
    return { name: 'onnxruntime-node', library: await load<OnnxLibrary>('onnxruntime-node') };
  } catch {
    // Not installed, or without a binary for this machine.
  }
  const library = await load<OnnxLibrary>('onnxruntime-web');
  // More threads spin while they wait for each other, and one answers as many requests a second on a busy machine.
  library.env.wasm.numThreads = 1;
  library.env.wasm.wasmBinary = await readFile(new URL(import.meta.resolve(binary)));
  return { name: 'onnxruntime-web', library };
}

export async function createHubTokenizer(tokenizer: object, config: object): Promise<HubTokenizer> {
  const { Tokenizer } = await load<{
    readonly Tokenizer: new (tokenizer: object, config: object) => HubTokenizer;
  }>('@huggingface/tokenizers');
  return new Tokenizer(tokenizer, config);
}

/** CommonJS packages have what they export under `default` too, and only there where it cannot be told in advance. */
async function load<Library>(name: string): Promise<Library> {
  const found = (await import(name)) as Partial<Library> & { readonly default?: Partial<Library> };
  return { ...found.default, ...found } as Library;
}
