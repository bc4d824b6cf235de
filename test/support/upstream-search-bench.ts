import assert from 'node:assert/strict';

import {
  noFilters,
  type Filters,
  type Hit,
  type SearchEngine,
  type SearchQuery,
} from '../../src/features/search/engine.ts';
import { openSource, type SourceEntry } from '../../src/features/search/define-source.ts';
import { searchEngines } from '../../src/features/search/engines/index.ts';
import { createManualClock } from './clock.ts';
import type { TestScope } from './server.ts';
import { startUpstream, type Upstream, type UpstreamReply, type UpstreamRequest } from './upstream.ts';
import { openCalls, query } from './upstream-search.ts';
import { hangMs } from './until.ts';

export const engineKey = 'engine-key-0123456789';
export const engineClock = createManualClock(Date.UTC(2026, 10, 20, 12));
export const austria = { country: 'AT', region: null, city: null, latitude: null, longitude: null };
export const filters = (more: Partial<Filters>): Filters => ({ ...noFilters, ...more });

export interface AskedEngine {
  readonly hits: readonly Hit[];
  readonly sent: UpstreamRequest;
  readonly url: URL;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface EngineBench {
  readonly upstream: Upstream;
  /** What the server answers from now on. */
  readonly answer: (reply: (request: UpstreamRequest) => UpstreamReply) => void;
  readonly open: (type: SourceEntry['type']) => SearchEngine;
  /** What one search sends and what comes of it. */
  readonly ask: (type: SourceEntry['type'], reply: unknown, asked?: SearchQuery) => Promise<AskedEngine>;
}

/** A server that any engine may be pointed at. */
export async function startEngineBench(t: TestScope): Promise<EngineBench> {
  const wire: { reply: (request: UpstreamRequest) => UpstreamReply } = { reply: () => ({ json: {} }) };
  const upstream = await startUpstream(t, (request) => wire.reply(request));
  const calls = openCalls(t);
  const open = (type: SourceEntry['type']) =>
    openSource(searchEngines, { type, url: upstream.url, key: engineKey }, { calls, clock: engineClock });
  return {
    upstream,
    answer(reply) {
      wire.reply = reply;
    },
    open,
    async ask(type, reply, asked = query('kea parrot')) {
      wire.reply = () => (typeof reply === 'string' ? { text: reply } : { json: reply });
      const hits = await open(type).search(asked, AbortSignal.timeout(hangMs), '');
      const sent = upstream.requests.at(-1);
      assert.ok(sent);
      const url = new URL(sent.path, upstream.url);
      const body = sent.body as Readonly<Record<string, unknown>>;
      return { hits, sent, url, parameters: Object.fromEntries(url.searchParams), body };
    },
  };
}
