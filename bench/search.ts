import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { indexDocs } from '../src/features/index/docs.ts';
import { configuration } from '../src/configuration.ts';
import { defaultOptions, sourceId, toSource } from '../src/features/index/source.ts';
import { openIndexTools } from '../src/features/index/open-index.ts';
import { readDataSets, type DataSet } from '../training/data.ts';
import { docsQuestions } from '../test/search/asked-questions.ts';
import { openTestIndex } from '../test/search/index-support.ts';
import {
  compareOnIntents,
  deal,
  measureRanking,
  pool,
  type RankingComparison,
  type RankingMeasures,
} from '../test/search/ranking.ts';
import { watchLoop, type LoopBlocks } from './support/loop-watch.ts';
import type { Measured } from './support/search-child.ts';
import { printTable, type Row } from './support/table.ts';

const execute = promisify(execFile);
const root = new URL('../', import.meta.url);

/** Peers as they were on 2026-11-20; never a dependency. They lie where nothing is committed. */
const peers = ['minisearch@7.2.0', '@orama/orama@3.1.18'];
const peersFolder = fileURLToPath(new URL('../node_modules/.bench-search', import.meta.url));

/**
 * How fast the index of one's own is beside two libraries, how well it finds what is meant, and how long a large folder
 * takes. `npm run bench search -- [--tree PATH GLOB…] [--sizes 20000,200000] [--only nestor,minisearch,orama]
 * [--data FOLDER]`; with `--only` how well it finds is left out.
 */
export async function run(): Promise<void> {
  const { tree, globs, sizes, only, data } = parse(process.argv.slice(3));
  console.log(`${process.version}, ${cpus().length} cores`);
  if (only === null) await benchRanking(data);
  if (tree !== null) await benchTree(tree, globs);
  if (sizes.length > 0) await benchSizes(sizes, only ?? engineNames);
}

function parse(argv: readonly string[]) {
  const after = (name: string): readonly string[] => {
    const at = argv.indexOf(name);
    if (at < 0) return [];
    const end = argv.findIndex((word, index) => index > at && word.startsWith('--'));
    return argv.slice(at + 1, end < 0 ? argv.length : end);
  };
  const [tree = null, ...globs] = after('--tree');
  const [sizes = '20000,200000'] = after('--sizes');
  const [data = '../shared/data'] = after('--data');
  const [only] = after('--only');
  return {
    tree,
    globs,
    only: only?.split(',') ?? null,
    sizes: sizes
      .split(',')
      .map(Number)
      .filter((size) => size > 0),
    data: resolve(data),
  };
}

async function benchRanking(data: string): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  const index = await openTestIndex({ after: (close) => void closers.push(close) });
  const base = 'http://h';
  await indexDocs(index.parts, { root, base }, new AbortController().signal);
  const pages = (urls: readonly string[]) => urls.map((url) => url.slice('http://h/docs/'.length));
  const rows: Row[] = [
    toRow(
      'docs, words alone',
      docsQuestions.length,
      await measureRanking(docsQuestions, async (text) => pages(await index.urlsByWords(text))),
    ),
    toRow(
      'docs, with meaning',
      docsQuestions.length,
      await measureRanking(docsQuestions, async (text) => pages(await index.urls(text))),
    ),
  ];
  for (const close of closers.toReversed()) await close();
  if (existsSync(join(data, 'banking77'))) {
    const { banking, clinc } = readDataSets(data);
    for (const set of [banking, clinc]) rows.push(...(await benchIntents(set)));
  } else console.log('no intents in the folder of --data; their rows are left out');
  printTable('How well it finds: hit@1, hit@5, MRR', ['', 'queries', 'hit@1', 'hit@5', 'MRR'], rows);
}

/** Names of intents against the messages of the test part, and against those and four deals of the training part. */
async function benchIntents({ name, train, test }: DataSet): Promise<Row[]> {
  const compared: RankingComparison[] = [];
  for (const examples of [test, ...deal(train, 4)]) {
    const closers: (() => Promise<unknown> | void)[] = [];
    compared.push(await compareOnIntents({ after: (close) => void closers.push(close) }, examples));
    for (const close of closers.toReversed()) await close();
  }
  const parts: readonly (readonly [string, RankingComparison])[] = [
    [name, pool(compared.slice(0, 1))],
    [`${name}, five sets`, pool(compared)],
  ];
  return parts.flatMap(([part, { queries, words, meaning }]) => [
    toRow(`${part}, words alone`, queries, words),
    toRow(`${part}, with meaning`, queries, meaning),
  ]);
}

function toRow(name: string, count: number, { hit1, hit5, mrr }: RankingMeasures): Row {
  return [name, count, hit1, hit5, mrr];
}

/** A folder of this machine, as `nestor index add` reads it, then again unchanged. */
async function benchTree(tree: string, globs: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const config = configuration.load({ env: { NESTOR_DATA: folder }, cwd: folder });
  const tools = await openIndexTools(config);
  const location = resolve(tree);
  const row = await tools.sources.ensure({
    id: sourceId(location),
    kind: 'folder',
    location,
    options: JSON.stringify({ ...defaultOptions, include: globs }),
    everyMs: null,
    addedAtMs: 0,
  });
  const rows: Row[] = [];
  for (const name of ['first', 'again, unchanged']) {
    const watch = watchLoop();
    const startedAt = performance.now();
    const outcome = await tools.refresh(toSource(row), new AbortController().signal, () => {});
    const seconds = (performance.now() - startedAt) / 1_000;
    const blocks = watch.close();
    const files = (outcome?.added ?? 0) + (outcome?.unchanged ?? 0) + (outcome?.failed ?? 0);
    rows.push([
      name,
      files,
      outcome?.failed ?? 0,
      seconds,
      files / seconds,
      blocks.p999Ms,
      ...blockedOf(blocks),
      process.memoryUsage.rss() / 1e6,
    ]);
  }
  await tools.close();
  await rm(folder, { recursive: true, force: true });
  printTable(
    'A folder',
    ['', 'files', 'unreadable', 's', 'files/s', 'blocked p99.9 ms', ...blockedHeads(''), 'RSS MB'],
    rows,
  );
}

/** Orama had not answered its queries over 200,000 documents after 14 minutes. */
const engineTimeoutMs = 900_000;

const engineNames = ['nestor', 'minisearch', 'orama'];

async function benchSizes(sizes: readonly number[], engines: readonly string[]): Promise<void> {
  if (engines.some((engine) => engine !== 'nestor')) await installPeers();
  for (const size of sizes) {
    const measured: [string, Measured][] = [];
    for (const engine of engines) {
      const result = await measureIn(engine, size);
      if (result !== null) measured.push([engine, result]);
    }
    printTable(
      `${size} documents of 120 words: building`,
      ['', 's', 'index MB', 'RSS MB', ...blockedHeads('')],
      measured.map(([name, one]): Row => [
        name,
        one.buildS,
        one.indexMb,
        one.residentMb,
        ...blockedOf(one.building),
      ]),
    );
    const kinds = Object.keys(measured[0]?.[1].latencies ?? {});
    printTable(
      `${size} documents: p50 / p95 of a query in ms, and p95 of its processor time`,
      ['', ...kinds, ...blockedHeads(''), ...blockedHeads('idle ')],
      measured.map(([name, { latencies, asking, idle }]): Row => [
        name,
        ...kinds.map((kind) => {
          const one = latencies[kind] ?? null;
          return one === null
            ? '-'
            : `${one.p50.toFixed(2)} / ${one.p95.toFixed(2)}, ${one.cpuP95.toFixed(2)}`;
        }),
        ...blockedOf(asking),
        ...blockedOf(idle),
      ]),
    );
  }
}

function blockedHeads(when: string): readonly string[] {
  return [`${when}blocked max ms`, `${when}by itself`];
}

function blockedOf({ maxMs, ownMaxMs }: LoopBlocks): readonly number[] {
  return [maxMs, ownMaxMs];
}

async function measureIn(engine: string, size: number): Promise<Measured | null> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const child = fileURLToPath(new URL('./support/search-child.ts', import.meta.url));
  try {
    const args = ['--max-old-space-size=8192', child, engine, String(size), folder, peersFolder];
    const { stdout } = await execute(process.execPath, args, { maxBuffer: 1e7, timeout: engineTimeoutMs });
    return JSON.parse(stdout) as Measured;
  } catch (error) {
    const isLate = error instanceof Error && Reflect.get(error, 'killed') === true;
    const reason = isLate
      ? `not done after ${engineTimeoutMs / 60_000} minutes`
      : String(error).split('\n', 1)[0];
    console.log(`${engine} at ${size}: ${reason}`);
    return null;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function installPeers(): Promise<void> {
  if (peers.every((peer) => existsSync(join(peersFolder, 'node_modules', peer.replace(/@[^@]+$/, '')))))
    return;
  await mkdir(peersFolder, { recursive: true });
  await writeFile(join(peersFolder, 'package.json'), '{"private":true}\n');
  await execute('npm', ['install', '--prefix', peersFolder, '--no-audit', '--no-fund', ...peers]);
}
