import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GgufProblem } from './gguf-cursor.ts';
import { readGgufHeader, type GgufHeader } from './gguf.ts';

/** How a model joins the vectors of its tokens. */
export interface Pooling {
  /**
   * The whole text has to be one evaluation: what looks ahead sees nothing beyond it, and of a mean over several
   * only the last one's would be left. (With the library's own size of 512 that is what came out, without an error.)
   */
  readonly whole: boolean;
}

const mean = 1;
const first = 2;
const last = 3;
const ranking = 4;

/** How an embedding model joins its tokens. Throws GgufProblem where the file holds another kind of model. */
export function poolingOf({ architecture, metadata }: GgufHeader): Pooling {
  if (architecture === 'clip') throw new GgufProblem('the file is a vision projector and no embedding model');
  const pooling = metadata.get(`${architecture}.pooling_type`);
  if (pooling === ranking) throw new GgufProblem('the file is a ranking model and no embedding model');
  if (pooling !== mean && pooling !== first && pooling !== last) {
    throw new GgufProblem('the file names no pooling; it is a chat model and no embedding model');
  }
  if (!metadata.has('tokenizer.ggml.tokens.length')) throw new GgufProblem('the file holds no tokenizer');
  return { whole: pooling !== last || metadata.get(`${architecture}.attention.causal`) === false };
}

/** The first embedding model by name in a folder or its folder `models`; null when there is none. */
export async function findEmbeddingFile(folder: string): Promise<string | null> {
  for (const place of [folder, join(folder, 'models')]) {
    const names = await readdir(place).catch(() => []);
    for (const name of names.filter((one) => one.endsWith('.gguf')).toSorted()) {
      if (await isEmbeddingFile(join(place, name))) return join(place, name);
    }
  }
  return null;
}

async function isEmbeddingFile(path: string): Promise<boolean> {
  try {
    poolingOf(await readGgufHeader(path));
    return true;
  } catch (error) {
    if (error instanceof GgufProblem) return false;
    throw error;
  }
}
