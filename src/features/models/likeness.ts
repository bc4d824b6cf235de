import { ownAccount } from '../../kernel/kit/caller.ts';
import type { Encoder, OpenEncoder } from './encoder.ts';

/** What the one encoder of this process makes of a question and short texts. */
export interface Likeness {
  /**
   * The cosine of each of the first `textsMax` texts with the question, by their beginnings. Null at once where the
   * encoder has not read its weights yet, and where it is late, full or failed. Rejects only with the signal's reason.
   */
  compare(
    question: string,
    texts: readonly string[],
    signal: AbortSignal,
    account?: string,
  ): Promise<readonly number[] | null>;
  /** Log odds that each of the first `readMax` texts answers the question, by the reader. Null and rejects as `compare` does. */
  read(
    question: string,
    texts: readonly string[],
    signal: AbortSignal,
    account?: string,
  ): Promise<readonly number[] | null>;
  close(): Promise<void>;
}

/**
 * What is compared at once, and how much of each text: some 50 tokens, at about 1 ms each in WebAssembly. Vectors of this
 * many texts are kept, of 1.5 KB each.
 */
export const textsMax = 16;
const charsMax = 240;
const keptMax = 4_000;
const timeoutMs = 2_000;
/** Texts of one job, after which what is done is kept. */
const textsAtOnce = 4;

/** Read at once: some 60 tokens, at about as much each. */
export const readMax = 8;
const readCharsMax = 500;

/** The weights are never read for it alone: it works from when something else has had them read. */
export function createLikeness(openEncoder: OpenEncoder, deadlineMs = timeoutMs): Likeness {
  let opening: Promise<Encoder | null> | null = null;
  const kept = new Map<string, Float32Array>();
  /** What is made of it, or null. */
  async function within<Result>(
    signal: AbortSignal,
    make: (encoder: Encoder, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result | null> {
    signal.throwIfAborted();
    const encoder = await (opening ??= openEncoder().catch(() => null));
    if (encoder === null || !encoder.isOpen()) return null;
    try {
      return await make(encoder, AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]));
    } catch {
      signal.throwIfAborted();
      return null;
    }
  }
  return {
    compare: (question, texts, signal, account = ownAccount) =>
      within(signal, async (encoder, deadline) => {
        const asked = [question, ...texts.slice(0, textsMax)].map((text) => text.slice(0, charsMax));
        await encodeMissing(encoder, asked, kept, deadline, account);
        const [first, ...others] = asked.map((text) => take(kept, text));
        return others.map((vector) => cosine(first, vector));
      }),
    read: (question, texts, signal, account = ownAccount) =>
      within(signal, async (encoder, deadline) => {
        const asked = [question.slice(0, charsMax), ...texts.slice(0, readMax).map(toRead)];
        const of = asked.map((text) => ({ text, pair: null }));
        const [first, ...others] = await encoder.tokenize(of, deadline, account);
        const ids = first?.ids.slice(0, encoder.tokensMax) ?? [];
        const rows = others.map((text) => ({
          ids,
          types: [],
          about: [text.ids.slice(0, encoder.tokensMax)],
        }));
        return (await encoder.run(rows, deadline, account)).map(oddsOf);
      }),
    async close() {
      const encoder = await opening;
      await encoder?.close();
    },
  };
}

const toRead = (text: string): string => text.slice(0, readCharsMax);

/** Of yes and of no against not told. */
const oddsOf = ([yes = 0, no = 0, untold = 0]: Float32Array): number =>
  Math.max(yes, no) + Math.log1p(Math.exp(-Math.abs(yes - no))) - untold;

async function encodeMissing(
  encoder: Encoder,
  texts: readonly string[],
  kept: Map<string, Float32Array>,
  signal: AbortSignal,
  account: string,
): Promise<void> {
  const missing = [...new Set(texts.filter((text) => !kept.has(text)))];
  const rows = await encoder.tokenize(
    missing.map((text) => ({ text, pair: null })),
    signal,
    account,
  );
  for (let at = 0; at < missing.length; at += textsAtOnce) {
    const vectors = await encoder.run(rows.slice(at, at + textsAtOnce), signal, account);
    for (const [place, vector] of vectors.entries()) kept.set(missing[at + place] ?? '', vector);
  }
  // The longest unused go first; those of this question were used last.
  for (const text of texts) take(kept, text);
  for (const oldest of kept.keys()) {
    if (kept.size <= keptMax) break;
    kept.delete(oldest);
  }
}

function take(kept: Map<string, Float32Array>, text: string): Float32Array | undefined {
  const vector = kept.get(text);
  if (vector === undefined) return undefined;
  kept.delete(text);
  kept.set(text, vector);
  return vector;
}

/** Vectors of the encoder have the length 1. */
function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  let sum = 0;
  if (a !== undefined && b !== undefined)
    for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
