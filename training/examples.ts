import type { Option, NormalizedQuestion } from '../src/features/decisions/engine.ts';
import { splitName } from '../src/kernel/kit/words.ts';
import { createRandom } from '../src/features/decisions/evaluation/sample.ts';
import { pick, type DataSet } from './data.ts';
import { messages, statements, type Tag } from './messages.ts';

/** A question on a state with the index of the right option. */
export interface Example {
  readonly state: string;
  readonly question: NormalizedQuestion;
  readonly right: number;
}

const option = (name: string): Option => ({ name, description: '' });

const topicQuestions = [
  'Is the customer asking about $?',
  'Is this about $?',
  'The message is about $',
  'The user is asking about $.',
  'Does the message mention $?',
  '$',
  'Is the user talking about $?',
  'The topic of the text is $',
];
const deniedQuestions = [
  'The message is not about $',
  'This is not about $.',
  "The user isn't asking about $",
];

/**
 * Nouls "is this about X", half of them true, a tenth of them denied ("is not about X"); three in ten of the labels
 * named wrongly share a word with the right one.
 */
export function noulExamples(set: DataSet, rows: DataSet['train'], count: number, seed: number): Example[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const [state, label] = pick(random, rows);
    const truth = random() < 0.5;
    const others = set.labels.filter((other) => other !== label);
    const near = others.filter((other) => sharesWord(other, label));
    const topic = truth ? label : pick(random, near.length > 0 && random() < 0.3 ? near : others);
    const text = splitName(topic).toLowerCase();
    const denied = random() < 0.1;
    const question = pick(random, denied ? deniedQuestions : topicQuestions);
    return noul(
      state,
      question.replace('$', () => text),
      truth !== denied,
    );
  });
}

function sharesWord(a: string, b: string): boolean {
  const words = new Set(splitName(a).split(' '));
  return splitName(b)
    .split(' ')
    .some((word) => word.length > 3 && words.has(word));
}

export function noul(state: string, question: string, truth: boolean): Example {
  const options = [option('true'), option('false')];
  return { state, question: { kind: 'noul', question, options }, right: truth ? 0 : 1 };
}

/** Choices among 2 to 80 random labels; one in four offers a remainder. */
export function choiceExamples(set: DataSet, rows: DataSet['train'], count: number, seed: number): Example[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const remainder = random() < 1 / 4 ? pick(random, ['other', 'none_of_the_above', 'unknown']) : null;
    const outside = remainder !== null && random() < 0.15;
    const [text, label] = pick(random, rows);
    const n = Math.round(2 ** (1 + 5.3 * random()));
    const chosen = new Set(outside ? [] : [label]);
    const others = set.labels.filter((other) => other !== label);
    while (chosen.size < Math.min(n, others.length)) chosen.add(pick(random, others));
    const names = [...chosen].sort();
    if (remainder !== null) names.push(remainder);
    const question: NormalizedQuestion = {
      kind: 'choice',
      question: 'What is the message about?',
      options: names.map(option),
    };
    const state = outside && set.name === 'clinc150' ? pick(random, set.outside) : text;
    return { state, question, right: names.indexOf(outside ? (remainder ?? label) : label) };
  });
}

/** The whole label set as one choice. */
export function wholeChoices(set: DataSet, rows: DataSet['test'], step: number): Example[] {
  const question: NormalizedQuestion = { kind: 'choice', question: '', options: set.labels.map(option) };
  return rows
    .filter((_, i) => i % step === 0)
    .map(([state, label]) => ({ state, question, right: set.labels.indexOf(label) }));
}

/** Every tag's statements on the hand-written messages; `fitted` picks the half that is fitted on. */
export function feelingExamples(fitted: boolean): Example[] {
  const tags = Object.keys(statements) as Tag[];
  return messages
    .filter((_, i) => (i % 2 === 0) === fitted)
    .flatMap(({ text, tags: held }) =>
      tags.flatMap((tag) =>
        (fitted ? statements[tag].slice(0, 2) : statements[tag]).map((question) =>
          noul(text, question, held.includes(tag)),
        ),
      ),
    );
}
