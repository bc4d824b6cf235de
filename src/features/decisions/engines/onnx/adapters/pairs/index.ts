import type { Caller } from '../../../../../../kernel/kit/caller.ts';
import type { OnnxModel } from '../../../../../models/feature.ts';
import type { Distribution, NormalizedQuestion } from '../../../../engine.ts';
import { softmax } from '../../../../order.ts';
import { defineAdapter, type Reader } from '../../adapter.ts';
import { joined } from '../../joined.ts';
import { openRelevance, type ReadWindow } from '../../relevance.ts';
import { optionTexts, rowTexts } from '../../texts.ts';

/**
 * A cross-encoder, which reads the state and what stands for an option in one row: an NLI classifier says how far the
 * one follows from the other, a reranker how well they fit.
 */
export const pairs = defineAdapter({
  name: 'pairs',
  suits: ({ kind, labels, dimensions }) =>
    kind === 'classifier' && (dimensions === 1 || entailment(labels).yes >= 0),
  open: (model) => openPairs(model),
});

/** Nothing is fitted: what such models give is a logit already. */
const temperature = 1;
/** A row for each option and window is dear, so few windows of a long state are read. */
const windowsReadMax = 4;
/** Of a row, for the state. The rest is for the other text. */
const windowShare = 0.75;

/** Places of the labels of NLI; `no` is -1 where a reranker or another model has none. */
function entailment(labels: readonly string[]): { readonly yes: number; readonly no: number } {
  const yes = labels.findIndex((label) => /^entail/i.test(label));
  const contradiction = labels.findIndex((label) => /^contradict/i.test(label));
  const other = labels.findIndex((label) => /^not.?entail/i.test(label));
  return { yes, no: contradiction === -1 ? other : contradiction };
}

function openPairs(model: OnnxModel): Reader {
  const windowTokensMax = Math.floor(model.tokensMax * windowShare);
  const { yes, no } = model.dimensions === 1 ? { yes: 0, no: -1 } : entailment(model.labels);

  async function answerOf(
    question: NormalizedQuestion,
    read: readonly ReadWindow[],
    { signal, account }: Caller,
  ): Promise<Distribution> {
    const texts = optionTexts(question);
    const asked = read.flatMap(({ text }) => texts.map((pair) => ({ text, pair })));
    const logits = await model.run(await model.tokenize(asked, signal, account), signal, account);
    const fits = logits.map((row) => toFit(row, yes, no));
    return joined(
      question.kind,
      read.map(({ relevance }, index) => ({
        answer: distributionOf(question, fits.slice(index * texts.length, (index + 1) * texts.length)),
        relevance,
      })),
    );
  }

  return {
    windowsReadMax,
    textsOf: rowTexts,
    questionTokensMax: model.tokensMax - windowTokensMax,
    sizeOf: (tokens) => Math.max(...tokens),
    roomFor: () => ({ wholeMax: windowTokensMax, tokensMax: windowTokensMax }),
    async score(windows, questions, caller) {
      const relevant = openRelevance(windows);
      const answers: Distribution[] = [];
      for (const question of questions)
        answers.push(await answerOf(question, relevant(optionTexts(question), windowsReadMax), caller));
      return answers;
    },
  };
}

interface Fit {
  /** For comparing options with each other. */
  readonly choice: number;
  /** Logit of yes against no. */
  readonly noul: number;
}

function toFit(row: Float32Array, yes: number, no: number): Fit {
  const choice = row[yes] ?? 0;
  return { choice, noul: no === -1 ? choice : choice - (row[no] ?? 0) };
}

function distributionOf({ kind }: NormalizedQuestion, fits: readonly Fit[]): Distribution {
  if (kind === 'noul') {
    const logit = (fits[0]?.noul ?? 0) - (fits[1]?.noul ?? 0);
    const yes = 1 / (1 + Math.exp(-logit / temperature));
    return [yes, 1 - yes];
  }
  return softmax(
    fits.map(({ choice }) => choice),
    temperature,
  );
}
