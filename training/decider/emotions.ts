import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { shuffle } from '../../src/features/decisions/evaluation/sample.ts';
import { toPool, type Claim, type Claims, type Pool } from './pools.ts';

const origin = {
  source: 'monologg/GoEmotions-pytorch b75f9d3a8b76',
  licence: 'Apache-2.0 (the repository), CC BY 4.0 (GoEmotions)',
};

/** How a feeling is said of who wrote the text. */
const adjectives: Readonly<Record<string, string>> = {
  admiration: 'impressed',
  amusement: 'amused',
  anger: 'angry',
  annoyance: 'annoyed',
  approval: 'in favour',
  caring: 'caring',
  confusion: 'confused',
  curiosity: 'curious',
  desire: 'longing for something',
  disappointment: 'disappointed',
  disapproval: 'against it',
  disgust: 'disgusted',
  embarrassment: 'embarrassed',
  excitement: 'excited',
  fear: 'afraid',
  gratitude: 'grateful',
  grief: 'grieving',
  joy: 'joyful',
  love: 'full of love',
  nervousness: 'nervous',
  optimism: 'hopeful',
  pride: 'proud',
  realization: 'realising something',
  relief: 'relieved',
  remorse: 'sorry',
  sadness: 'sad',
  surprise: 'surprised',
};

/** Comments and the one feeling that readers found in each. */
export function readEmotions(folder: string, perLabel: number): Pool {
  const names = readFileSync(join(folder, 'data/original/labels.txt'), 'utf8').trim().split('\n');
  const rows = readRows(join(folder, 'data/original/train.tsv'))
    .map(([text, labels]) => [text, names[Number(labels)] ?? ''] as const)
    .filter(([, name]) => name in adjectives);
  return toPool({ ...origin, name: 'emotions' }, rows, { perLabel }, (name) => [
    name,
    adjectives[name] ?? name,
    `The person is ${adjectives[name] ?? name}.`,
  ]);
}

/** Two ways to say what a text is like. Those of `training/messages.ts` are judged on and do not stand here. */
const opposites: readonly (readonly [good: string, bad: string])[] = [
  ['positive', 'negative'],
  ['The text is positive.', 'The text is negative.'],
  ['Is the sentiment positive?', 'Is the sentiment negative?'],
  ['The writer has a good opinion of it.', 'The writer has a bad opinion of it.'],
  ['Does the author like it?', 'Does the author dislike it?'],
  ['praise', 'complaint'],
  ['favourable', 'unfavourable'],
  ['good', 'bad'],
];

/** Whether a comment is positive or negative; those that readers found neutral are as much one as the other. */
export function readSentiment(folder: string, count: number): Claims {
  const names = readFileSync(join(folder, 'data/group/labels.txt'), 'utf8').trim().split('\n');
  const rows = Map.groupBy(
    readRows(join(folder, 'data/group/train.tsv')),
    ([, labels]) => names[Number(labels)],
  );
  const of = (name: string, share: number) => shuffle(rows.get(name) ?? [], 11).slice(0, share * count);
  const claims = [
    ...of('positive', 0.4).map(([text], index) => claimOf(text, index, 1)),
    ...of('negative', 0.4).map(([text], index) => claimOf(text, index, 0)),
    ...of('neutral', 0.2).map(([text], index) => claimOf(text, index, 0.5)),
  ];
  return { ...origin, name: 'sentiment', claims };
}

/** Comments that are not trained on, as many good as bad ones; nobody found anything else in them. */
export function judgedComments(folder: string, count: number) {
  const names = readFileSync(join(folder, 'data/group/labels.txt'), 'utf8').trim().split('\n');
  const rows = shuffle(readRows(join(folder, 'data/group/test.tsv')), 19);
  return ['negative', 'positive'].flatMap((name, good) =>
    rows
      .filter(([, labels]) => names[Number(labels)] === name)
      .slice(0, count / 2)
      .map(([text]) => [text, good] as const),
  );
}

/** Asks for the good and for the bad in turn. */
function claimOf(text: string, index: number, good: number): Claim {
  const [yes, no] = opposites[Math.floor(index / 2) % opposites.length] ?? ['', ''];
  return index % 2 === 0 ? [text, yes, no, good] : [text, no, yes, 1 - good];
}

/** Lines of text, labels (several with commas) and an id. */
function readRows(path: string): readonly (readonly [text: string, labels: string])[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .flatMap(([text = '', labels = '']) => (labels === '' ? [] : [[text, labels] as const]));
}
