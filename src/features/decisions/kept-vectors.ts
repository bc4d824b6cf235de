import type { Caller } from '../../kernel/kit/caller.ts';
import type { EncoderCache } from '../models/feature.ts';

/** In memory, and 16 MB with 384 dimensions. On disk there may be more. */
const keptMax = 10_000;

type Encode = (texts: readonly string[], caller: Caller) => Promise<readonly Float32Array[]>;

interface KeepOptions {
  readonly isKept?: boolean;
  /** Vectors that were made before, and kept elsewhere. */
  readonly made?: ReadonlyMap<string, Float32Array>;
}

/**
 * Vectors of questions and options, each encoded once and kept for later requests; those used last stay longest. What is not to
 * be kept may still be among those that are.
 */
export function keepVectors(encode: Encode, cache: EncoderCache | null = null, most: number = keptMax) {
  const kept = new Map<string, Float32Array>();
  return async (
    texts: readonly string[],
    caller: Caller,
    { isKept = true, made: given }: KeepOptions = {},
  ): Promise<ReadonlyMap<string, Float32Array>> => {
    await cache?.opened();
    // Taken before anything is waited for: other requests may push them out meanwhile.
    const found = new Map<string, Float32Array>();
    const missing = new Set<string>();
    for (const text of texts) {
      const vector = kept.get(text) ?? cache?.get(text) ?? given?.get(text);
      if (vector === undefined) missing.add(text);
      else found.set(text, vector);
    }
    const made = missing.size === 0 ? [] : await encode([...missing], caller);
    for (const [index, text] of [...missing].entries()) {
      const vector = made[index];
      if (vector === undefined) throw new RangeError('each text has a vector');
      if (isKept) cache?.put(text, vector);
      found.set(text, vector);
    }
    for (const [text, vector] of found) {
      if (!isKept && !kept.has(text)) continue;
      kept.delete(text);
      kept.set(text, vector);
    }
    for (const text of kept.keys()) {
      if (kept.size <= most) break;
      kept.delete(text);
    }
    return found;
  };
}
