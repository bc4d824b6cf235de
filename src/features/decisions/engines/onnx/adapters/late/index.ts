import type { Caller } from '../../../../../../kernel/kit/caller.ts';
import { normalize } from '../../../../../../kernel/kit/text.ts';
import { OnnxProblem, type OnnxModel, type RowText } from '../../../../../models/feature.ts';
import type { Distribution, NormalizedQuestion } from '../../../../engine.ts';
import { softmax } from '../../../../order.ts';
import { defineAdapter, positive, type Reader } from '../../adapter.ts';
import { joined, type WindowAnswer } from '../../joined.ts';
import { openRelevance } from '../../relevance.ts';
import { levelText, namedText } from '../../texts.ts';
import { createFitting } from './fitting.ts';
import { toLevels, type Ordinal } from './ordinal.ts';

/**
 * Decima: state and options are encoded by themselves, and a second graph has each option read the state. Texts, limits
 * and heads are those of `decima/runtime.py`, `render.py` and `systemone.py` (github.com/amyrmahdy/decima, Apache-2.0).
 * There is no order among options that an answer could depend on.
 */
export const late = defineAdapter({
  name: 'late',
  suits: ({ kind }) => kind === 'late',
  open: (model) => openLate(model),
});

/** The model's own limits, where decima.json does not say. */
const stateTokens = 256;
const optionTokens = 48;
/** Each window costs what the state costs, for every question. */
const windowsReadMax = 4;

interface Contract {
  readonly rowTokensMax: number;
  readonly optionTokensMax: number;
  readonly temperature: number;
  readonly ordinal: Ordinal;
  readonly statePrefix: string;
  readonly optionPrefix: string;
  /** Where the question is read: with the state, with each option, or with both. */
  readonly isInState: boolean;
  readonly isInOptions: boolean;
}

function contractOf(model: OnnxModel): Contract {
  const { settings, tokensMax } = model;
  return {
    rowTokensMax: Math.min(tokensMax, positive(settings['max_state_tokens'], stateTokens)),
    optionTokensMax: Math.min(tokensMax, positive(settings['max_choice_tokens'], optionTokens)),
    temperature: positive(settings['temperature'], 1),
    ordinal: ordinalOf(model),
    statePrefix: prefixOf(settings['state_prefix'], 'query: '),
    optionPrefix: prefixOf(settings['choice_prefix'], 'passage: '),
    isInState: settings['question_in_state'] === true,
    isInOptions: settings['question_in_choices'] !== false,
  };
}

function openLate(model: OnnxModel): Reader {
  const contract = contractOf(model);
  const { rowTokensMax, optionTokensMax, temperature, ordinal, statePrefix, optionPrefix } = contract;
  const questionTokensMax = Math.floor(rowTokensMax / 2);
  const fit = createFitting(model, optionPrefix, optionTokensMax);

  const stateOf = (question: NormalizedQuestion, state: string) =>
    statePrefix + clean(contract.isInState ? `${askedOf(question)}\n${state}` : state);

  async function distributionOf(
    question: NormalizedQuestion,
    state: string,
    options: readonly (readonly number[])[],
    { signal, account }: Caller,
  ) {
    const [row] = await model.tokenize([asRow(stateOf(question, state))], signal, account);
    const rows = options.map((option) => ({ ids: row?.ids ?? [], types: row?.types ?? [], option }));
    const found = await model.run(rows, signal, account);
    const scores = found.map(([score = 0]) => score / temperature);
    if (question.kind !== 'score') return softmax(scores, 1);
    return toLevels(
      scores,
      found.map((one) => one.subarray(1)),
      ordinal,
    );
  }

  return {
    windowsReadMax,
    textsOf: (question) => [
      asRow(stateOf(question, '')),
      ...optionsOf(question).map((option) => asRow(optionPrefix + option)),
    ],
    questionTokensMax,
    // An option that is too long by some tokens makes the question too long by as many.
    sizeOf: ([head = 0, ...options]) =>
      Math.max(head, questionTokensMax + Math.max(...options) - optionTokensMax),
    roomFor(size) {
      const tokensMax = rowTokensMax - size;
      return { wholeMax: tokensMax, tokensMax };
    },
    async score(windows, questions, caller) {
      const relevant = openRelevance(windows);
      const answers: Distribution[] = [];
      for (const question of questions) {
        const said = optionsOf(question);
        const asked = contract.isInOptions ? askedOf(question) : '';
        const options = await fit(asked, said, caller);
        const read: WindowAnswer[] = [];
        for (const { text, relevance } of relevant([askedOf(question), ...said], windowsReadMax))
          read.push({ answer: await distributionOf(question, text, options, caller), relevance });
        answers.push(joined(question.kind, read));
      }
      return answers;
    },
  };
}

const asRow = (text: string): RowText => ({ text, pair: null });
/** As the authors clean texts of a language that they do not know. */
const clean = (text: string): string => normalize(text, 'NFC').trim();
const prefixOf = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise;

function askedOf({ kind, question, options }: NormalizedQuestion): string {
  const [yes = '', no = ''] = options.map(({ description }) => description);
  if (kind !== 'noul' || yes + no === '') return question;
  return `${question}\nTrue if: ${yes || '—'}\nFalse if: ${no || '—'}`;
}

function optionsOf({ kind, options }: NormalizedQuestion): readonly string[] {
  switch (kind) {
    case 'choice':
      return options.map(({ name, description }) => clean(namedText(name, description)));
    case 'score':
      return options.map(({ description }, index) => clean(levelText(description, index, options.length)));
    case 'noul':
      return ['yes', 'no'];
  }
}

function ordinalOf({ settings, dimensions }: OnnxModel): Ordinal {
  const {
    ord_g_w: place,
    ord_g_b: placeBias,
    ord_gap_w: gap,
    ord_gap_b: gapBias,
  } = settings['ordinal'] as Readonly<Record<string, unknown>>;
  const isVector = (value: unknown): value is readonly number[] =>
    Array.isArray(value) && value.length === dimensions - 1 && value.every((one) => typeof one === 'number');
  if (isVector(place) && isVector(gap) && typeof placeBias === 'number' && typeof gapBias === 'number')
    return { place, placeBias, gap, gapBias };
  throw new OnnxProblem(
    `decima.json needs ord_g_w and ord_gap_w of ${dimensions - 1} numbers, ord_g_b and ord_gap_b`,
  );
}
