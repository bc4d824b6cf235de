import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';

import { openWordsEngine } from '../src/features/embeddings/engines/words/index.ts';
import { toEmbedder, toStoredVector } from '../src/features/index/to-document.ts';
import { CorpusSources } from '../src/features/index/store/sources.ts';
import { noFilters } from '../src/features/search/engine.ts';
import type { CandidateOptions } from '../src/features/search/corpus/candidates.ts';
import { Corpus } from '../src/features/search/corpus/corpus.ts';
import type { NewDocument } from '../src/features/search/corpus/document.ts';
import { createCandidateFinder } from '../src/features/search/corpus/find.ts';
import { tendNearest } from '../src/features/search/corpus/nearest-index.ts';
import { openDatabase, type Database } from '../src/kernel/store/database.ts';
import { openReadmeIndex } from '../test/search/readme-index.ts';
import { readmePackages } from '../test/search/readme-questions.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { createGenerator, queriesOf } from './support/search-corpus.ts';
import { printTable, type Row } from './support/table.ts';

const dimensions = 256;
const passagesEach = 20;
const wordsEach = 60;
const documentsAtOnce = 50;
const asked = 200;
/** Of these the ten nearest are looked for among all vectors. */
const compared = 40;
const source = 'bench';
const { signal } = new AbortController();

/**
 * How the index bears many passages on each store: `npm run bench vectors -- [--sizes 100000,1000000] [--only
 * postgres,sqlite]`. Texts are made up of words as frequent as those of a language; vectors are those of README files, each
 * time with noise. PostgreSQL is that of `NESTOR_TEST_PGVECTOR`, without fsync, with 2 GB of shared buffers. Recall is the
 * share of the ten nearest of all vectors that are among the candidates which the store hands on to be ranked.
 */
export async function run(): Promise<void> {
  const after = (name: string) => process.argv[process.argv.indexOf(name, 3) + 1] ?? '';
  const has = (name: string) => process.argv.indexOf(name, 3) > 0;
  const sizes = (has('--sizes') ? after('--sizes') : '100000').split(',').map(Number);
  const stores = (has('--only') ? after('--only') : 'sqlite,postgres').split(',');
  const base = await readmeVectors();
  const rows: Row[] = [];
  for (const size of sizes)
    for (const store of stores)
      rows.push(await measure(store, size, base).catch((error: unknown) => [store, size, String(error)]));
  printTable(
    `${process.version}, ${cpus().length} cores, load ${loadavg()
      .map((one) => one.toFixed(1))
      .join(' ')}`,
    [
      'store',
      'passages',
      'load s',
      'vectors s',
      'MB',
      'recall@10',
      'words p50/p95 ms',
      'meaning p50/p95 ms',
      'domain p50/p95 ms',
    ],
    rows,
  );
}

/** Of the passages of 200 README files, by the embedded engine. */
async function readmeVectors(): Promise<readonly Int8Array[]> {
  const closers: (() => unknown)[] = [];
  const index = await openReadmeIndex({ after: (close: () => unknown) => void closers.unshift(close) });
  const embedder = toEmbedder(await openWordsEngine());
  const vectors: Int8Array[] = [];
  for (let id = 1; id <= readmePackages.length; id++) {
    const passages = (await index.parts.vectors.passages(id)).map(({ heading, text }) => ({
      title: '',
      heading,
      text,
    }));
    for (const vector of await embedder.embedPassages(passages, signal))
      vectors.push(new Int8Array(toStoredVector(vector).buffer));
  }
  for (const close of closers) await close();
  return vectors.filter((vector) => vector.length === dimensions && vector.some((value) => value !== 0));
}

/** In [0, 1): the same for a seed. */
function randomFrom(seed: number): () => number {
  let state = Math.imul(seed, 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Made {
  readonly vector: (n: number) => Uint8Array;
  readonly documents: (size: number) => Generator<NewDocument>;
}

function maker(base: readonly Int8Array[]): Made {
  const vector = (n: number): Uint8Array => {
    const next = randomFrom(n + 1);
    const from = base[Math.floor(next() * base.length)] ?? new Int8Array(dimensions);
    const values = Float32Array.from(from, (value) => value + (next() + next() + next() - 1.5) * 40);
    return toStoredVector(values);
  };
  return {
    vector,
    *documents(size) {
      const generator = createGenerator();
      const word = () => generator.word();
      for (let at = 0; at < size / passagesEach; at++) {
        const passages = Array.from({ length: passagesEach }, (_, place) => {
          const text = Array.from({ length: wordsEach }, word).join(' ');
          const n = at * passagesEach + place;
          return {
            heading: '',
            text,
            startAt: place * 1_000,
            vector: vector(n),
            words: { heading: '', text },
          };
        });
        const title = `${word()} ${word()} ${word()}`;
        yield {
          sourceId: source, url: `http://d${at % 50}.example.com/${at}`, domain: `d${at % 50}.example.com`, title, headings: '',
          language: 'en', date: null, lastUpdated: null, hash: '', textHash: String(at), etag: null, lastModified: null,
          embeddedBy: 'words', fetchedAtMs: 1, passages, words: { title, headings: '' },
        }; // prettier-ignore
      }
    },
  };
}

async function measure(store: string, size: number, base: readonly Int8Array[]): Promise<Row> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-bench-vectors-'));
  const server =
    store === 'postgres'
      ? await startPostgres({
          hasVectors: true,
          settings: ['shared_buffers=2GB', 'max_wal_size=8GB', 'checkpoint_timeout=30min'],
        })
      : null;
  const database = await openDatabase((await server?.createDatabase()) ?? 'sqlite', {
    dataFolder: folder,
    isBulk: true,
  });
  try {
    const made = maker(base);
    const loadS = await load(database, made.documents(size));
    const vectorsS = await prepare(database);
    const diskMb =
      database.store === 'postgres'
        ? await databaseMb(database)
        : statSync(join(folder, 'nestor.db')).size / 1e6;
    return [store, size, loadS, vectorsS, diskMb, ...(await ask(database, made, size))];
  } finally {
    await database.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function load(database: Database, documents: Generator<NewDocument>): Promise<number> {
  const corpus = new Corpus(database.db);
  await new CorpusSources(database.db).ensure({
    id: source,
    kind: 'web',
    location: source,
    options: '{}',
    everyMs: null,
    addedAtMs: 0,
  });
  const startedAt = performance.now();
  let batch: NewDocument[] = [];
  for (const document of documents) {
    batch.push(document);
    if (batch.length < documentsAtOnce) continue;
    await corpus.put(batch);
    batch = [];
  }
  await corpus.put(batch);
  return (performance.now() - startedAt) / 1_000;
}

/** Copying the vectors and building HNSW, after everything is there. */
async function prepare(database: Database): Promise<number> {
  if (database.postgres === null) return 0;
  const startedAt = performance.now();
  await sql`vacuum analyze`.execute(database.db);
  await tendNearest(
    database.postgres,
    { embeddedBy: 'words', dimensions },
    { log: { info: () => {} }, signal },
  );
  return (performance.now() - startedAt) / 1_000;
}

async function databaseMb({ db }: Database): Promise<number> {
  const { rows } = await sql<{
    n: number;
  }>`select (pg_database_size(current_database()) / 1e6)::float8 as n`.execute(db);
  return rows[0]?.n ?? Number.NaN;
}

async function ask({ reader }: Database, made: Made, size: number): Promise<Row> {
  const finder = createCandidateFinder(reader, () => performance.now());
  const texts = queriesOf(asked)['three terms, OR'];
  // Behind those of the index, so none of them is one of its own.
  const queries = texts.map((text, at) => ({ text, vector: new Int8Array(made.vector(size + at).buffer) }));
  const find = (at: number, over: Partial<CandidateOptions>) =>
    finder.find(queries[at]?.text ?? '', { ...everything, ...over });
  const meant = (at: number) => ({
    meaning: Promise.resolve({ values: Float32Array.from(queries[at]?.vector ?? []), embeddedBy: 'words' }),
  });
  const time = async (over: (at: number) => Partial<CandidateOptions>) => {
    const times: number[] = [];
    for (const round of [0, 1])
      for (const at of queries.keys()) {
        const startedAt = performance.now();
        await find(at, over(at));
        if (round > 0) times.push(performance.now() - startedAt);
      }
    times.sort((a, b) => a - b);
    return `${times[Math.floor(asked * 0.5)]?.toFixed(1)} / ${times[Math.floor(asked * 0.95)]?.toFixed(1)}`;
  };
  const exact = nearestOf(
    made,
    size,
    queries.slice(0, compared).map(({ vector }) => vector),
  );
  let known = 0;
  for (const [at, ids] of exact.entries()) {
    const found = new Set((await find(at, meant(at))).passages.map(({ id }) => id));
    known += ids.filter((n) => found.has(toId(n))).length;
  }
  const words = await time(() => ({}));
  const meaning = await time(meant);
  const domain = await time((at) => ({ ...meant(at), allowDomains: ['d7.example.com'] }));
  return [known / (compared * 10), words, meaning, domain];
}

const toId = (n: number): number => (Math.floor(n / passagesEach) + 1) * 1_024 + (n % passagesEach);

const everything: CandidateOptions = {
  ...noFilters,
  dates: { publishedAfter: null, publishedBefore: null, updatedAfter: null, updatedBefore: null },
  accountId: '',
  passagesMax: 60,
};

/** The ten nearest to each query among all vectors, by their number. */
function nearestOf(
  { vector }: Made,
  size: number,
  queries: readonly Int8Array[],
): readonly (readonly number[])[] {
  const best = queries.map((): { n: number; cosine: number }[] => []);
  for (let n = 0; n < size; n++) {
    const other = new Int8Array(vector(n).buffer);
    const length = Math.sqrt(other.reduce((sum, value) => sum + value * value, 0));
    for (const [at, query] of queries.entries()) {
      let product = 0;
      for (let i = 0; i < dimensions; i++) product += (query[i] ?? 0) * (other[i] ?? 0);
      const own = best[at] ?? [];
      const cosine = product / length;
      if (own.length === 10 && cosine <= (own[9]?.cosine ?? 0)) continue;
      own.push({ n, cosine });
      own.sort((a, b) => b.cosine - a.cosine);
      own.length = Math.min(10, own.length);
    }
  }
  return best.map((own) => own.map(({ n }) => n));
}
