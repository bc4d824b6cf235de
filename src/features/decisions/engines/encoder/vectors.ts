import type { Caller } from '../../../../kernel/kit/caller.ts';
import { runInSlices } from '../../../../kernel/kit/slices.ts';
import type { Encoder, EncoderCache } from '../../../models/feature.ts';
import type { State, StateWindows } from '../../engine.ts';
import { keepVectors } from '../../kept-vectors.ts';
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
  /** Of texts that are not kept, in their order. */
  once(texts: readonly string[], caller: Caller): Promise<readonly Float32Array[]>;
}

/** One vector of hundreds of tokens hardly shows what a single sentence of them says. */
const wholeTokens = 128;
const windowTokens = 64;
/** Of a longer state these are read, spread over all of it. */
const windowsMax = 256;

export function createVectors(encoder: Encoder, cache: EncoderCache | null): Vectors {
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

    ofTexts: keepVectors(encode, cache),
    once: encode,
  };
}
