import { join } from 'node:path';
import { setImmediate as yieldNow } from 'node:timers/promises';

import { hashOf } from '../../src/features/index/to-document.ts';
import { openWordsEngine } from '../../src/features/embeddings/engines/words/index.ts';
import { noFilters } from '../../src/features/search/engine.ts';
import { openCorpusEngine } from '../../src/features/search/engines/corpus/index.ts';
import type { Page } from '../../src/features/search/page.ts';
import { openMaker } from '../../src/features/index/open-index.ts';
import { createCandidateFinder } from '../../src/features/search/corpus/find.ts';
import { CorpusSources } from '../../src/features/index/store/sources.ts';
import { Corpus } from '../../src/features/search/corpus/corpus.ts';
import type { NewDocument } from '../../src/features/search/corpus/document.ts';
import { openDatabase } from '../../src/kernel/store/database.ts';

export interface BenchIndex {
  readonly file: string;
  put(
    documents: readonly { readonly url: string; readonly title: string; readonly text: string }[],
  ): Promise<void>;
  urls(text: string, hitsMax?: number, allowDomains?: readonly string[]): Promise<readonly string[]>;
  count(text: string, allowDomains: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

const source = 'bench';
const madeTogether = 24;
const { signal } = new AbortController();

/** The index as a server has it, in a store of its own. */
export async function openBenchIndex(folder: string, hasMeaning: boolean): Promise<BenchIndex> {
  const database = await openDatabase('sqlite', { dataFolder: folder });
  const embeddings = await openWordsEngine();
  const corpus = new Corpus(database.db, database.reader);
  const maker = openMaker(embeddings);
  await new CorpusSources(database.db).ensure({
    id: source,
    kind: 'web',
    location: source,
    options: '{}',
    everyMs: null,
    addedAtMs: 0,
  });
  const engine = openCorpusEngine({
    corpus,
    finder: createCandidateFinder(database.reader, () => Date.now()),
    embedder: hasMeaning
      ? {
          name: embeddings.name,
          embedQuery: async (text) =>
            (await embeddings.embed([text], 1024, signal))[0] ?? new Float32Array(1024),
        }
      : null,
    meaningTimeoutMs: 60_000,
    nowMs: () => Date.now(),
  });
  const urls: BenchIndex['urls'] = async (text, hitsMax = 10, allowDomains = []) => {
    const filters = { ...noFilters, allowDomains };
    const hits = await engine.search(
      { text, kind: 'web', filters, place: null, safe: true, hitsMax },
      signal,
      '',
    );
    return hits.map(({ url }) => url);
  };
  return {
    file: join(folder, 'nestor.db'),
    async put(documents) {
      const made: NewDocument[] = [];
      // Together as many as a folder's files are under way; the hash and the page are what reading them would cost.
      for (let at = 0; at < documents.length; at += madeTogether) {
        const group = documents.slice(at, at + madeTogether).map(async ({ url, title, text }) => {
          await yieldNow();
          const origin = {
            sourceId: source,
            url,
            hash: hashOf(text),
            etag: null,
            lastModified: null,
            fetchedAtMs: 1,
          };
          return maker.toDocument(toPage(url, title, text), origin, signal);
        });
        made.push(...(await Promise.all(group)));
      }
      await corpus.put(made);
    },
    urls,
    count: async (text, allowDomains) => (await urls(text, 10, allowDomains)).length,
    async close() {
      await maker.close();
      await database.close();
    },
  };
}

function toPage(url: string, title: string, text: string): Page {
  return {
    url, canonicalUrl: url, title, text, language: 'en', date: null, lastUpdated: null, links: [], images: [],
    siteName: null, robots: { index: true, follow: true }, truncated: false, listing: null,
  }; // prettier-ignore
}
