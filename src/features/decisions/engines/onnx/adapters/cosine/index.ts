import type { Caller } from '../../../../../../kernel/kit/caller.ts';
import type { OnnxModel } from '../../../../../models/feature.ts';
import type { Distribution, NormalizedQuestion } from '../../../../engine.ts';
import { keepVectors } from '../../../../kept-vectors.ts';
import { softmax } from '../../../../order.ts';
import { defineAdapter, type Reader } from '../../adapter.ts';
import { joined, type WindowAnswer } from '../../joined.ts';
import { openRelevance } from '../../relevance.ts';
import { optionTexts, rowTexts } from '../../texts.ts';

/**
 * A sentence encoder: the likeness of the state to what stands for each option. Vectors of a state serve all of its
 * questions, also those of later requests, as those of options do.
 */
export const cosine = defineAdapter({
  name: 'cosine',
  suits: ({ kind }) => kind === 'encoder',
  open: (model) => openCosine(model),
});

/**
 * Divisors of a difference of cosines, fitted with all-MiniLM-L6-v2 in 8 bits on test rows of BANKING77 and CLINC150, as
 * docs/decisions/2026-11-22-onnx-decisions.md tells. For scores there was nothing to fit on; they have that of choices.
 */
const temperatures = { choice: 0.046, score: 0.046, noul: 0.088 } as const;
/** Cosine at which a statement is as likely true as not. */
const even = 0.28;

/** One vector of hundreds of tokens hardly shows what a single sentence of them says. */
const wholeTokens = 128;
const windowTokens = 64;
const windowsMax = 512;
const windowsReadMax = 4;
/** Windows of states that were asked about last, for whoever asks more about them. */
const statesKept = 1_000;
/** By how much more likeness one window is e times as likely as another to speak of a question. */
const likenessScale = 0.03;

function openCosine(model: OnnxModel): Reader {
  async function vectorsOf(texts: readonly string[], { signal, account }: Caller) {
    const rows = await model.tokenize(
      texts.map((text) => ({ text, pair: null })),
      signal,
      account,
    );
    return (await model.run(rows, signal, account)).map(toUnit);
  }

  const optionVectors = keepVectors((texts, caller) =>
    vectorsOf(
      texts.map((text) => model.prompts.document + text),
      caller,
    ),
  );
  const stateVectors = keepVectors(
    (texts, caller) =>
      vectorsOf(
        texts.map((text) => model.prompts.query + text),
        caller,
      ),
    null,
    statesKept,
  );

  return {
    windowsReadMax,
    textsOf: rowTexts,
    questionTokensMax: model.tokensMax,
    sizeOf: (tokens) => Math.max(...tokens),
    roomFor: () => ({
      wholeMax: Math.min(model.tokensMax, wholeTokens),
      tokensMax: Math.min(model.tokensMax, windowTokens),
      windowsMax,
    }),
    async score(windows, questions, caller) {
      const read = await stateVectors(windows, caller);
      const states = windows.map((window) => read.get(window) ?? new Float32Array());
      const vectors = await optionVectors(questions.flatMap(optionTexts), caller);
      const relevant = openRelevance(windows);
      return questions.map((question) => {
        const texts = optionTexts(question);
        const options = texts.map((text) => vectors.get(text) ?? new Float32Array());
        const likeness = states.map((state) => options.map((option) => dot(state, option)));
        const shared = relevant(texts, windows.length).map(({ relevance }) => relevance);
        return joined(question.kind, mostAlike(question, likeness, shared));
      });
    },
  };
}

/** Answers of the windows that speak of the question: by the words that they share with it, and by their likeness. */
function mostAlike(
  question: NormalizedQuestion,
  likeness: readonly (readonly number[])[],
  shared: readonly number[],
): readonly WindowAnswer[] {
  const likest = likeness.map((options) => Math.max(...options));
  const highest = Math.max(...likest);
  return likeness
    .map((options, index) => ({
      answer: distributionOf(question, options),
      relevance: (shared[index] ?? 0) * Math.exp(((likest[index] ?? 0) - highest) / likenessScale),
    }))
    .toSorted((a, b) => b.relevance - a.relevance)
    .slice(0, windowsReadMax);
}

function distributionOf({ kind }: NormalizedQuestion, likeness: readonly number[]): Distribution {
  const divisor = temperatures[kind];
  if (kind === 'noul') {
    const yes = 1 / (1 + Math.exp(((likeness[1] ?? even) - (likeness[0] ?? 0)) / divisor));
    return [yes, 1 - yes];
  }
  return softmax(likeness, divisor);
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  return length === 0 ? vector : vector.map((value) => value / length);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
