import { Fault } from '../../kernel/faults.ts';
import { ownAccount } from '../../kernel/kit/caller.ts';
import { Shares } from '../../kernel/kit/shares.ts';
import { refuseAll, toEvaluationFault } from '../models/feature.ts';
import { mixDocument } from './context.ts';
import { fit, type EmbeddingEngine } from './embedding.ts';

/** A model in this process, whatever runs it. `Tokens` is one text as it reads it. */
export interface Embedder<Tokens> {
  /** Most tokens of one text, with those that open and end it. */
  readonly textTokensMax: number;
  /** One for each text. */
  tokenize(texts: readonly string[], signal: AbortSignal, account: string): Promise<readonly Tokens[]>;
  countOf(tokens: Tokens): number;
  /** One vector for each text. */
  embed(tokens: readonly Tokens[], signal: AbortSignal, account: string): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** An engine of this process, and why it cannot work, in one line for an operator; null when it can. */
export interface InProcessEngine extends EmbeddingEngine {
  readonly problem: string | null;
  /** What it opened, in one line for an operator. */
  readonly about?: string;
}

/** Most requests in progress or waiting; at most half of them from one account. */
const requestsMax = 128;
/** Delay after which callers that find it busy should retry. Unit: ms. */
const busyMs = 2_000;
const unable = 'The local embedding model could not evaluate.';

/** Makes an engine of a model in this process: bounded, shared by account, and texts that are too long refused. */
export function createInProcessEngine<Tokens>(
  name: string,
  embedder: Embedder<Tokens>,
  most: number = requestsMax,
): InProcessEngine {
  let isOpen = true;
  const places = new Shares(most);

  async function tokensOf(texts: readonly string[], signal: AbortSignal, account: string) {
    const tokenized = await embedder.tokenize(texts, signal, account);
    const longest = Math.max(0, ...tokenized.map((tokens) => embedder.countOf(tokens)));
    if (longest > embedder.textTokensMax) throw tooLong(longest, embedder.textTokensMax);
    return tokenized;
  }

  const embed: EmbeddingEngine['embed'] = async (texts, size, signal, account = ownAccount) => {
    if (!places.take(account))
      throw new Fault('service_unavailable', 'The local embedding model is busy.', { retryAfterMs: busyMs });
    try {
      const vectors = await embedder.embed(await tokensOf(texts, signal, account), signal, account);
      return vectors.map((vector) => fit(vector, size));
    } catch (error) {
      throw toEvaluationFault(error, signal, unable);
    } finally {
      places.give(account);
    }
  };

  return {
    name,
    problem: null,
    health: () => (isOpen ? 'ok' : 'down'),
    async countTokens(texts, signal) {
      try {
        const tokenized = await tokensOf(texts, signal, ownAccount);
        return tokenized.map((tokens) => embedder.countOf(tokens));
      } catch (error) {
        throw toEvaluationFault(error, signal, unable);
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

/** An engine whose model cannot be used. */
export function createDownEngine(name: string, problem: string): InProcessEngine {
  const refuse = refuseAll('The local embedding model could not be loaded.');
  return {
    name,
    problem,
    health: () => 'down',
    countTokens: refuse,
    embed: refuse,
    embedChunks: refuse,
    close: () => Promise.resolve(),
  };
}
