import { ownAccount, type Caller } from '../../../../kernel/kit/caller.ts';
import { runInSlices } from '../../../../kernel/kit/slices.ts';
import type { Encoder } from '../../../models/feature.ts';
import type { Features, NormalizedQuestion, State, StateFeatures } from '../../engine.ts';
import { withFault } from '../../in-process.ts';
import { lazily } from '../../rules/reading.ts';
import { windowsOf } from '../../windows.ts';
import { contentOf } from '../../words/content.ts';
import { withoutNamedOrder } from '../../words/named-orders.ts';
import { read } from './read.ts';
import { clausesOf } from './said.ts';
import { questionsForWords, readQuestion, textsOf } from './texts.ts';
import type { Vectors } from './vectors.ts';

/** Tokens that are read as one, and those of a window of a longer state. */
const room = { wholeMax: 128, tokensMax: 64 };
/** Of a longer state as many windows are read from its beginning. */
const windowsMax = 64;

/** Of no more characters the tokens of a state are counted ahead; see `windowsOf`. */
const shortMax = room.wholeMax * 20;

/** Vectors of states for what is learned, and what they say to a question without the words, which take twice as long. */
export function createFeatures(encoder: Encoder, vectors: Vectors): Features {
  const { dimensions } = encoder;
  const partOf = (all: Float32Array, window: number) =>
    all.subarray(window * dimensions, (window + 1) * dimensions);

  /** Texts of the windows of each state. */
  async function cutAll(states: readonly Pick<State, 'text'>[], { signal, account }: Caller) {
    const count = async (texts: readonly string[]) => {
      const asked = texts.map((one) => ({ text: one, pair: null }));
      return (await encoder.tokenize(asked, signal, account)).map(({ ids }) => ids.length);
    };
    const contents: string[] = [];
    for (const { text } of states) contents.push(await runInSlices(contentOf(text), signal));
    // In one call, whose tokens are kept: one after the other each would wait for the thread.
    await count(contents.filter((content) => content.length <= shortMax));
    const all: (readonly string[])[] = [];
    for (const content of contents) all.push((await windowsOf(content, room, count)).slice(0, windowsMax));
    return all;
  }

  async function featuresOf(all: readonly State[], question: NormalizedQuestion, caller: Caller) {
    const states = all.map(({ text }) => ({ text: withoutNamedOrder(text, question) }));
    const asked = readQuestion(question);
    const even = question.options.map(() => 1 / question.options.length);
    const words = questionsForWords(asked, question).map(() => even);
    const texts = await cutAll(states, caller);
    const [vectorsOfAll, known] = await Promise.all([
      vectors.once(texts.flat(), caller),
      vectors.ofTexts(textsOf(asked), caller),
    ]);
    const next = vectorsOfAll.values();
    const vectorOf = (text: string) => known.get(text) ?? new Float32Array();
    return texts.map((own, index): StateFeatures => {
      const clauses = lazily(() => clausesOf(states[index]?.text ?? ''));
      const windows = own.map(() => next.next().value ?? new Float32Array());
      const prior = read({ question, asked, windows, clauses, vectorOf, words, told: [], temperature: 1 });
      return { vector: meanOf(windows), prior };
    });
  }

  async function keep(states: readonly State[], known: readonly (Float32Array | null)[], caller: Caller) {
    const texts = await cutAll(states, caller);
    const made = new Map(
      texts.flatMap((own, at) => {
        const vectors = known[at];
        return vectors?.length === own.length * dimensions
          ? own.map((text, window) => [text, partOf(vectors, window)] as const)
          : [];
      }),
    );
    const found = await vectors.ofExamples(texts.flat(), caller, { made });
    return texts.map((own) => joined(own.map((text) => found.get(text) ?? new Float32Array())));
  }

  return {
    version: encoder.version,
    keep: (states, known, signal, account = ownAccount) =>
      withFault(keep(states, known, { signal, account }), signal),
    of: (states, question, signal, account = ownAccount) =>
      withFault(featuresOf(states, question, { signal, account }), signal),
  };
}

/** Of length 1 as they are. */
export function meanOf(windows: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(windows[0]?.length ?? 0);
  for (const window of windows)
    for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + (window[i] ?? 0);
  const length = Math.hypot(...sum) || 1;
  return sum.map((x) => x / length);
}

function joined(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
