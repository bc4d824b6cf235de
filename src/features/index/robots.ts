import { setTimeout as pause } from 'node:timers/promises';

import { PageError, isAllowed } from '../search/feature.ts';
import type { IndexingContext } from './context.ts';

const robotsBytesMax = 524_288;
/** What a site asks for beyond this is not waited for. Unit: ms. */
const delayMaxMs = 30_000;

interface SiteRules {
  isAllowed(url: string): boolean;
  readonly sitemaps: readonly string[];
  /** Between two requests. Unit: ms; 0 where the site asks for none. */
  readonly delayMs: number;
  /** Why the rules could not be read, which says nothing of the pages; null where they were, or are not there. */
  readonly failure: string | null;
}

const everything: SiteRules = { isAllowed: () => true, sitemaps: [], delayMs: 0, failure: null };

export type PoliteClient = ReturnType<typeof createPoliteClient>;

/** What sites allow and how often, for one crawl. Rules that cannot be fetched allow nothing, rules that are not there everything. */
export function createPoliteClient({
  client,
  reader,
  userAgent,
  delayMs,
  clock,
}: Pick<IndexingContext, 'client' | 'reader' | 'userAgent' | 'delayMs' | 'clock'>) {
  const rules = new Map<string, Promise<SiteRules>>();
  const freeAtMs = new Map<string, number>();

  async function turn(origin: string, waitMs: number, signal: AbortSignal): Promise<void> {
    const nowMs = clock.monotonic();
    const startMs = Math.max(nowMs, freeAtMs.get(origin) ?? 0);
    freeAtMs.set(origin, startMs + waitMs);
    if (startMs > nowMs) await pause(startMs - nowMs, undefined, { signal });
  }

  async function fetchRules(origin: string, signal: AbortSignal): Promise<SiteRules> {
    await turn(origin, delayMs, signal);
    const url = `${origin}/robots.txt`;
    const answer = await client.fetch(url, { signal, bytesMax: robotsBytesMax, accept: ['text/*'] });
    if (!answer.ok) {
      const isAbsent =
        answer.reason === 'type' || (answer.status !== null && answer.status >= 400 && answer.status < 500);
      if (isAbsent) return everything;
      const failure = answer.reason === 'status' ? `status ${answer.status}` : answer.reason;
      return { ...everything, isAllowed: () => false, failure };
    }
    return readRules(answer.bytes, signal);
  }

  async function readRules(bytes: Uint8Array, signal: AbortSignal): Promise<SiteRules> {
    try {
      const read = await reader.readRobots(bytes, userAgent, signal);
      return { ...read, isAllowed: (url) => isAllowed(read, url), failure: null };
    } catch (error) {
      if (!(error instanceof PageError)) throw error;
      return { ...everything, isAllowed: () => false, failure: error.reason };
    }
  }

  function rulesOf(url: string, signal: AbortSignal): Promise<SiteRules> {
    const { origin } = new URL(url);
    const known = rules.get(origin) ?? fetchRules(origin, signal);
    rules.set(origin, known);
    return known;
  }

  return {
    rulesOf,
    /** Waits until the host may be asked again. */
    async turn(url: string, signal: AbortSignal): Promise<void> {
      const { delayMs: asked } = await rulesOf(url, signal);
      await turn(new URL(url).origin, Math.max(delayMs, Math.min(asked, delayMaxMs)), signal);
    },
  };
}
