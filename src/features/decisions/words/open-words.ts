import { moduleBeside } from '../../../kernel/kit/beside.ts';
import { countInSteps } from '../../../kernel/kit/count-tokens.ts';
import { preparedOnce } from '../../../kernel/kit/prepared.ts';
import { runInSlices } from '../../../kernel/kit/slices.ts';
import { readWordVectors, wordVectorsPath, type WordVectors } from '../../../kernel/kit/word-vectors.ts';
import type { Distribution, NormalizedQuestion } from '../engine.ts';
import { codeDigest } from '../file-digests.ts';
import { decide } from './decide.ts';
import { model } from './model.ts';
import { createVocabulary } from './vocabulary.ts';

/** Where that stands which words and rules answer by. */
const places: readonly URL[] = [
  wordVectorsPath,
  new URL('.', import.meta.url),
  new URL('../rules', import.meta.url),
  ...['words', 'stem'].map((name) => moduleBeside(`../../../kernel/kit/${name}`, import.meta.url)),
];

/** What word vectors say of a state. Both work in slices. */
export interface Words {
  /** One distribution per question, in order. */
  decide(
    text: string,
    questions: readonly NormalizedQuestion[],
    signal: AbortSignal,
  ): Promise<readonly Distribution[]>;
  /** The text once and each question once. Unit: tokens. */
  countTokens(text: string, questions: readonly NormalizedQuestion[], signal: AbortSignal): Promise<number>;
  /** Tells one version of words and rules from another. */
  version(): Promise<string>;
}

/**
 * Word vectors that ship with Nestor and a small trained model. They compare words and do not reason. Deterministic; takes
 * 15 MB from the first question on, when it reads the vectors.
 */
export function openWords(load: () => Promise<WordVectors> = readWordVectors): Words {
  const prepare = preparedOnce(async () => createVocabulary(await load(), model));
  return {
    async decide(text, questions, signal) {
      const vocabulary = await prepare();
      return runInSlices(decide(text, questions, vocabulary), signal);
    },
    countTokens: (text, questions, signal) => runInSlices(countAll(text, questions), signal),
    version: preparedOnce(() => codeDigest(places)),
  };
}

function* countAll(text: string, questions: readonly NormalizedQuestion[]): Generator<void, number> {
  let tokens = yield* countInSteps(text);
  for (const { question, options, examples = [] } of questions) {
    tokens += yield* countInSteps(question);
    for (const { name, description } of options) {
      tokens += (yield* countInSteps(name)) + (yield* countInSteps(description));
    }
    for (const example of examples) tokens += yield* countInSteps(example.text);
  }
  return tokens;
}
