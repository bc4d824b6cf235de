import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { indexDocs } from '../src/corpus/docs.ts';
import { loadConfig } from '../src/config.ts';
import { defaultOptions, sourceId, toSource } from '../src/corpus/source.ts';
import { openIndexTools } from '../src/server/corpus.ts';
import { readDataSets, type Labelled } from '../training/data.ts';
import { docsQuestions } from '../test/search/docs-questions.ts';
import { openTestIndex } from '../test/search/index-support.ts';
import { measureRanking, type RankingMeasures } from '../test/search/ranking.ts';
import { openBenchIndex } from './support/search-index.ts';
import type { Measured } from './support/search-child.ts';
import { printTable, type Row } from './support/table.ts';

const execute = promisify(execFile);
const root = new URL('../', import.meta.url);

/** Peers as they were on 2026-11-20; never a dependency. They lie where nothing is committed. */
const peers = ['minisearch@7.2.0', '@orama/orama@3.1.18'];
const peersFolder = fileURLToPath(new URL('../node_modules/.bench-search', import.meta.url));

/**
 * How fast the index of one's own is beside two libraries, how well it finds what is meant, and how long a large folder
 * takes. `npm run bench search -- [--tree PATH GLOB…] [--sizes 20000,200000] [--data FOLDER]`.
 */
export async function run(): Promise<void> {
  const { tree, globs, sizes, data } = parse(process.argv.slice(3));
  console.log(`${process.version}, ${cpus().length} cores`);
  await benchRanking(data);
  if (tree !== null) await benchTree(tree, globs);
  if (sizes.length > 0) await benchSizes(sizes);
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
  return {
    tree,
    globs,
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
    for (const { name, test } of [banking, clinc]) rows.push(...(await benchIntents(name, test)));
  } else console.log('no intents in the folder of --data; their rows are left out');
  printTable('How well it finds: hit@1, hit@5, MRR', ['', 'queries', 'hit@1', 'hit@5', 'MRR'], rows);
}

/** Each example sentence is a document; the name of an intent is to find one of its own. */
async function benchIntents(name: string, rowsOf: readonly Labelled[]): Promise<Row[]> {
  const examples = rowsOf.map(([text, intent]) => ({ text, intent }));
  const intents = [...new Set(examples.map(({ intent }) => intent))];
  const rows: Row[] = [];
  for (const hasMeaning of [false, true]) {
    const folder = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
    const index = await openBenchIndex(folder, hasMeaning);
    for (let at = 0; at < examples.length; at += 200)
      await index.put(
        examples
          .slice(at, at + 200)
          .map(({ text, intent }, n) => ({ url: `http://h/${intent}/${at + n}`, title: ' ', text })),
      );
    const pairs = intents.map((intent) => [intent.replaceAll('_', ' '), intent] as const);
    const measures = await measureRanking(pairs, async (text) =>
      (await index.urls(text)).map((url) => url.split('/')[3] ?? ''),
    );
    rows.push(toRow(`${name}, ${hasMeaning ? 'with meaning' : 'words alone'}`, pairs.length, measures));
    await index.close();
    await rm(folder, { recursive: true, force: true });
  }
  return rows;
}

function toRow(name: string, count: number, { hit1, hit5, mrr }: RankingMeasures): Row {
  return [name, count, hit1, hit5, mrr];
}

/** A folder of this machine, as `nestor index add` reads it, then again unchanged. */
async function benchTree(tree: string, globs: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const config = loadConfig({ env: { NESTOR_DATA: folder }, cwd: folder });
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
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const startedAt = performance.now();
    const outcome = await tools.refresh(toSource(row), new AbortController().signal, () => {});
    const seconds = (performance.now() - startedAt) / 1_000;
    delay.disable();
    const files = (outcome?.added ?? 0) + (outcome?.unchanged ?? 0) + (outcome?.failed ?? 0);
    rows.push([
      name,
      files,
      outcome?.failed ?? 0,
      seconds,
      files / seconds,
      delay.percentile(99.9) / 1e6,
      delay.max / 1e6,
      process.memoryUsage.rss() / 1e6,
    ]);
  }
  await tools.close();
  await rm(folder, { recursive: true, force: true });
  printTable(
    'A folder',
    ['', 'files', 'unreadable', 's', 'files/s', 'blocked p99.9 ms', 'blocked max ms', 'RSS MB'],
    rows,
  );
}

async function benchSizes(sizes: readonly number[]): Promise<void> {
  await installPeers();
  const engines = ['nestor', 'minisearch', 'orama'];
  for (const size of sizes) {
    const measured: [string, Measured][] = [];
    for (const engine of engines) {
      const result = await measureIn(engine, size);
      if (result !== null) measured.push([engine, result]);
    }
    printTable(
      `${size} documents of 120 words: building`,
      ['', 's', 'index MB', 'RSS MB', 'blocked max ms'],
      measured.map(([name, one]): Row => [name, one.buildS, one.indexMb, one.residentMb, one.buildBlockedMs]),
    );
    const kinds = Object.keys(measured[0]?.[1].latencies ?? {});
    printTable(
      `${size} documents: p50 / p95 of a query in ms`,
      ['', ...kinds, 'blocked max ms', 'idle max ms'],
      measured.map(([name, { latencies, askBlockedMs, idleBlockedMs }]): Row => [
        name,
        ...kinds.map((kind) => {
          const one = latencies[kind] ?? null;
          return one === null ? '-' : `${one.p50.toFixed(2)} / ${one.p95.toFixed(2)}`;
        }),
        askBlockedMs,
        idleBlockedMs,
      ]),
    );
  }
}

async function measureIn(engine: string, size: number): Promise<Measured | null> {
  const folder = await mkdtemp(join(tmpdir(), 'nestor-bench-'));
  const child = fileURLToPath(new URL('./support/search-child.ts', import.meta.url));
  try {
    const args = ['--max-old-space-size=8192', child, engine, String(size), folder, peersFolder];
    const { stdout } = await execute(process.execPath, args, { maxBuffer: 1e7 });
    return JSON.parse(stdout) as Measured;
  } catch (error) {
    console.log(`${engine} at ${size}: ${String(error).split('\n')[0] ?? ''}`);
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
