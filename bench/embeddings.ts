import { availableParallelism } from 'node:os';
import { encode, type EmbeddingEncoding } from '../src/features/embeddings/encode.ts';
import type { EmbeddingEngine, EmbeddingSize } from '../src/features/embeddings/embedding.ts';
import { openWordsEngine } from '../src/features/embeddings/engines/words/index.ts';
import type { OpenedEmbeddingEngine } from '../src/features/embeddings/define-engine.ts';
import { openEncoderEngine } from '../src/features/embeddings/engines/encoder/index.ts';
import { openLocalEngine } from '../src/features/embeddings/engines/local/index.ts';
import { shareEncoder } from '../src/features/models/encoder.ts';
import { loadWordVectors } from '../src/kernel/kit/word-vectors.ts';
import { createBm25 } from './support/bm25.ts';
import { pick, readIntents, type IntentSet, type Sentence } from './support/intents.ts';
import { printTable, type Row } from './support/table.ts';

/** A folder with `banking77` and `clinc150`. */
const dataFolder = process.argv[3] ?? process.env['NESTOR_BENCH_DATA'];
/** `encoder`, or a GGUF embedding model, in place of the word vectors. */
const modelPath = process.argv[4];
const { signal } = new AbortController();

/**
 * Embeddings: how many texts a second on one core, and how well vectors of each form find messages of the same intent,
 * beside BM25. `npm run bench embeddings FOLDER [encoder|MODEL.gguf]`; without a folder only the speed.
 */
export async function run(): Promise<void> {
  console.log(`${process.version}, ${availableParallelism()} cores`);
  const engine = await openEngine();
  if (engine.problem) throw new Error(engine.problem);
  await benchSpeed(engine, modelPath === undefined ? 512 : 16);
  const sets = dataFolder === undefined ? null : readIntents(dataFolder);
  if (sets === null) console.log('\nRetrieval left out: name a folder that has banking77 and clinc150.');
  else for (const set of sets) await benchRetrieval(engine, set);
  await engine.close();
}

function openEngine(): Promise<OpenedEmbeddingEngine> {
  if (modelPath === undefined) return openWordsEngine();
  if (modelPath === 'encoder') return openEncoderEngine(shareEncoder());
  return openLocalEngine({ path: modelPath, dataFolder: '.' });
}

async function benchSpeed(engine: EmbeddingEngine, count: number): Promise<void> {
  const texts = textsOf(count, 200);
  const embed = (size: EmbeddingSize) => engine.embed(texts, size, signal);
  const request = async () => {
    await engine.countTokens(texts, signal);
    return (await embed(1024)).map((vector) => encode(vector, 1024, 'base64_int8'));
  };
  const rows = [
    await speedOf('count tokens', count, () => engine.countTokens(texts, signal)),
    await speedOf('embed, 1024', count, () => embed(1024)),
    await speedOf('embed, 2560', count, () => embed(2560)),
    await speedOf('count, embed, encode', count, request),
  ];
  printTable(`${engine.name}: ${count} texts of 200 words`, ['', 'texts/s of a core', 'best'], rows);
}

/** Median and best of rounds, by processor time, which other programs on the machine disturb least. */
async function speedOf(what: string, count: number, work: () => Promise<unknown>): Promise<Row> {
  const times: number[] = [];
  const end = performance.now() + 3_000;
  while (times.length < 5 || performance.now() < end) {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    times.push(user + system);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const perSecond = (us = Number.NaN) => (count / us) * 1e6;
  return [what, perSecond(sorted[sorted.length >> 1]), perSecond(sorted[0])];
}

/** Words as often as language has them: by Zipf's law, among the 30,000 commonest. */
function textsOf(count: number, words: number): readonly string[] {
  const vectors = loadWordVectors();
  let state = 1;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const word = () => vectors.wordAt(Math.floor(30_000 ** random()) - 1);
  return Array.from({ length: count }, () => Array.from({ length: words }, word).join(' '));
}

const forms: readonly (readonly [number, EmbeddingEncoding])[] = [
  [1024, 'base64_int8'],
  [512, 'base64_int8'],
  [384, 'base64_int8'],
  [128, 'base64_int8'],
  [1024, 'base64_binary'],
  [512, 'base64_binary'],
  [384, 'base64_binary'],
  [128, 'base64_binary'],
];

/** Each message of the test part searches 20 of each intent of the training part. Only intents nothing was chosen by. */
async function benchRetrieval(engine: EmbeddingEngine, { name, train, test }: IntentSet): Promise<void> {
  const corpus = pick(train, 1, 20);
  const queries = pick(test, 1, Number.POSITIVE_INFINITY);
  const bm25 = createBm25(corpus.map(({ text }) => text));
  const rows: Row[] = [['BM25', ...quality(corpus, queries, (query) => bm25(query.text))]];
  const vectors = async (sentences: readonly Sentence[]) =>
    engine.embed(
      sentences.map(({ text }) => text),
      1024,
      signal,
    );
  const [corpusVectors, queryVectors] = [await vectors(corpus), await vectors(queries)];
  for (const [dimensions, encoding] of forms) {
    const read = (vector: Float32Array) => decode(encode(vector, dimensions, encoding), encoding);
    const known = corpusVectors.map(read);
    const scores = (_: Sentence, place: number) => {
      const query = read(queryVectors[place] ?? new Float32Array(1024));
      return known.map((vector) => dot(vector, query));
    };
    rows.push([`${dimensions}, ${encoding}`, ...quality(corpus, queries, scores)]);
  }
  printTable(
    `${name}: ${queries.length} messages search ${corpus.length}`,
    ['', 'hit@1', 'hit@5', 'MRR'],
    rows,
  );
}

/** As a client reads it: bytes by cosine; bits as plus and minus one, whose product falls as their distance grows. */
function decode(text: string, encoding: EmbeddingEncoding): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  if (encoding === 'base64_binary')
    return Float32Array.from({ length: bytes.length * 8 }, (_, bit) =>
      (bytes[bit >> 3] ?? 0) & (0x80 >> (bit & 7)) ? 1 : -1,
    );
  const values = Float32Array.from(new Int8Array(bytes));
  const length = Math.sqrt(dot(values, values));
  return length === 0 ? values : values.map((value) => value / length);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Share of queries whose best, or best five, holds one of their intent; mean of one over its rank. */
function quality(
  corpus: readonly Sentence[],
  queries: readonly Sentence[],
  scoresOf: (query: Sentence, place: number) => readonly number[],
): readonly [number, number, number] {
  const ranks = queries.map((query, place) => rankOf(corpus, query, scoresOf(query, place)));
  const share = (most: number) => ranks.filter((rank) => rank <= most).length / ranks.length;
  return [share(1), share(5), ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length];
}

/** Ties count against: what stands above the best of the intent or beside it comes first. */
function rankOf(corpus: readonly Sentence[], { intent }: Sentence, scores: readonly number[]): number {
  let best = Number.NEGATIVE_INFINITY;
  for (const [place, score] of scores.entries())
    if (corpus[place]?.intent === intent && score > best) best = score;
  let rank = 1;
  for (const [place, score] of scores.entries())
    if (corpus[place]?.intent !== intent && score >= best) rank++;
  return rank;
}
