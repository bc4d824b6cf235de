import { errorMessage } from '../../../../kernel/kit/errors.ts';
import {
  findEmbeddingFile,
  openLocalEmbedder,
  type LocalEmbedder,
  type LocalEmbedderOptions,
} from '../../../models/feature.ts';
import {
  createDownEngine,
  createInProcessEngine,
  type Embedder,
  type InProcessEngine,
} from '../../in-process.ts';

export interface LocalEmbeddingOptions extends Omit<LocalEmbedderOptions, 'path'> {
  /** A GGUF file; null takes the first embedding model in the data folder. */
  readonly path: string | null;
  /** Folder in which a model may lie, itself or in `models`. */
  readonly dataFolder: string;
  /** Most requests in progress or waiting; at most half of them from one account. */
  readonly requestsMax?: number;
}

/** Embeddings by a GGUF file in this process. Never rejects: with an unusable file it is down, as `problem` says. */
export async function openLocalEngine(options: LocalEmbeddingOptions): Promise<InProcessEngine> {
  const { dataFolder, requestsMax, ...file } = options;
  try {
    const path = options.path ?? (await findEmbeddingFile(dataFolder));
    if (path === null)
      return createDownEngine('local', `no embedding model lies in ${dataFolder} or its models folder`);
    const embedder = await openLocalEmbedder({ ...file, path });
    return createInProcessEngine('local', toEmbedder(embedder), requestsMax);
  } catch (error) {
    return createDownEngine('local', errorMessage(error));
  }
}

function toEmbedder(embedder: LocalEmbedder): Embedder<readonly number[]> {
  return {
    textTokensMax: embedder.textTokensMax,
    async tokenize(texts, signal) {
      const tokenized: (readonly number[])[] = [];
      for (const text of texts) tokenized.push(await embedder.tokenize(text, signal));
      return tokenized;
    },
    countOf: ({ length }) => length,
    embed: (tokens, signal, account) => embedder.embed(tokens, signal, account),
    close: () => embedder.close(),
  };
}
