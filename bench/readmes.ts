import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { EmbeddingEngine } from '../src/features/embeddings/embedding.ts';
import { openEncoderEngine } from '../src/features/embeddings/engines/encoder/index.ts';
import { toEmbedder } from '../src/features/index/to-document.ts';
import { shareEncoder } from '../src/features/models/encoder.ts';
import { passagesPerDocument } from '../src/kernel/store/index-documents.ts';
import type { TestIndex } from '../test/search/index-support.ts';
import { measureRanking } from '../test/search/ranking.ts';
import { openReadmeIndex, toPackage } from '../test/search/readme-index.ts';
import {
  heldOutQuestions,
  readmePackages,
  searches,
  tuningQuestions,
  type ReadmeQuestion,
} from '../test/search/readme-questions.ts';
import { createBm25 } from './support/bm25.ts';
import { keepVectors } from './support/kept-vectors.ts';
import { printTable, type Row } from './support/table.ts';

/** Where vectors are kept, which take minutes to compute. */
const folder = process.argv[3] ?? join(tmpdir(), 'nestor-bench-readmes');
/** The other half of the questions is measured when a choice is made, and not before. */
const isFinal = process.argv[4] === 'held-out';
const { signal } = new AbortController();

type Find = (question: string) => Promise<readonly string[]>;

/**
 * How well the READMEs of 200 packages are found by questions that do not name them: BM25 over passages, the index
 * with each engine of embeddings, and the likeness by the encoder alone. `npm run bench readmes [FOLDER [held-out]]`.
 */
export async function run(): Promise<void> {
  const closers: (() => unknown)[] = [];
  const scope = { after: (close: () => unknown) => void closers.unshift(close) };
  const encoder = keepVectors(await openEncoderEngine(shareEncoder()), folder);
  scope.after(() => encoder.close());
  const words = await openReadmeIndex(scope);
  const meaning = await openReadmeIndex(scope, encoder);
  const passages = await passagesOf(words);
  const finders: readonly (readonly [string, Find])[] = [
    ['BM25 over passages', byBm25(passages)],
    ['index, words alone', async (text) => (await words.urlsByWords(text)).map(toPackage)],
    ['index with words', async (text) => (await words.urls(text)).map(toPackage)],
    ['index with the encoder', async (text) => (await meaning.urls(text)).map(toPackage)],
    ['encoder alone', await byLikeness(passages, encoder)],
  ];
  await print('for tuning', tuningQuestions, finders);
  await print('searches, looked at as well', searches, finders);
  if (isFinal) await print('held out', heldOutQuestions, finders);
  for (const close of closers) await close();
}

async function print(
  title: string,
  questions: readonly ReadmeQuestion[],
  finders: readonly (readonly [string, Find])[],
): Promise<void> {
  const rows: Row[] = [];
  for (const [name, find] of finders) {
    const { hit1, hit5, mrr } = await measureRanking(questions, find);
    rows.push([name, hit1, hit5, mrr]);
  }
  printTable(`${questions.length} questions, ${title}`, ['', 'hit@1', 'hit@5', 'MRR'], rows);
}

interface Passage {
  readonly name: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

/** In the order of the index, whose documents have the numbers from 1 on. */
async function passagesOf({ parts }: TestIndex): Promise<readonly Passage[]> {
  const ids = readmePackages.map((_, place) => place + 1);
  const passages: Passage[] = [];
  for (const { id, url, title } of await parts.corpus.readDocuments(ids))
    for (const { heading, text } of await parts.vectors.passages(id))
      passages.push({ name: toPackage(url), title, heading, text });
  if (passages.length > readmePackages.length * passagesPerDocument) throw new Error('too many passages');
  return passages;
}

function byBm25(passages: readonly Passage[]): Find {
  const score = createBm25(passages.map(({ title, heading, text }) => [title, heading, text].join('\n')));
  return (question) => Promise.resolve(ranked(passages, score(question)));
}

async function byLikeness(passages: readonly Passage[], engine: EmbeddingEngine): Promise<Find> {
  const dimensions = engine.storedDimensions ?? 1_024;
  const vectors = await toEmbedder(engine).embedPassages(passages, signal);
  return async (question) => {
    const [query = new Float32Array()] = await engine.embed([question], 1024, signal);
    return ranked(
      passages,
      vectors.map((vector) => nearest(query, vector, dimensions)),
    );
  };
}

/** The best of the windows of a passage; vectors have the length 1. */
function nearest(query: Float32Array, vector: Float32Array, dimensions: number): number {
  let best = -1;
  for (let at = 0; at < vector.length; at += dimensions) {
    let product = 0;
    for (let i = 0; i < dimensions; i++) product += (query[i] ?? 0) * (vector[at + i] ?? 0);
    best = Math.max(best, product);
  }
  return best;
}

/** Packages by their best passage. */
function ranked(passages: readonly Passage[], scores: readonly number[]): readonly string[] {
  const order = passages.map((_, place) => place).toSorted((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  return [...new Set(order.map((place) => passages[place]?.name ?? ''))];
}
