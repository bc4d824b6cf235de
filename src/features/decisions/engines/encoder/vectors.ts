import type { Caller } from '../../../../kernel/kit/caller.ts';
import { runInSlices } from '../../../../kernel/kit/slices.ts';
import type { Encoder, EncoderCache } from '../../../models/feature.ts';
import type { State, StateWindows } from '../../engine.ts';
import { windowsOf } from '../../windows.ts';
import { contentOf } from '../../words/content.ts';

/** Vectors of length 1 of what is compared. */
export interface Vectors {
  /** Of the windows of a state, read once for all questions of a request. */
  ofState(state: State, caller: Caller): Promise<readonly Float32Array[]>;
  /** How a state was read; whole, where it was not. */
  windowsOf(state: State): StateWindows;
  /** Of questions and options, which are kept for later requests. */
  ofTexts(texts: readonly string[], caller: Caller): Promise<ReadonlyMap<string, Float32Array>>;
}

/** In memory, and 16 MB. On disk there may be more. */
const keptMax = 10_000;
/** One vector of hundreds of tokens hardly shows what a single sentence of them says. */
const wholeTokens = 128;
const windowTokens = 64;
/** Of a longer state these are read, spread over all of it. */
const windowsMax = 256;

export function createVectors(encoder: Encoder, cache: EncoderCache | null): Vectors {
  const kept = new Map<string, Float32Array>();
  const totals = new WeakMap<State, number>();

  async function encode(texts: readonly string[], { signal, account }: Caller) {
    const asked = texts.map((text) => ({ text, pair: null }));
    const rows = await encoder.tokenize(asked, signal, account);
    const cut = rows.map(({ ids, types }) => ({
      ids: ids.slice(0, encoder.tokensMax),
      types: types.slice(0, encoder.tokensMax),
    }));
    return encoder.run(cut, signal, account);
  }

  return {
    windowsOf(state) {
      const total = totals.get(state) ?? 1;
      return { total, read: Math.min(total, windowsMax) };
    },

    async ofState(state, caller) {
      const room = { wholeMax: wholeTokens, tokensMax: windowTokens };
      const content = await runInSlices(contentOf(state.text), caller.signal);
      const windows = await windowsOf(content, room, async (texts) => {
        const asked = texts.map((one) => ({ text: one, pair: null }));
        const rows = await encoder.tokenize(asked, caller.signal, caller.account);
        return rows.map(({ ids }) => ids.length);
      });
      totals.set(state, windows.length);
      const step = Math.max(1, windows.length / windowsMax);
      const read = Array.from({ length: Math.min(windows.length, windowsMax) }, (_, index) => {
        return windows[Math.floor(index * step)] ?? '';
      });
      return encode(read, caller);
    },

    async ofTexts(texts, caller) {
      const unique = [...new Set(texts)];
      await cache?.opened();
      for (const text of unique) {
        const vector = kept.has(text) ? undefined : cache?.get(text);
        if (vector !== undefined) kept.set(text, vector);
      }
      const missing = unique.filter((text) => !kept.has(text));
      const made = missing.length === 0 ? [] : await encode(missing, caller);
      const found = new Map(missing.map((text, index) => [text, made[index] ?? new Float32Array()]));
      for (const [text, vector] of found) cache?.put(text, vector);
      for (const text of unique) {
        const vector = found.get(text) ?? kept.get(text) ?? new Float32Array();
        found.set(text, vector);
        // The last used stand last.
        kept.delete(text);
        kept.set(text, vector);
      }
      for (const text of kept.keys()) {
        if (kept.size <= keptMax) break;
        kept.delete(text);
      }
      return found;
    },
  };
}
