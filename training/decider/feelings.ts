import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { shuffle } from '../../src/features/decisions/evaluation/sample.ts';
import type { Asked, Ways } from './asked.ts';

/** How people ask whether a text is good about what it tells. `judged.ts` holds those that are judged on. */
const ways: Ways = [
  ['positive', 'negative'],
  ['Positive', 'Negative'],
  ['good', 'bad'],
  ['praise', 'complaint'],
  ['favourable', 'unfavourable'],
  ['very positive', 'very negative'],
  ['a positive review', 'a negative review'],
  ['positive sentiment', 'negative sentiment'],
  ['The text is positive.', 'The text is negative.'],
  ['The text is positive.', 'The text is not positive.'],
  ['The review is favourable.', 'The review is unfavourable.'],
  ['Is the sentiment positive?', 'Is the sentiment negative?'],
  ['Is the opinion positive?', 'Is the opinion negative?'],
  ['Is it a good review?', 'Is it a bad review?'],
  ['Is the tone positive?', 'Is the tone negative?'],
  ['The tone is friendly.', 'The tone is unfriendly.'],
  ['The writer has a good opinion of it.', 'The writer has a bad opinion of it.'],
  ['Does the author like it?', 'Does the author dislike it?'],
  ['Does the writer like it?', 'Does the writer not like it?'],
  ['The writer liked it.', 'The writer hated it.'],
  ['Did they enjoy it?', 'Did they find it disappointing?'],
  ['Is the customer happy?', 'Is the customer unhappy?'],
  ['Is the customer satisfied?', 'Is the customer dissatisfied?'],
  ['The person is pleased.', 'The person is displeased.'],
  ['Would they recommend it?', 'Would they advise against it?'],
  ['Does this sound happy?', 'Does this sound unhappy?'],
  ['This is good news.', 'This is bad news.'],
  ['It went well.', 'It went badly.'],
];

/** Ratings run from -4 to 4; those near nothing are as much good as bad. */
const truthOf = (rating: number): number => 1 / (1 + Math.exp(-2 * rating));

/** Sentences rated by twenty readers each, out of VADER's own resources; its films are never read. */
export function readRated(folder: string, name: RatedName): Asked {
  const rows = ratedRows(folder, name)
    .slice(judgedCount)
    .map(([text, rating]) => [text, 0, truthOf(rating)] as const);
  const origin = { name: `rated-${name}`, source: 'vaderSentiment 3.3.2', licence: 'MIT (the package)' };
  return { ...origin, kinds: [ways], rows };
}

type RatedName = 'tweets' | 'amazonReviewSnippets' | 'nytEditorialSnippets';
const judgedCount = 1000;

/** Sentences that are clearly good or bad. The editorials are never trained on, of the others no sentence of these. */
export const judgedRated = (folder: string) =>
  (['amazonReviewSnippets', 'tweets', 'nytEditorialSnippets'] as const).map((name) => ({
    name,
    rows: ratedRows(folder, name)
      .slice(0, judgedCount)
      .filter(([, rating]) => Math.abs(rating) >= 1)
      .map(([text, rating]) => [text, rating > 0 ? 1 : 0] as const),
  }));

/** Asked of these, in words that no training saw. */
export const judgedRatedWays: Ways = [
  ['Is this review positive?', 'Is this review negative?'],
  ['Does the person speak well of it?', 'Does the person speak ill of it?'],
  ['The customer is happy with the product', 'The customer is unhappy with the product'],
];

function ratedRows(folder: string, name: RatedName): readonly (readonly [text: string, rating: number])[] {
  const rows = readFileSync(join(folder, `hutto_ICWSM_2014/${name}_GroundTruth.txt`), 'latin1')
    .split('\n')
    .map((line) => line.trim().split('\t'))
    .flatMap(([, rating = '', text = '']) =>
      text.length < 8 ? [] : [[text.replaceAll('&amp;', '&'), Number(rating)] as const],
    );
  return shuffle(rows, 29);
}

/** Words with a rating, in sentences. */
const frames = ['It was $.', '$', 'I find this $.', 'How $!', 'What they did was $.'];

export function readRatedWords(folder: string): Asked {
  const rows = readFileSync(join(folder, 'vaderSentiment/vader_lexicon.txt'), 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([word = '', rating = '']) => /^[a-z]{4,}$/.test(word) && Math.abs(Number(rating)) >= 1)
    .map(([word = '', rating = ''], index) => {
      const frame = frames[index % frames.length] ?? '$';
      return [frame.replace('$', word), 0, truthOf(Number(rating))] as const;
    });
  const origin = { name: 'rated-words', source: 'vaderSentiment 3.3.2', licence: 'MIT' };
  return { ...origin, kinds: [ways], rows: shuffle(rows, 31) };
}

/** Hand-written verdicts on films, books, rooms and things; every fifth is judged on. */
const readReviews = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(2), line.startsWith('+') ? 1 : 0] as const);

export const trainedReviews = (path: string): Asked => ({
  name: 'reviews',
  source: 'training/decider/reviews.txt',
  licence: 'Nestor’s own',
  kinds: [ways],
  rows: readReviews(path)
    .filter((_, index) => index % 5 !== 2)
    .map(([text, truth]) => [text, 0, truth] as const),
});

export const judgedReviews = (path: string) => ({
  name: 'reviews',
  rows: readReviews(path).filter((_, index) => index % 5 === 2),
});

/** GoEmotions' comments: positive, negative or neither. */
export function readComments(folder: string, count: number): Asked {
  const names = readFileSync(join(folder, 'data/group/labels.txt'), 'utf8').trim().split('\n');
  const truths: Readonly<Record<string, number>> = { positive: 1, negative: 0, neutral: 0.5 };
  const lines = readFileSync(join(folder, 'data/group/train.tsv'), 'utf8').split('\n');
  const rows = shuffle(lines, 11).flatMap((line) => {
    const [text = '', labels = ''] = line.split('\t');
    const truth = truths[names[Number(labels)] ?? ''];
    return labels === '' || truth === undefined ? [] : [[text, 0, truth] as const];
  });
  const of = (truth: number, most: number) => rows.filter((row) => row[2] === truth).slice(0, most);
  return {
    name: 'comments',
    source: 'monologg/GoEmotions-pytorch b75f9d3a8b76',
    licence: 'Apache-2.0 (the repository)',
    kinds: [ways],
    rows: [...of(1, count), ...of(0, count), ...of(0.5, count / 3)],
  };
}
