import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { OnnxLibrary, OnnxSession, RuntimeName } from './library.ts';
import { OnnxProblem } from './problem.ts';
import { takeWeightsApart } from './weights-apart.ts';

export interface Runtime {
  readonly name: RuntimeName;
  readonly library: OnnxLibrary;
}

/** Opens a graph with the weights beside it. Throws OnnxProblem. */
export async function createSession({ name, library }: Runtime, path: string): Promise<OnnxSession> {
  const options = { intraOpNumThreads: 1, logSeverityLevel: 4 };
  const { InferenceSession } = library;
  try {
    if (name === 'onnxruntime-node') return await InferenceSession.create(path, options);
    const bytes = await readFile(path);
    const { graph, file } = takeWeightsApart(bytes) ?? { graph: bytes, file: null };
    const inside = file === null ? [] : [{ path: file, data: bytes }];
    const externalData = [...inside, ...(await weightsBeside(path))];
    const session = await InferenceSession.create(graph, { ...options, externalData });
    release(bytes);
    release(library.env.wasm.wasmBinary);
    delete library.env.wasm.wasmBinary;
    return session;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OnnxProblem(`the graph cannot be opened: ${reason.replaceAll(/\s+/g, ' ').slice(0, 300)}`);
  }
}

/** Gives back at once what the runtime has its own copy of, which V8 would do when it next collects. */
function release(bytes: Uint8Array<ArrayBuffer> | undefined): void {
  // Small files may share a buffer of Node's.
  if (bytes !== undefined && bytes.length === bytes.buffer.byteLength) bytes.buffer.transfer(0);
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
