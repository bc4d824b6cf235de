import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from './temporary-folder.ts';

/** Folder of the models that `.ci/run` makes of real weights; see test/weights. */
const folder = process.env['NESTOR_TEST_WEIGHTS'];

/** Why a test of real weights is left out; false where they are there. */
export const skipsWeights = folder === undefined && 'NESTOR_TEST_WEIGHTS names no folder; .ci/run makes one';

/** A decision model of random weights, which test/weights/make-deciders.py makes with the package of its authors. */
export const decider = (name: string): string => join(folder ?? '', 'deciders', name);

export const skipsDeciders =
  !existsSync(decider('nli')) &&
  'not all decision models lie there; test/weights/make-deciders.py makes them';

/** Sparrow Decider nano, a decision model that was trained. */
export const sparrow = join(folder ?? '', 'sparrow');

export const skipsSparrow =
  !existsSync(sparrow) && 'no trained decision model lies there; test/weights/make-sparrow.py makes it';

/** A copy of it that nobody knows by its name, so that it is asked with its authors' own temperatures. */
export async function copySparrow(t: TestContext): Promise<string> {
  const copy = join(await temporaryFolder(t), 'sparrow');
  await cp(sparrow, copy, { recursive: true, dereference: true });
  const path = join(copy, 'config.json');
  const settings = JSON.parse(await readFile(path, 'utf8')) as object;
  await writeFile(path, JSON.stringify({ ...settings, name: 'a copy' }));
  return copy;
}

/** all-MiniLM-L6-v2 with weights of 32 or 8 bits. */
export const miniLm = (kind: 'float32' | 'int8'): string => join(folder ?? '', `minilm-${kind}`);

/** The same with weights of 16 bits as a GGUF file. */
export const miniLmFile = join(folder ?? '', 'minilm.gguf');

export const skipsMiniLmFile =
  !existsSync(miniLmFile) &&
  'no encoder lies there as a GGUF file; test/weights/make-gguf-encoder.py makes it';

/** SmolLM2-135M-Instruct in 4 bits: knows chat, and no functions. */
export const smolLm2 = join(folder ?? '', 'smollm2-135m-instruct.gguf');

interface Reference {
  readonly text: string;
  readonly tokens: number;
  readonly vector: readonly number[];
}

/** Texts, and what Python's own runtime and tokenizer make of them with weights of 32 bits. */
export async function readReferences(): Promise<readonly Reference[]> {
  return JSON.parse(await readFile(join(folder ?? '', 'minilm-vectors.json'), 'utf8')) as Reference[];
}
