import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { OnnxLibrary, OnnxSession, RuntimeName } from './library.ts';
import { OnnxProblem } from './problem.ts';

export interface Runtime {
  readonly name: RuntimeName;
  readonly library: OnnxLibrary;
}

/** Opens a graph with the weights beside it, or one that was read. Throws OnnxProblem. */
export async function createSession(
  { name, library }: Runtime,
  path: string | Uint8Array,
): Promise<OnnxSession> {
  const isOutside = typeof path === 'string' && name === 'onnxruntime-web';
  const outside = isOutside ? { externalData: await weightsBeside(path) } : {};
  try {
    const options = { intraOpNumThreads: 1, logSeverityLevel: 4, ...outside };
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
