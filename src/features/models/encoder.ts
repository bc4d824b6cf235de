import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OnnxProblem } from './onnx/problem.ts';
import { machineBytes, openOnnxThread, type OnnxThread } from './onnx/open-onnx-model.ts';
import { readModelFolder } from './onnx/model-folder.ts';
import { shareOpenings } from './shared-openings.ts';

/** all-MiniLM-L6-v2 in 8 bits, which ships with Nestor; see `assets/README.md`. */
export const encoderPath: string = fileURLToPath(new URL('../../../assets/encoder', import.meta.url));

/** The layers that read a question and a state together. */
export const readerPath: string = join(encoderPath, 'reader');

/** The sentence encoder that ships with Nestor. Its vectors have the length 1. */
export interface Encoder extends OnnxThread {
  readonly dimensions: number;
  /** Names the weights, and changes with them. */
  readonly version: string;
  /** Most tokens of a text, with those that open and end it. */
  readonly tokensMax: number;
  /** Whether its weights were read once; before, who asks waits for them. */
  isOpen(): boolean;
}

/** Hands out the one encoder of this process. It closes with the last who has it. */
export type OpenEncoder = () => Promise<Encoder>;

const dimensions = 384;
/** A server took 405 to 414 MiB after 70 requests, 530 at most while the runtime was compiled; with `words` 311. Unit: bytes. */
const machineBytesMin = 768 * 1_048_576;

/** Whether a process of this much memory should have the encoder, and this copy of Nestor has its weights. */
export const encoderSuits = (memoryBytes: number = machineBytes()): boolean =>
  memoryBytes >= machineBytesMin && existsSync(encoderPath);

/** The weights are read with the first job, in about half a second, and ship with Nestor: no child tries them first. */
export function shareEncoder(path: string = encoderPath, threads: number | null = null): OpenEncoder {
  const open = shareOpenings(
    (one: string) => openEncoder(one, threads),
    () => path,
  );
  return () => open(path);
}

async function openEncoder(path: string, threads: number | null): Promise<Encoder> {
  const model = await readModelFolder(path).catch((error: unknown) => {
    if (!(error instanceof OnnxProblem)) throw error;
    throw new OnnxProblem(`the encoder that ships with Nestor: ${error.message}`, { cause: error });
  });
  // Beside the weights, which are then not read before they are needed; a test compares.
  const { version } = model.settings;
  if (typeof version !== 'string') throw new OnnxProblem('config.json of the encoder names no version');
  const thread = openOnnxThread(model, { threads });
  let isOpen = false;
  return {
    ...thread,
    dimensions,
    version,
    tokensMax: model.tokensMax,
    isOpen: () => isOpen,
    async tokenize(...asked) {
      const rows = await thread.tokenize(...asked);
      isOpen = true;
      return rows;
    },
  };
}
