import { PageError, readRobotsTag, type Page, type DocumentHead } from '../search/feature.ts';
import type { FrontierRow } from './store/sources.ts';
import { attempt } from './attempt.ts';
import type { IndexingContext, Refresh } from './context.ts';
import { createPoliteClient, type PoliteClient } from './robots.ts';
import { readSitemaps } from './sitemaps.ts';
import type { Source, UsageCounter } from './source.ts';
import { reasonOf } from './texts.ts';
import { hashOfBytes } from './to-document.ts';
import { createReach, type Reach } from './web-addresses.ts';

/** A crawl under way. */
interface Crawl {
  readonly context: IndexingContext;
  readonly source: Source;
  readonly refresh: Refresh;
  readonly counter: UsageCounter;
  readonly polite: PoliteClient;
  readonly reach: Reach;
  readonly depthMax: number;
  /** Addresses in the store, done or not: counted once, since to count them for each page is quadratic in pages. */
  size: number;
  /** Whether all was read that may lead to other pages. */
  isWhole: boolean;
}

/** The answer of an address. */
interface Fetched {
  readonly url: string;
  readonly hash: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly page: Page;
}

const takenAtOnce = 16;
/** A sitemap may list 50,000, and each is compared with every pattern. */
const lookedAtOnce = 500;

/**
 * Fetches a page, the entries of a feed, or a site by its sitemap and links. Which addresses are still to come stands in
 * the store, so that a crawl that is broken off goes on where it was. Resolves to whether documents that were not seen are gone:
 * a page or sitemap that did not answer hides the pages that it leads to. A page that the site forbids hides none.
 */
export async function refreshWeb(
  context: IndexingContext,
  source: Source,
  refresh: Refresh,
  counter: UsageCounter,
): Promise<{ readonly mayRemove: boolean }> {
  const { sources } = context;
  const polite = createPoliteClient(context);
  const reach = createReach(source.location, source.options);
  const { all: size } = await sources.frontierSize(source.id);
  const depthMax = source.options.depth ?? 0;
  const crawl: Crawl = { context, source, refresh, counter, polite, reach, depthMax, size, isWhole: true };
  await attemptSeed(crawl);
  let isFeed = false;
  for (;;) {
    const rows = await sources.next(source.id, takenAtOnce);
    if (rows.length === 0) break;
    for (const row of rows) {
      refresh.signal.throwIfAborted();
      if (await attemptVisit(crawl, row)) isFeed = true;
      await sources.done(source.id, [row.url]);
      refresh.onStep(crawl.size);
    }
  }
  return { mayRemove: !isFeed && refresh.isNew && crawl.isWhole };
}

/** A sitemap may end the process as well as a page may. */
async function attemptSeed(crawl: Crawl): Promise<void> {
  const { context, source, refresh } = crawl;
  const url = new URL('/robots.txt', source.location).href;
  if (refresh.leftovers.skipped.has(url)) return push(crawl, [source.location], 0);
  return attempt(context.attempts, source.id, [url], () => seed(crawl));
}

async function attemptVisit(crawl: Crawl, row: FrontierRow): Promise<boolean> {
  const { context, source, refresh } = crawl;
  if (!refresh.leftovers.skipped.has(row.url))
    return attempt(context.attempts, source.id, [row.url], () => visit(crawl, row));
  fail(crawl, row.url, 'set_aside');
  return false;
}

/** Notes an address that could not be read, behind which others may be. */
function fail(crawl: Crawl, url: string, reason: string): void {
  crawl.counter.fail(url, reason);
  crawl.isWhole = false;
}

/** The source's own address comes last, so that a crawl that broke off before it begins again. */
async function seed(crawl: Crawl): Promise<void> {
  const { context, source, refresh, depthMax, reach, polite } = crawl;
  if (crawl.size > 0 && !refresh.isNew) return;
  if (depthMax > 0) {
    const rules = await polite.rulesOf(source.location, refresh.signal);
    const site = { location: source.location, hasHost: reach.hasHost };
    const { urls, isWhole } = await readSitemaps(context, polite, site, rules.sitemaps, refresh.signal);
    crawl.isWhole = isWhole;
    for (let at = 0; at < urls.length; at += lookedAtOnce) {
      const some = urls.slice(at, at + lookedAtOnce);
      await push(
        crawl,
        some.filter((url) => reach.has(url)),
        1,
      );
    }
  }
  const added = await context.sources.push(source.id, [{ url: source.location, depth: 0 }]);
  crawl.size += added;
}

async function push(crawl: Crawl, urls: readonly string[], depth: number): Promise<void> {
  const { context, source } = crawl;
  const rows = [...new Set(urls)]
    .slice(0, Math.max(0, source.options.pagesMax - crawl.size))
    .map((url) => ({ url, depth }));
  const added = rows.length === 0 ? 0 : await context.sources.push(source.id, rows);
  crawl.size += added;
}

/** Resolves to whether it was a feed. */
async function visit(crawl: Crawl, row: FrontierRow): Promise<boolean> {
  const { context, source, refresh, counter, polite } = crawl;
  const head = (await context.corpus.heads(source.id, [row.url])).get(row.url);
  const rules = await polite.rulesOf(row.url, refresh.signal);
  if (!rules.isAllowed(row.url)) {
    // Without its reason a private address, or a host that is down, would look like a site that wants no visitors.
    if (rules.failure === null) counter.fail(row.url, 'robots');
    else fail(crawl, row.url, rules.failure);
    if (head === undefined) return false;
    // A site that is away for a moment forbids nothing: what is known of the page stays.
    if (rules.failure === null) await context.corpus.remove(source.id, [row.url]);
    else await context.corpus.touch([head.id], nowOf(crawl));
    return false;
  }
  await polite.turn(row.url, refresh.signal);
  const fetched = await fetchPage(crawl, row, head);
  if (fetched === null) return false;
  if (row.url === source.location && fetched.page.listing === 'feed') {
    // Entries are read wherever they are; what they link to is not followed.
    await push(
      crawl,
      fetched.page.links.map(({ url }) => url),
      crawl.depthMax + 1,
    );
    return true;
  }
  await keep(crawl, row, fetched);
  return false;
}

async function fetchPage(
  crawl: Crawl,
  row: FrontierRow,
  head: DocumentHead | undefined,
): Promise<Fetched | null> {
  const { context, source, refresh, counter, depthMax } = crawl;
  // A page that answers 304 shows no links, so only pages whose links are not followed may do so.
  const isLeaf = row.depth >= depthMax && head?.embeddedBy === context.embeddedBy;
  const answer = await context.client.fetch(row.url, {
    signal: refresh.signal,
    ...(isLeaf && head !== undefined && { validators: toValidators(head) }),
  });
  if (!answer.ok) {
    if (answer.status === 304 && head !== undefined) await unchanged(crawl, head);
    else if (answer.status === 404 || answer.status === 410)
      await context.corpus.remove(source.id, [row.url]);
    else {
      fail(crawl, row.url, answer.status === null ? answer.reason : `status ${answer.status}`);
      if (head !== undefined) await context.corpus.touch([head.id], nowOf(crawl));
    }
    return null;
  }
  const hash = await hashOfBytes(answer.bytes);
  if (isLeaf && head?.hash === hash) {
    await unchanged(crawl, head);
    return null;
  }
  const { contentType, charset, headers } = answer;
  try {
    const type = charset === null ? contentType : `${contentType}; charset=${charset}`;
    const page = await context.reader.extract(answer.bytes, type, answer.url, refresh.signal);
    return {
      url: answer.url,
      hash,
      etag: headers.etag ?? null,
      lastModified: headers['last-modified'] ?? null,
      page: { ...page, robots: withTag(page.robots, readRobotsTag(headers['x-robots-tag'] ?? '')) },
    };
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    // A kind of file that is not read has no links.
    if (error.reason === 'unsupported') counter.fail(row.url, error.reason);
    else fail(crawl, row.url, error.reason);
    return null;
  }
}

async function unchanged(crawl: Crawl, head: DocumentHead): Promise<void> {
  await crawl.context.corpus.touch([head.id], nowOf(crawl));
  crawl.counter.unchanged++;
}

async function keep(
  crawl: Crawl,
  row: FrontierRow,
  { page, url: foundAt, hash, etag, lastModified }: Fetched,
): Promise<void> {
  const { context, source, refresh, counter, reach, depthMax } = crawl;
  if (page.robots.follow && row.depth < depthMax)
    await push(
      crawl,
      page.links.map(({ url }) => url).filter((url) => reach.has(url)),
      row.depth + 1,
    );
  // A redirect to another site is a link to it.
  if (row.depth <= depthMax && row.url !== source.location && !reach.hasHost(foundAt)) return;
  if (!page.robots.index) return context.corpus.remove(source.id, [row.url]);
  const url = page.canonicalUrl;
  const head = (await context.corpus.heads(source.id, [url])).get(url);
  if (head?.hash === hash && head.embeddedBy === context.embeddedBy) return unchanged(crawl, head);
  const textHash = await hashOfBytes(Buffer.from(page.text));
  const twin = await context.corpus.findText(source.id, textHash, url, refresh.begunAtMs);
  if (twin !== null) {
    counter.duplicates++;
    return undefined;
  }
  const origin = { sourceId: source.id, url, hash, etag, lastModified, fetchedAtMs: nowOf(crawl) };
  try {
    await context.corpus.put([await context.maker.toDocument(page, origin, refresh.signal)]);
    counter[head === undefined ? 'added' : 'changed']++;
  } catch (error) {
    const reason = reasonOf(error);
    // Its links were read. What the account has of it is within its limits.
    if (reason !== 'quota') fail(crawl, url, reason);
    else {
      counter.fail(url, reason);
      if (head !== undefined) await context.corpus.touch([head.id], nowOf(crawl));
    }
  }
  return undefined;
}

/** The clock may have been set back since the refresh began. */
function nowOf({ context, refresh }: Crawl): number {
  return Math.max(context.clock.now(), refresh.begunAtMs);
}

function toValidators({ etag, lastModified }: DocumentHead): { etag?: string; lastModified?: string } {
  return { ...(etag !== null && { etag }), ...(lastModified !== null && { lastModified }) };
}

/** The head of an answer may forbid more than the page does. */
function withTag(page: Page['robots'], tag: Page['robots']): Page['robots'] {
  return { index: page.index && tag.index, follow: page.follow && tag.follow };
}
