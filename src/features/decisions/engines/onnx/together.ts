import type { Caller } from '../../../../kernel/kit/caller.ts';
import type { OnnxModel, RowText } from '../../../models/feature.ts';
import type { Distribution, NormalizedQuestion } from '../../engine.ts';
import { canonicalOrder, softmax } from '../../order.ts';
import type { Reader } from './adapter.ts';
import { askInGroups } from './groups.ts';
import { joined, type WindowAnswer } from './joined.ts';
import { openRelevance } from './relevance.ts';

/** What a row holds beside the state: pieces of it, as the model reads them. */
export interface Asked {
  readonly head: RowText['text'];
  readonly options: readonly RowText['text'][];
}

/** A model that reads the options of a question in one row with the state. */
export interface RowModel {
  /** Most tokens of a row, and of a question with its options in it. */
  readonly rowTokensMax: number;
  readonly questionTokensMax: number;
  /** Most tokens of a state, for a model that reads fewer than the row has room for. */
  readonly stateTokensMax?: number;
  /** Most tokens of a state that is read whole, where a longer one is better cut. */
  readonly wholeTokensMax?: number;
  /** A longer state is cut into its sentences, for a model that takes the mean of what it reads. */
  readonly isBySentence?: boolean;
  /** Most windows that decide a question, for a model that reads them at little cost. */
  readonly windowsReadMax?: number;
  /** Most options of a row. */
  readonly optionsMax: number;
  /** It answers alike in whatever order options stand, so a choice is asked in one. */
  readonly isOrderFree?: boolean;
  /** Tokens of a row that are neither of the question, of an option nor of the state. */
  readonly framing: number;
  /** Options stand in the order of the question. */
  askedOf(question: NormalizedQuestion): Asked;
  rowOf(asked: Asked, state: string, kind: NormalizedQuestion['kind']): RowText;
  temperatureOf(kind: NormalizedQuestion['kind'], options: number): number;
}

/** Each window costs a row for every group of options and both of its orders, so few windows of a long state are read. */
const fewWindows = 4;
/** Of sentences words are compared before any is read. */
const sentencesMax = 4_096;
const step = 16;

/**
 * Reads options together. Such a model answers differently when they stand in another order: options of a choice are
 * asked in an order of their own and in the reverse of it, and the mean counts. Levels and nouls have one order, that of
 * the training: `false` stands before `true`. A row holds one question, because some of these models read from left to
 * right without forgetting.
 */
export function openTogether(model: OnnxModel, spec: RowModel): Reader {
  const { rowTokensMax, questionTokensMax, stateTokensMax = rowTokensMax, optionsMax, framing } = spec;
  const { windowsReadMax = fewWindows, isBySentence = false, wholeTokensMax = stateTokensMax } = spec;
  return {
    windowsReadMax,
    textsOf: (question) => piecesOf(spec.askedOf(question)),
    questionTokensMax,
    sizeOf([head = 0, ...options]) {
      const whole = options.reduce((sum, tokens) => sum + tokens, head);
      if (whole <= questionTokensMax && options.length <= optionsMax) return whole;
      // Two at least have to stand beside each other.
      const pair = head + 2 * Math.max(...options);
      return Math.max(pair, questionTokensMax);
    },
    roomFor(size) {
      // In steps, so that a long state is cut in a few ways only, however many questions there are.
      const left = rowTokensMax - Math.ceil(size / step) * step - framing;
      const tokensMax = Math.min(stateTokensMax, left);
      const wholeMax = Math.min(wholeTokensMax, tokensMax);
      return { wholeMax, tokensMax, ...(isBySentence && { isBySentence, windowsMax: sentencesMax }) };
    },
    async score(windows, questions, caller) {
      const relevant = openRelevance(windows);
      const answers: Distribution[] = [];
      for (const question of questions) {
        const texts = piecesOf(spec.askedOf(question)).map(({ text }) => saidIn(text));
        const read: WindowAnswer[] = [];
        for (const { text: state, relevance } of relevant(texts, windowsReadMax))
          read.push({ answer: await askOne(model, spec, { question, state }, caller), relevance });
        answers.push(joined(question.kind, read));
      }
      return answers;
    },
  };
}

async function askOne(
  model: OnnxModel,
  spec: RowModel,
  { question, state }: { readonly question: NormalizedQuestion; readonly state: string },
  { signal, account }: Caller,
): Promise<Distribution> {
  const { kind } = question;
  const asked = spec.askedOf(question);
  const order = kind === 'noul' ? [1, 0] : canonicalOrder(question);
  const pieces = await model.tokenize(piecesOf(asked), signal, account);
  const [head = 0, ...tokens] = pieces.map(({ ids }) => ids.length);
  const found = await askInGroups(
    order.map((option) => tokens[option] ?? 0),
    { optionsMax: spec.optionsMax, tokensMax: spec.questionTokensMax - head },
    async (places) => {
      const orders =
        kind === 'choice' && spec.isOrderFree !== true ? [places, places.toReversed()] : [places];
      const texts = orders.map((one) => {
        const options = one.map((place) => asked.options[order[place] ?? 0] ?? '');
        return spec.rowOf({ head: asked.head, options }, state, kind);
      });
      const logits = await model.run(await model.tokenize(texts, signal, account), signal, account);
      const [forwards = [], backwards] = logits.map((row) =>
        softmax([...row], spec.temperatureOf(kind, row.length)),
      );
      const mirrored = backwards?.toReversed() ?? forwards;
      return forwards.map((probability, index) => (probability + (mirrored[index] ?? 0)) / 2);
    },
  );
  return asked.options.map((_, option) => found[order.indexOf(option)] ?? 0);
}

const piecesOf = ({ head, options }: Asked): readonly RowText[] =>
  [head, ...options].map((text) => ({ text, pair: null, isBare: true }));

const saidIn = (text: RowText['text']): string =>
  typeof text === 'string' ? text : text.filter((part) => typeof part === 'string').join(' ');
