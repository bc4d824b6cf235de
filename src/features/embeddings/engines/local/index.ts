import { Fault } from '../../../../kernel/faults.ts';
import { ownAccount } from '../../../../kernel/kit/caller.ts';
import { Shares } from '../../../../kernel/kit/shares.ts';
import {
  findEmbeddingFile,
  openLocalEmbedder,
  type LocalEmbedder,
  type LocalEmbedderOptions,
} from '../../../models/feature.ts';
import { mixDocument } from '../../context.ts';
import { fit, type EmbeddingEngine } from '../../embedding.ts';

export interface LocalEmbeddingOptions extends Omit<LocalEmbedderOptions, 'path'> {
  /** A GGUF file; null takes the first embedding model in the data folder. */
  readonly path: string | null;
  /** Folder in which a model may lie, itself or in `models`. */
  readonly dataFolder: string;
  /** Most requests in progress or waiting; at most half of them from one account. */
  readonly requestsMax?: number;
}

export interface LocalEmbeddingEngine extends EmbeddingEngine {
  /** Why the file cannot be used, in one line for an operator; null when it can. */
  readonly problem: string | null;
}

const requestsMax = 128;
/** Delay after which callers that find it busy should retry. Unit: ms. */
const busyMs = 2_000;

/** Embeddings by a GGUF file in this process. Never rejects: with an unusable file it is down, as `problem` says. */
export async function openLocalEngine(options: LocalEmbeddingOptions): Promise<LocalEmbeddingEngine> {
  const { dataFolder, requestsMax: most = requestsMax, ...file } = options;
  try {
    const path = options.path ?? (await findEmbeddingFile(dataFolder));
    if (path === null)
      return createDownEngine(`no embedding model lies in ${dataFolder} or its models folder`);
    return createEngine(await openLocalEmbedder({ ...file, path }), most);
  } catch (error) {
    return createDownEngine(error instanceof Error ? error.message : String(error));
  }
}

function createEngine(embedder: LocalEmbedder, most: number): LocalEmbeddingEngine {
  let isOpen = true;
  const places = new Shares(most);

  async function tokensOf(texts: readonly string[], signal: AbortSignal) {
    const tokenized: (readonly number[])[] = [];
    for (const text of texts) tokenized.push(await embedder.tokenize(text, signal));
    const longest = Math.max(0, ...tokenized.map(({ length }) => length));
    if (longest > embedder.textTokensMax) throw tooLong(longest, embedder.textTokensMax);
    return tokenized;
  }

  const embed: EmbeddingEngine['embed'] = async (texts, size, signal, account = ownAccount) => {
    if (!places.take(account))
      throw new Fault('service_unavailable', 'The local embedding model is busy.', { retryAfterMs: busyMs });
    try {
      const vectors = await embedder.embed(await tokensOf(texts, signal), signal, account);
      return vectors.map((vector) => fit(vector, size));
    } catch (error) {
      throw toEngineError(error, signal);
    } finally {
      places.give(account);
    }
  };

  return {
    name: 'local',
    problem: null,
    health: () => (isOpen ? 'ok' : 'down'),
    async countTokens(texts, signal) {
      try {
        return (await tokensOf(texts, signal)).map(({ length }) => length);
      } catch (error) {
        throw toEngineError(error, signal);
      }
    },
    embed,
    embedChunks: async (chunks, size, signal, account) =>
      mixDocument(await embed(chunks, size, signal, account), signal),
    async close() {
      isOpen = false;
      await embedder.close();
    },
  };
}

/** Texts that are too long are refused, never cut. */
function tooLong(tokens: number, most: number): Fault {
  const msg = `a text has ${tokens} tokens, the local embedding model takes at most ${most}`;
  return new Fault('validation_failed', `input: ${msg}`, {
    param: 'input',
    details: [{ loc: ['body', 'input'], msg, type: 'value_error' }],
  });
}

/** Turns errors of native code, or of a model closed meanwhile, into a Fault. */
function toEngineError(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof Fault || signal.aborted) return error;
  return new Fault('service_unavailable', 'The local embedding model could not evaluate.', { cause: error });
}

function createDownEngine(problem: string): LocalEmbeddingEngine {
  const refuse = (): Promise<never> =>
    Promise.reject(new Fault('service_unavailable', 'The local embedding model could not be loaded.'));
  return {
    name: 'local',
    problem,
    health: () => 'down',
    countTokens: refuse,
    embed: refuse,
    embedChunks: refuse,
    close: () => Promise.resolve(),
  };
}
