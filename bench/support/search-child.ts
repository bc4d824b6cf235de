/** One engine of `bench/search.ts` in a process of its own: builds, is asked, and prints what it measured as JSON. */
import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setImmediate as yieldNow, setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { watchLoop, type LoopBlocks } from './loop-watch.ts';
import { documentsOf, filteredDomain, queriesOf, type BenchDocument } from './search-corpus.ts';
import { openBenchIndex } from './search-index.ts';

export interface Measured {
  readonly buildS: number;
  /** On disk; NaN for what has no file. */
  readonly indexMb: number;
  readonly residentMb: number;
  readonly building: LoopBlocks;
  readonly asking: LoopBlocks;
  /** An event loop with nothing to do, for two seconds: what the machine adds. */
  readonly idle: LoopBlocks;
  readonly latencies: Readonly<Record<string, Latency | null>>;
}

interface Latency {
  readonly p50: number;
  readonly p95: number;
  /** Processor time of all threads, which others on the machine do not lengthen. */
  readonly cpuP95: number;
}

interface Engine {
  add(documents: readonly BenchDocument[]): Promise<void> | void;
  /** Null where it has no such query. */
  ask(kind: string, text: string): Promise<number> | number | null;
  file: string | null;
  close(): Promise<void>;
}

const asked = 200;
const batch = 100;
const madeAtOnce = 10;

async function measure(open: () => Promise<Engine>, size: number): Promise<Measured> {
  const engine = await open();
  const buildWatch = watchLoop();
  const startedAt = performance.now();
  let documents: BenchDocument[] = [];
  for (const document of documentsOf(size)) {
    documents.push(document);
    // Making them up is no part of what is measured.
    if (documents.length % madeAtOnce === 0) await yieldNow();
    if (documents.length < batch) continue;
    await engine.add(documents);
    documents = [];
    await yieldNow();
  }
  const buildS = (performance.now() - startedAt) / 1_000;
  const building = buildWatch.close();
  const latencies: Record<string, Latency | null> = {};
  // Once for everything that is loaded at first use.
  await engine.ask('one term', 'warm');
  await yieldNow();
  // Made before it is watched: that is the bench's own time.
  const queries = Object.entries(queriesOf(asked));
  await yieldNow();
  const askWatch = watchLoop();
  for (const [kind, texts] of queries)
    latencies[kind] = await askAll(engine, kind, texts as readonly string[]);
  const asking = askWatch.close();
  const residentMb = process.memoryUsage.rss() / 1e6;
  const idleWatch = watchLoop();
  await pause(2_000);
  const idle = idleWatch.close();
  await engine.close();
  const indexMb = engine.file === null ? Number.NaN : statSync(engine.file).size / 1e6;
  return { buildS, indexMb, residentMb, building, asking, idle, latencies };
}

async function askAll(engine: Engine, kind: string, texts: readonly string[]) {
  const times: number[] = [];
  const computed: number[] = [];
  for (const text of texts) {
    const before = process.cpuUsage();
    const startedAt = performance.now();
    const found = engine.ask(kind, text);
    if (found === null) return null;
    await found;
    times.push(performance.now() - startedAt);
    const { user, system } = process.cpuUsage(before);
    computed.push((user + system) / 1_000);
    await yieldNow();
  }
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95), cpuP95: quantile(computed, 0.95) };
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function openNestor(folder: string): Promise<Engine> {
  const index = await openBenchIndex(folder, true);
  return {
    add: (documents) =>
      index.put(
        documents.map(({ id, title, text, domain }) => ({ url: `http://${domain}/${id}`, title, text })),
      ),
    ask: (kind, text) => index.count(text, kind === 'filtered' ? [filteredDomain] : []),
    file: index.file,
    close: () => index.close(),
  };
}

/** Peers are installed for the bench alone, so they are not there for the type checker. */
async function load(
  folder: string,
  name: string,
): Promise<Record<string, (...values: unknown[]) => unknown>> {
  const path = createRequire(join(folder, 'package.json')).resolve(name);
  return (await import(pathToFileURL(path).href)) as Record<string, (...values: unknown[]) => unknown>;
}

interface MiniSearchIndex {
  addAll(documents: readonly BenchDocument[]): void;
  search(text: string, options: object): readonly unknown[];
}

async function openMiniSearch(peers: string): Promise<Engine> {
  const module = await load(peers, 'minisearch');
  const Index = (module['default'] ?? module['MiniSearch']) as unknown as new (
    options: object,
  ) => MiniSearchIndex;
  const index = new Index({ fields: ['title', 'text'], storeFields: ['title', 'domain'] });
  const isWanted = (result: { readonly domain: string }) => result.domain === filteredDomain;
  return {
    add: (documents) => index.addAll(documents),
    ask: (kind, text) =>
      kind === 'phrase'
        ? null
        : index.search(text, { boost: { title: 2 }, ...(kind === 'filtered' && { filter: isWanted }) })
            .length,
    file: null,
    close: () => Promise.resolve(),
  };
}

async function openOrama(peers: string): Promise<Engine> {
  const orama = await load(peers, '@orama/orama');
  const database = await orama['create']?.({ schema: { title: 'string', text: 'string', domain: 'enum' } });
  return {
    async add(documents) {
      await orama['insertMultiple']?.(
        database,
        documents.map(({ title, text, domain }) => ({ title, text, domain })),
        1_000,
      );
    },
    async ask(kind, term) {
      const where = kind === 'filtered' && { where: { domain: { eq: filteredDomain } } };
      const exact = kind === 'phrase' && { exact: true };
      const query = {
        term: term.replaceAll('"', ''),
        limit: 10,
        threshold: 1,
        boost: { title: 2 },
        ...where,
        ...exact,
      };
      const found = (await orama['search']?.(database, query)) as { readonly count: number };
      return found.count;
    },
    file: null,
    close: () => Promise.resolve(),
  };
}

const [name = '', sizeText = '', folder = '', peers = ''] = process.argv.slice(2);
const engines: Readonly<Record<string, () => Promise<Engine>>> = {
  nestor: () => openNestor(folder),
  minisearch: () => openMiniSearch(peers),
  orama: () => openOrama(peers),
};
const open = engines[name];
if (open === undefined) throw new Error(`no engine ${name}`);
process.stdout.write(`${JSON.stringify(await measure(open, Number(sizeText)))}\n`);
