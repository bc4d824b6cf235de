import type { LocalModel } from '../../../models/feature.ts';
import type { NormalizedQuestion, Option, State } from '../../engine.ts';
import { withOptions } from './passes.ts';
import { inPasses, type Prompts, type QuestionPrompt } from './prompts.ts';
import { createLabels, type Label } from './trained-labels.ts';
import { createTemplate, type Decision } from './trained-template.ts';

/** As `lev` was taught to answer yes or no: from "certainly no" to "certainly yes". */
const ratings = 9;

/**
 * Prompts of a model that was trained to decide, as llama.cpp's server writes them: the template of its file is given the
 * state, the question and the options, and the answer is read at one token for each. A model that lists all questions of
 * a request in its prompt is shown the one, because no answer may depend on what is asked beside it. Throws Error where the
 * template or the tokenizer does not give what that takes.
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-decision.cpp
 */
export function createTrainedPrompts({ vocabulary }: LocalModel, decision: Decision): Prompts {
  const { type } = decision;
  const labels = createLabels(type, (word) => vocabulary.ofWord(word));
  const write = createTemplate(decision, labels, (text) => vocabulary.clean(text));
  // A template that raises says so at the start.
  for (const sample of samples) write({ entry: 'x', text: 'x', images: [] }, sample);

  const prefixes = keepByKey<readonly number[]>();
  const prefixOf: Prompts['prefixOf'] = (state, signal) =>
    prefixes(state, async () => {
      const texts = samples.map((question) => write(state, question).text);
      const [first = [], ...others] = await Promise.all(
        texts.map((text) => vocabulary.ofPrompt(text, signal)),
      );
      return commonOf(first, others);
    });

  const suffixOf: Prompts['suffixOf'] = async (state, question, pass, signal) => {
    const { options, ...some } = withOptions(question, pass);
    const written = write(state, { ...some, options });
    const tokens = await vocabulary.ofPrompt(written.text, signal);
    const prefix = await prefixOf(state, signal);
    if (!prefix.every((token, at) => tokens[at] === token))
      throw new Error('the template of the model puts some questions before their state, and some behind it');
    const isRated = type === 'lev' && question.kind === 'noul';
    const asked = isRated ? labels.of('score', levels) : written.labels;
    const temperature = temperatureOf(decision, question);
    return {
      tokens: tokens.slice(prefix.length),
      ask: asked.flatMap((label) => label.tokens),
      toScores(logits) {
        const scores = joined(asked, logits).map((logit) => logit / temperature);
        if (isRated) return ratedScores(scores, options);
        return options.map((option) => scores[written.shown.indexOf(option)] ?? Number.NaN);
      },
    };
  };

  const prompts = new WeakMap<State, ReturnType<typeof keepByKey<QuestionPrompt>>>();
  return {
    prefixOf,
    suffixOf,
    promptOf(state, question, signal) {
      const known = prompts.get(state) ?? keepByKey<QuestionPrompt>();
      prompts.set(state, known);
      return known(question, () =>
        inPasses(question, labels.most, (pass) => suffixOf(state, question, pass, signal)),
      );
    },
    ...(type === 'lev' && { orders: bothOfChoices }),
  };
}

/** As `lev` was taught to choose. */
function bothOfChoices({ kind, options }: NormalizedQuestion): readonly (readonly number[])[] {
  const given = options.map((_, at) => at);
  return kind === 'choice' && options.length > 1 ? [given, given.toReversed()] : [given];
}

/** Counting and scoring need the same. What fails is tried again. */
function keepByKey<Kept>(): (key: object, make: () => Promise<Kept>) => Promise<Kept> {
  const known = new WeakMap<object, Kept>();
  return async (key, make) => {
    const made = known.get(key) ?? (await make());
    known.set(key, made);
    return made;
  };
}

const samples: readonly NormalizedQuestion[] = [
  { kind: 'noul', question: 'Is it?', options: named('true', 'false') },
  { kind: 'choice', question: 'what', options: named('one', 'two', 'three') },
  { kind: 'score', question: '1', options: named('0', '1', '2', '3') },
];

function named(...names: readonly string[]): readonly Option[] {
  return names.map((name) => ({ name, description: '' }));
}

const levels = named(...Array.from({ length: ratings }, (_, at) => String(at)));

/**
 * What prompts about a state begin with, whatever is asked: those of three kinds, which differ from the first letter on, have it in
 * common. Its last token may have been cut otherwise before other letters.
 */
function commonOf(first: readonly number[], others: readonly (readonly number[])[]): readonly number[] {
  const differs = first.findIndex((token, at) => others.some((other) => other[at] !== token));
  return first.slice(0, Math.max(0, differs - 1));
}

/** One logit for each label: that of its likeliest spelling. */
function joined(labels: readonly Label[], logits: readonly number[]): readonly number[] {
  let from = 0;
  return labels.map(({ tokens }) => Math.max(...logits.slice(from, (from += tokens.length))));
}

/** Scores of yes and no from those of ratings: the mean rating is the probability. */
function ratedScores(scores: readonly number[], options: readonly Option[]): readonly number[] {
  const highest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - highest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const yes = weights.reduce((sum, weight, at) => sum + (weight / total) * (at / (scores.length - 1)), 0);
  return options.map(({ name }) => Math.log(name === 'true' ? yes : 1 - yes));
}

/** Up to so many options, and what the temperature is called there. */
type Size = readonly [most: number, name: string];
const levSizes: readonly Size[] = [
  [8, 'small'],
  [26, 'mid'],
  [Infinity, 'large'],
];
const sizes: readonly Size[] = [
  [2, '2'],
  [5, '3_5'],
  [10, '6_10'],
  [Infinity, '11'],
];

/** Fitted by the model's authors, by kind and number of options; 1 where they give none. */
function temperatureOf({ type, temperatures }: Decision, { kind, options }: NormalizedQuestion): number {
  const name = (type === 'lev' ? levSizes : sizes).find(([most]) => options.length <= most)?.[1];
  return temperatures.get(`${kind}.${name}`) ?? temperatures.get(kind) ?? 1;
}
