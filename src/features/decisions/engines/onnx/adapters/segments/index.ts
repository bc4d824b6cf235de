import { isJsonObject, type JsonObject } from '../../../../../../kernel/kit/json.ts';
import { OnnxProblem, optionMark, type OnnxModel } from '../../../../../models/feature.ts';
import type { NormalizedQuestion } from '../../../../engine.ts';
import { defineAdapter, positive } from '../../adapter.ts';
import { openTogether } from '../../together.ts';

/**
 * Sparrow: state, question and every option are each the mean of their words, which a small network compares. Texts,
 * limits and temperatures are those of `sparrow_decider/__init__.py` and `static.py` of the package `sparrow-decider` 0.2.0
 * (Apache-2.0). Its weights are no graph as published; `test/weights/make-sparrow.py` writes the one that is read here.
 */
export const segments = defineAdapter({
  name: 'segments',
  suits: ({ kind }) => kind === 'segments',
  open: (model) => openSegments(model),
});

const kinds = { noul: 0, choice: 1, score: 2 } as const;
/** The authors' own, where config.json does not say. */
const stateTokens = 512;
/**
 * In place of the model's own, by its name in config.json, as docs/decisions/2026-11-23-sparrow-temperatures.md tells: its
 * own are too careful with choices (1.395) and too sure of nouls (0.939). For scores there was nothing to fit on.
 */
const refitted: ReadonlyMap<string, Readonly<Record<'choice' | 'noul', number>>> = new Map([
  ['sparrow-nano-general-v1.1', { choice: 0.88, noul: 1.6 }],
]);
/** They have no limit. Means cost little, and further options are asked in groups. */
const questionTokensMax = 4_096;
const optionsMax = 255;
/** A mean drowns one sentence among dozens, so a longer state is read by its sentences. A message as people write fits. */
const wholeTokensMax = 128;
/** A sentence costs a tenth of a millisecond. */
const windowsReadMax = 16;
/** The tokens before the state and the question. */
const framing = 2;
/** What the sizes of questions are rounded up to. */
const slack = 16;

function openSegments(model: OnnxModel) {
  const { settings } = model;
  if (settings['kv'] === true)
    throw new OnnxProblem(
      'config.json has "kv": it reads numbers of the state by themselves, which is not known here',
    );
  const { max_len: most, name, temperature_by_kind: given } = settings;
  const stateTokensMax = positive(most, stateTokens);
  const own = isJsonObject(given) ? given : {};
  const temperatures: JsonObject = { ...own, ...(typeof name === 'string' && refitted.get(name)) };
  return openTogether(model, {
    rowTokensMax: stateTokensMax + questionTokensMax + framing + slack,
    questionTokensMax,
    stateTokensMax,
    wholeTokensMax,
    isBySentence: true,
    windowsReadMax,
    optionsMax,
    isOrderFree: true,
    framing,
    askedOf: (question) => ({
      head: question.question,
      options: optionsOf(question).map((text) => [optionMark, text]),
    }),
    rowOf: ({ head, options }, state, kind) => ({
      text: [{ control: 'cls' }, state, { control: 'sep' }, head, ...options].flat(),
      pair: null,
      isBare: true,
      questionKind: kinds[kind],
    }),
    temperatureOf: (kind) => positive(temperatures[kind], 1),
  });
}

const optionsOf = ({ kind, options }: NormalizedQuestion): readonly string[] =>
  options.map(({ name, description }) => {
    const said = kind === 'noul' ? description || unsaid[name === 'true' ? 1 : 0] : description;
    return `${name} ${said}`;
  });

const unsaid = ['the statement does not hold for this state', 'the statement holds for this state'] as const;
