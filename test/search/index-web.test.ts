import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { refreshSource } from '../../src/features/index/refresh.ts';
import { defaultOptions, sourceId, toSource } from '../../src/features/index/source.ts';
import type { GuardedClient } from '../../src/kernel/kit/guarded-client.ts';
import { startSite } from '../support/site.ts';
import { counts, openTestIndex } from './index-support.ts';

const page = (title: string, text: string, head = '') =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`;
const link = (path: string) => `<a href="${path}">${path}</a>`;

/** A small site as they are: front page, two levels, a sitemap, what robots.txt forbids, what names itself otherwise. */
const pages = {
  '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /private\nSitemap: /relative-is-no-sitemap.xml' },
  '/': page('Harbour', `All about ships. ${['/boats', '/tides?utm_source=x', '/private/plans', '/old', '/logo.png', '/closed', '/copy'].map(link).join(' ')} <a href="http://127.0.0.9:1/">elsewhere</a>`),
  '/boats': page('Boats', `A schooner has two masts and a keel of oak. ${link('/boats/deep')}`),
  '/boats/deep': page('Rigging', `Shrouds hold the mast. ${link('/boats/deeper')}`),
  '/boats/deeper': page('Knots', 'A bowline never slips.'),
  '/tides?utm_source=x': page('Tides', 'Spring tide follows the full moon.', '<link rel="canonical" href="/tides">'),
  '/tides': page('Tides', 'Spring tide follows the full moon.', '<link rel="canonical" href="/tides">'),
  '/copy': page('Boats', `A schooner has two masts and a keel of oak. ${link('/boats/deep')}`),
  '/closed': page('Closed', 'Nobody may find the smuggler.', '<meta name="robots" content="noindex">'),
  '/private/plans': page('Plans', 'The secret lighthouse.'),
  '/hidden': page('Dry dock', 'Only the sitemap knows the dry dock.'),
}; // prettier-ignore

test('a site is crawled, searched, updated and deleted', async (t) => {
  const site = await startSite(t, pages);
  site.set('/robots.txt', {
    type: 'text/plain',
    body: `User-agent: *\nDisallow: /private\nSitemap: ${site.url}/map.xml`,
  });
  site.set('/map.xml', { type: 'text/xml', body: `<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>${site.url}/pages.xml.gz</loc></sitemap></sitemapindex>` }); // prettier-ignore
  site.set('/pages.xml.gz', { type: 'application/gzip', body: gzipSync(`<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${site.url}/hidden</loc></url><url><loc>http://127.0.0.9:1/other</loc></url></urlset>`) }); // prettier-ignore
  const index = await openTestIndex(t, [site.host]);
  const first = await index.add('web', `${site.url}/`, { depth: 2 });
  assert.deepEqual(await index.urls('schooner'), [`${site.url}/boats`]);
  assert.deepEqual(await index.urls('full moon'), [`${site.url}/tides`]);
  assert.deepEqual(await index.urls('dry dock'), [`${site.url}/hidden`]);
  assert.deepEqual(await index.urls('shrouds'), [`${site.url}/boats/deep`]);
  // Too deep, forbidden, or not to be found.
  assert.deepEqual(await index.urls('bowline smuggler secret'), []);
  assert.equal(first.added, 5);
  assert.equal(first.duplicates, 1);
  const asked = new Set(site.requests.map(({ path }) => path));
  assert.ok(!asked.has('/private/plans') && !asked.has('/logo.png') && !asked.has('/boats/deeper'));

  site.remove('/old');
  site.set('/boats', page('Boats', 'A catamaran has two hulls.'));
  site.set('/', page('Harbour', `All about ships. ${['/boats', '/tides'].map(link).join(' ')}`));
  site.set('/pages.xml.gz', { type: 'application/gzip', body: gzipSync('<urlset></urlset>') });
  site.remove('/hidden');
  const second = await index.refresh(`${site.url}/`);
  assert.deepEqual(second && counts(second), { changed: 2, unchanged: 1, removed: 2 });
  assert.deepEqual(
    [await index.urls('schooner'), await index.urls('catamaran')],
    [[], [`${site.url}/boats`]],
  );
  assert.deepEqual([await index.urls('dry dock'), await index.urls('shrouds')], [[], []]);
});

test('a page that does not answer keeps itself and what it links to', async (t) => {
  const site = await startSite(t, {
    '/': page('Front', link('/boats')),
    '/boats': pages['/boats'],
    '/boats/deep': pages['/boats/deep'],
  });
  const index = await openTestIndex(t, [site.host]);
  await index.add('web', `${site.url}/`, { depth: 3 });
  site.set('/boats', { status: 503, body: 'later' });
  const outcome = await index.refresh(`${site.url}/`);
  assert.deepEqual(outcome?.failures, [{ url: `${site.url}/boats`, reason: 'status 503' }]);
  assert.deepEqual(
    [await index.urls('schooner'), await index.urls('shrouds')],
    [[`${site.url}/boats`], [`${site.url}/boats/deep`]],
  );
});

test('a refresh in which a page is too slow says so by its address, and its new words are found after the next', async (t) => {
  const site = await startSite(t, { '/': page('Front', link('/boats')), '/boats': pages['/boats'] });
  const index = await openTestIndex(t, [site.host]);
  await index.add('web', `${site.url}/`, { depth: 1 });
  const source = await index.parts.sources.find(`${site.url}/`);
  assert.ok(source !== undefined);
  const client: GuardedClient = {
    fetch: (url, asked) =>
      index.parts.client.fetch(url, url.endsWith('/boats') ? { ...asked, timeoutMs: 100 } : asked),
    close: () => Promise.resolve(),
  };
  site.set('/boats', () => {});
  const slow = await refreshSource(
    { ...index.parts, client },
    toSource(source),
    new AbortController().signal,
  );
  assert.deepEqual(slow?.failures, [{ url: `${site.url}/boats`, reason: 'timeout' }]);
  assert.deepEqual(await index.urls('schooner'), [`${site.url}/boats`]);
  site.set('/boats', page('Boats', 'A catamaran has two hulls.'));
  const next = await index.refresh(`${site.url}/`);
  assert.deepEqual([next?.failures, next?.changed], [[], 1]);
  assert.deepEqual(await index.urls('catamaran'), [`${site.url}/boats`]);
});

test('a page that the site forbids, or a file that is not read, keeps nothing that is gone', async (t) => {
  const site = await startSite(t, {
    '/robots.txt': { type: 'text/plain', body: 'User-agent: *\nDisallow: /private' },
    '/': page('Front', ['/boats', '/private/plans', '/download'].map(link).join(' ')),
    '/boats': pages['/boats'],
    '/download': { type: 'application/octet-stream', body: Buffer.from('\x7fELF\0\0', 'latin1') },
  });
  const index = await openTestIndex(t, [site.host]);
  assert.equal((await index.add('web', `${site.url}/`, { depth: 1 })).added, 2);
  site.remove('/boats');
  site.set('/', page('Front', ['/private/plans', '/download'].map(link).join(' ')));
  const again = await index.refresh(`${site.url}/`);
  assert.deepEqual(again?.failures.map(({ reason }) => reason).toSorted(), ['robots', 'unsupported']);
  assert.deepEqual([again.removed, await index.urls('schooner')], [1, []]);
});

test('a sitemap may stand on any host of the site, and keeps its pages while it does not answer', async (t) => {
  const site = await startSite(t, { '/': page('Front', 'A gull.'), '/hidden': pages['/hidden'] });
  const other = await startSite(t, {}, { address: '127.0.0.2' });
  const sitemap = { type: 'text/xml', body: `<urlset><url><loc>${site.url}/hidden</loc></url></urlset>` };
  other.set('/map.xml', sitemap);
  site.set('/robots.txt', { type: 'text/plain', body: `Sitemap: ${other.url}/map.xml` });
  const index = await openTestIndex(t, [site.host, other.host]);
  const location = `${site.url}/`;
  assert.equal((await index.add('web', location, { depth: 1, hosts: [other.host] })).added, 2);
  other.set('/map.xml', { status: 503, body: '' });
  assert.equal((await index.refresh(location))?.removed, 0);
  assert.deepEqual(await index.urls('dry dock'), [`${site.url}/hidden`]);
  other.remove('/map.xml');
  assert.equal((await index.refresh(location))?.removed, 1);
});

test('a single page asks with what it knew, and an unchanged one costs no reading', async (t) => {
  const site = await startSite(t, {
    '/page': (request, response) => {
      const isKnown = request.headers['if-none-match'] === '"v1"';
      response.writeHead(isKnown ? 304 : 200, { 'content-type': 'text/html', etag: '"v1"' });
      response.end(isKnown ? '' : page('One', 'The lamp of the lighthouse.'));
    },
  });
  const index = await openTestIndex(t, [site.host]);
  assert.deepEqual(counts(await index.add('web', `${site.url}/page`)), { added: 1 });
  const again = await index.refresh(`${site.url}/page`);
  assert.deepEqual(again && counts(again), { unchanged: 1 });
  assert.equal(site.requests.at(-1)?.headers['if-none-match'], '"v1"');
  assert.deepEqual(await index.urls('lamp'), [`${site.url}/page`]);
});

test('the entries of a feed are read, and stay when they leave it', async (t) => {
  const feed = (...paths: readonly string[]) => ({
    type: 'application/rss+xml',
    body: `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>${paths.map((path) => `<item><title>x</title><link>${path}</link></item>`).join('')}</channel></rss>`,
  });
  const site = await startSite(t, {
    '/news/1': page('First', `The ferry was late. ${link('/boats')}`),
    '/news/2': page('Second', 'The ferry was early.'),
    '/boats': pages['/boats'],
  });
  site.set('/feed', feed(`${site.url}/news/1`));
  const index = await openTestIndex(t, [site.host]);
  assert.deepEqual(counts(await index.add('web', `${site.url}/feed`)), { added: 1 });
  site.set('/feed', feed(`${site.url}/news/2`));
  const again = await index.refresh(`${site.url}/feed`);
  assert.deepEqual(again && counts(again), { added: 1 });
  assert.deepEqual((await index.urls('ferry')).toSorted(), [`${site.url}/news/1`, `${site.url}/news/2`]);
  assert.deepEqual(await index.urls('schooner'), []);
});

test('a crawl that is broken off goes on where it was', async (t) => {
  const names = Array.from({ length: 12 }, (_, n) => `/p${n}`);
  const site = await startSite(t, {
    '/': page('Front', names.map(link).join(' ')),
    ...Object.fromEntries(names.map((name, n) => [name, page(`Page ${n}`, `gull number ${n}`)])),
  });
  const index = await openTestIndex(t, [site.host]);
  const location = `${site.url}/`;
  const stop = new AbortController();
  await index.parts.sources.ensure({
    id: 'x', kind: 'web', location, options: JSON.stringify({ depth: 1 }), everyMs: null, addedAtMs: 0,
  }); // prettier-ignore
  const broken = index.refresh(location, stop.signal, (done) => {
    if (done === 5) stop.abort();
  });
  await assert.rejects(broken);
  const before = site.requests.length;
  assert.equal(await index.parts.corpus.count('x'), 5);
  const rest = await index.refresh(location);
  assert.equal(rest?.added, 8);
  assert.equal(await index.parts.corpus.count('x'), 13);
  // What was read is not asked for again; robots.txt and the sitemap are rules of each run.
  const asked = site.requests.slice(before).filter(({ path }) => path.startsWith('/p'));
  assert.equal(asked.length, 8);
});

test('rules that cannot be fetched allow nothing, a site that asks for time gets it', async (t) => {
  const closed = await startSite(t, { '/robots.txt': { status: 500, body: '' }, '/': page('Front', 'gull') });
  const slow = await startSite(t, {
    '/robots.txt': { type: 'text/plain', body: 'User-agent: nestor\nCrawl-delay: 0.3' },
    '/': page('Front', `heron ${link('/a')}`),
    '/a': page('A', 'stork'),
  });
  const index = await openTestIndex(t, [closed.host, slow.host]);
  const refused = await index.add('web', `${closed.url}/`);
  assert.deepEqual(refused.failures, [{ url: `${closed.url}/`, reason: 'status 500' }]);
  const startedAt = performance.now();
  assert.equal((await index.add('web', `${slow.url}/`, { depth: 1 })).added, 2);
  assert.ok(performance.now() - startedAt >= 300);
});

test('paths choose what is crawled, and a host of a private network is refused', async (t) => {
  const site = await startSite(t, {
    '/': page('Front', ['/guide/a', '/guide/draft', '/blog/b'].map(link).join(' ')),
    '/guide/a': page('A', 'gull in the guide'),
    '/guide/draft': page('D', 'gull in a draft'),
    '/blog/b': page('B', 'gull in the blog'),
  });
  const index = await openTestIndex(t, [site.host]);
  await index.add('web', `${site.url}/`, { depth: 1, include: ['/guide/**'], exclude: ['**/draft'] });
  assert.deepEqual(await index.urls('gull'), [`${site.url}/guide/a`]);
  const other = await openTestIndex(t);
  assert.deepEqual((await other.add('web', `${site.url}/`)).failures, [
    { url: `${site.url}/`, reason: 'refused' },
  ]);
});

test('a site whose rules cannot be fetched for a moment keeps its pages; one that forbids them loses them', async (t) => {
  const site = await startSite(t, { '/': page('Front', 'a gull in the harbour') });
  const index = await openTestIndex(t, [site.host]);
  const location = `${site.url}/`;
  assert.equal((await index.add('web', location)).added, 1);
  site.set('/robots.txt', { status: 503, body: '' });
  const away = await index.refresh(location);
  assert.deepEqual(away?.failures, [{ url: location, reason: 'status 503' }]);
  assert.deepEqual(await index.urls('gull'), [location]);
  site.set('/robots.txt', { type: 'text/plain', body: 'User-agent: *\nDisallow: /' });
  const forbidden = await index.refresh(location);
  assert.deepEqual(forbidden?.failures, [{ url: location, reason: 'robots' }]);
  assert.deepEqual(await index.urls('gull'), []);
});

test('options that change while a source is read make it due again', async (t) => {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const site = await startSite(t, {
    '/': (_request, response) => {
      reached.resolve();
      void gate.promise.then(() =>
        response.setHeader('content-type', 'text/html').end(page('Front', 'gull')),
      );
    },
  });
  const index = await openTestIndex(t, [site.host]);
  const { sources, clock } = index.parts;
  const location = `${site.url}/`;
  const reading = index.add('web', location);
  await reached.promise;
  const row = await sources.find(location);
  assert.ok(row);
  await sources.ensure({ ...row, options: JSON.stringify({ depth: 1 }) });
  gate.resolve();
  assert.equal((await reading).added, 1);
  assert.equal((await sources.due(clock.now()))?.id, row.id);
  await index.refresh(location);
  assert.equal(await sources.due(clock.now() + 1_000), undefined);
});

test('the addresses of a site are counted once, however many pages it has', async (t) => {
  const paths = Array.from({ length: 40 }, (_, at) => `/page-${at}`);
  const site = await startSite(t, {
    '/': page('Front', paths.map(link).join(' ')),
    ...Object.fromEntries(
      paths.map((path) => [path, page(path, `Text of ${path}. ${paths.map(link).join(' ')}`)]),
    ),
  });
  const { parts } = await openTestIndex(t, [site.host]);
  const frontierSize = mock.method(parts.sources, 'frontierSize');
  const location = `${site.url}/`;
  const options = JSON.stringify({ ...defaultOptions, depth: 3, pagesMax: 30 });
  await parts.sources.ensure({
    id: sourceId(location),
    kind: 'web',
    location,
    options,
    everyMs: null,
    addedAtMs: 1,
  });
  const row = await parts.sources.find(location);
  assert.ok(row);
  const totals: number[] = [];
  const outcome = await refreshSource(
    parts,
    toSource(row),
    t.signal,
    ({ total }) => void totals.push(total ?? 0),
  );
  assert.equal(outcome?.added, 30, 'not more than asked for');
  assert.equal(frontierSize.mock.callCount(), 1);
  assert.equal(totals.at(-1), 30);
});
