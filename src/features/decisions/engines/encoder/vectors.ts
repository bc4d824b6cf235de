import type { Caller } from '../../../../kernel/kit/caller.ts';
import { runInSlices } from '../../../../kernel/kit/slices.ts';
import type { Encoder, EncoderCache } from '../../../models/feature.ts';
import type { State, StateWindows } from '../../engine.ts';
import { keepVectors } from '../../kept-vectors.ts';
import { openSharedWords } from '../../shared-words.ts';
import { windowsOf } from '../../windows.ts';
import { contentOf } from '../../words/content.ts';

/** What of a question chooses the windows that are read for it. */
export interface AskedOfState {
  readonly texts: readonly string[];
  /** Whether vectors of the windows are compared. Where they are not, of few windows only their texts are read. */
  readonly isCompared: boolean;
}

/** What is read of a state. */
export interface StateText {
  readonly state: State;
  readonly text: string;
}

/** The reader is asked about so many windows of a state, those nearest to the question. */
export const readWindowsMax = 6;

/** Vectors of length 1 of what is compared. */
export interface Vectors {
  /** Of the windows that are read for each question; a window is encoded once for all, and empty where none compares it. */
  ofState(
    state: StateText,
    asked: readonly AskedOfState[],
    caller: Caller,
  ): Promise<readonly (readonly Float32Array[])[]>;
  /** The text of a window that `ofState` or `once` has given. */
  textOf(window: Float32Array): string;
  /** How a state was read; whole, where it was not. */
  windowsOf(state: State): StateWindows;
  /** Of questions and options, which are kept for later requests. */
  ofTexts(
    texts: readonly string[],
    caller: Caller,
    options?: { readonly made: ReadonlyMap<string, Float32Array> },
  ): Promise<ReadonlyMap<string, Float32Array>>;
  /** Of examples, and of what is learned from. They are kept in memory alone: they are the caller's data as a state is. */
  ofExamples(
    texts: readonly string[],
    caller: Caller,
    options?: { readonly made: ReadonlyMap<string, Float32Array> },
  ): Promise<ReadonlyMap<string, Float32Array>>;
  /** Of texts that are not to be kept, in their order. */
  once(texts: readonly string[], caller: Caller): Promise<readonly Float32Array[]>;
}

/** One vector of hundreds of tokens hardly shows what a single sentence of them says. */
const wholeTokens = 128;
const windowTokens = 64;
/** Of a longer state these are looked at, spread over all of it. */
const windowsMax = 256;
/** Reading one takes some 35 ms. Of more than so many a question has some read that are spread over the state, and those that share its words. */
const wholeWindows = 96;
const spreadWindows = 48;
const sharingWindows = 24;

export function createVectors(encoder: Encoder, cache: EncoderCache | null): Vectors {
  const counts = new WeakMap<State, StateWindows>();
  const texts = new WeakMap<Float32Array, string>();

  async function encode(asked: readonly string[], { signal, account }: Caller) {
    const rows = await encoder.tokenize(
      asked.map((text) => ({ text, pair: null })),
      signal,
      account,
    );
    const { tokensMax } = encoder;
    const cut = rows.map(({ ids, types }) => ({
      ids: ids.slice(0, tokensMax),
      types: types.slice(0, tokensMax),
    }));
    return encoder.run(cut, signal, account);
  }

  const ofExamples = keepVectors(encode);
  /** Of a state that is judged: it may be an example too. */
  async function once(asked: readonly string[], caller: Caller): Promise<readonly Float32Array[]> {
    const found = await ofExamples(asked, caller, { isKept: false });
    return asked.map((text) => {
      const vector = found.get(text) ?? new Float32Array();
      texts.set(vector, text);
      return vector;
    });
  }

  return {
    textOf: (window) => texts.get(window) ?? '',

    windowsOf(state) {
      return counts.get(state) ?? { total: 1, read: 1 };
    },

    async ofState({ state, text }, asked, caller) {
      const room = { wholeMax: wholeTokens, tokensMax: windowTokens };
      const content = await runInSlices(contentOf(text), caller.signal);
      const windows = await windowsOf(content, room, async (some) => {
        const wanted = some.map((one) => ({ text: one, pair: null }));
        const rows = await encoder.tokenize(wanted, caller.signal, caller.account);
        return rows.map(({ ids }) => ids.length);
      });
      const known = spread(windows, windowsMax);
      const placesOf = openPlaces(known);
      const places = asked.map(({ texts }) => placesOf(texts));
      counts.set(state, { total: windows.length, read: new Set(places.flat()).size });
      const read = comparedOf(asked, places);
      const vectors = await once(
        read.map((place) => known[place] ?? ''),
        caller,
      );
      const byPlace = new Map(read.map((place, index) => [place, vectors[index] ?? new Float32Array()]));
      const withoutVector = (place: number) => {
        const vector = new Float32Array();
        texts.set(vector, known[place] ?? '');
        return vector;
      };
      return places.map((own) => own.map((place) => byPlace.get(place) ?? withoutVector(place)));
    },

    ofTexts: keepVectors(encode, cache),
    ofExamples,
    once,
  };
}

/** Places of the windows that need a vector. */
function comparedOf(
  asked: readonly AskedOfState[],
  places: readonly (readonly number[])[],
): readonly number[] {
  const compared = places.filter((own, at) => asked[at]?.isCompared === true || own.length > readWindowsMax);
  return [...new Set(compared.flat())].toSorted((a, b) => a - b);
}

/** So many of them, from the first on in even steps; all where there are no more. */
function spread<Item>(items: readonly Item[], most: number): readonly Item[] {
  const step = Math.max(1, items.length / most);
  return items.length <= most
    ? items
    : Array.from({ length: most }, (_, index) => items[Math.floor(index * step)]).filter(
        (item) => item !== undefined,
      );
}

/** Which windows are read for a question with these texts. Nothing else that is asked changes it. */
function openPlaces(windows: readonly string[]): (texts: readonly string[]) => readonly number[] {
  const all = [...windows.keys()];
  if (windows.length <= wholeWindows) return () => all;
  const sharedWith = openSharedWords(windows);
  const even = spread(all, spreadWindows);
  return (texts) => {
    const shared = sharedWith(texts);
    const sharing = all
      .filter((place) => (shared[place] ?? 0) > 0)
      .toSorted((a, b) => (shared[b] ?? 0) - (shared[a] ?? 0) || a - b)
      .slice(0, sharingWindows);
    return [...new Set([...even, ...sharing])].toSorted((a, b) => a - b);
  };
}
