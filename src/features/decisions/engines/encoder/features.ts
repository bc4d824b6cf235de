import { ownAccount, type Caller } from '../../../../kernel/kit/caller.ts';
import { runInSlices } from '../../../../kernel/kit/slices.ts';
import type { Encoder } from '../../../models/feature.ts';
import type { Features, NormalizedQuestion, State, StateFeatures } from '../../engine.ts';
import { withFault } from '../../in-process.ts';
import { lazily } from '../../rules/reading.ts';
import { windowsOf } from '../../windows.ts';
import { contentOf } from '../../words/content.ts';
import { read } from './read.ts';
import { clausesOf } from './said.ts';
import { questionsForWords, readQuestion, textsOf } from './texts.ts';
import type { Vectors } from './vectors.ts';

/** Tokens that are read as one, and those of a window of a longer state. */
const room = { wholeMax: 128, tokensMax: 64 };
/** Of a longer state as many windows are read from its beginning. */
const windowsMax = 64;

/** Vectors of states for what is learned, and what they say to a question without the words, which take twice as long. */
export function createFeatures(encoder: Encoder, vectors: Vectors): Features {
  async function cut({ text }: State, { signal, account }: Caller): Promise<readonly string[]> {
    const content = await runInSlices(contentOf(text), signal);
    const windows = await windowsOf(content, room, async (texts) => {
      const asked = texts.map((one) => ({ text: one, pair: null }));
      return (await encoder.tokenize(asked, signal, account)).map(({ ids }) => ids.length);
    });
    return windows.slice(0, windowsMax);
  }

  async function featuresOf(states: readonly State[], question: NormalizedQuestion, caller: Caller) {
    const asked = readQuestion(question);
    const even = question.options.map(() => 1 / question.options.length);
    const words = questionsForWords(asked, question).map(() => even);
    const texts: (readonly string[])[] = [];
    for (const state of states) texts.push(await cut(state, caller));
    const [all, known] = await Promise.all([
      vectors.once(texts.flat(), caller),
      vectors.ofTexts(textsOf(asked), caller),
    ]);
    const next = all.values();
    const vectorOf = (text: string) => known.get(text) ?? new Float32Array();
    return texts.map((own, index): StateFeatures => {
      const clauses = lazily(() => clausesOf(states[index]?.text ?? ''));
      const windows = own.map(() => next.next().value ?? new Float32Array());
      const prior = read({ question, asked, windows, clauses, vectorOf, words, temperature: 1 });
      return { vector: meanOf(windows), prior };
    });
  }

  async function keep(states: readonly State[], caller: Caller): Promise<void> {
    const texts: string[] = [];
    for (const state of states) texts.push(...(await cut(state, caller)));
    await vectors.ofExamples(texts, caller);
  }

  return {
    version: encoder.version,
    keep: (states, signal, account = ownAccount) => withFault(keep(states, { signal, account }), signal),
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
