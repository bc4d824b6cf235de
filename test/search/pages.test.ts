import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { openGuardedClient } from '../../src/kernel/kit/guarded-client.ts';
import { openPageReader } from '../../src/features/search/page/open-page-reader.ts';
import type { Page } from '../../src/features/search/page.ts';
import { redirectTo, startSite, type Site } from '../support/site.ts';
import { realPages } from '../support/site-pages.ts';

const now = Date.UTC(2026, 0, 15);
const closers: (() => Promise<void>)[] = [];
const scope = { after: (close: () => Promise<void>) => void closers.push(close) };

let site: Site;
let read: (path: string, tokensMax?: number) => Promise<Page>;

before(async () => {
  site = await startSite(scope, realPages);
  const client = openGuardedClient({ allowHosts: [site.host], userAgent: 'Nestor' });
  const reader = openPageReader({ client, clock: { now: () => now, monotonic: () => 0 }, timeoutMs: 60_000 });
  scope.after(() => reader.close());
  scope.after(() => client.close());
  read = (path, tokensMax) =>
    reader.read(site.url + path, AbortSignal.timeout(120_000), {
      account: 'acme',
      tokensMax: tokensMax ?? null,
    });
});

after(async () => {
  for (const close of closers.toReversed()) await close();
});

function has(page: Page, present: readonly string[], absent: readonly string[]): void {
  for (const part of present) assert.ok(page.text.includes(part), `"${part}" is not in:\n${page.text}`);
  for (const part of absent) assert.ok(!page.text.includes(part), `"${part}" is in:\n${page.text}`);
}

suite('pages as sites write them', () => {
  test('an article: its text without banner, navigation, share bar, related stories and comments', async () => {
    const page = await read('/news');
    has(
      page,
      [
        'voted on Tuesday',
        'fourteen stops',
        '## Objections from the market',
        '> We were heard',
        'closed to cars in return',
      ],
      [
        'partners use cookies',
        'Politics',
        'Share this',
        'inbox every morning',
        'Bus drivers',
        'First!',
        'Copyright',
        'changed',
      ],
    );
    assert.equal(page.title, 'Council approves tram line to the harbour');
    assert.deepEqual([page.language, page.siteName], ['en', 'The Daily Gull']);
    // The writer's day, and not that of Greenwich.
    assert.deepEqual([page.date, page.lastUpdated], ['2024-03-05', '2024-03-07']);
    // It names another host, which is not its to name.
    assert.equal(page.canonicalUrl, `${site.url}/news`);
    assert.ok(page.links.some(({ url, text }) => url === `${site.url}/politics` && text === 'Politics'));
    assert.equal(page.truncated, false);
  });

  test('documentation: headings, lists, code, tables and notes keep their form', async () => {
    const page = await read('/docs/install');
    has(
      page,
      [
        '# Installing the client\n',
        'You need `node` 24 or newer',
        '1. Fetch the package.\n2. Run the installer:',
        '```sh\n   npm install harbour\n   npx harbour init --port 8080\n   ```',
        '3. Open the address',
        'Behind a proxy, set `HTTPS_PROXY` first.',
        '## Options',
        '| Option | Default | Meaning |\n| --- | --- | --- |\n| --port | 8080 | Port to listen on. |',
        'exit code 2\n: The port is in use.',
      ],
      ['Skip to content', 'Search docs', 'Upgrading', 'On this page', 'Built with', 'Docs / Setup', '\u00b6'],
    );
    assert.deepEqual([page.title, page.language], ['Installing the client', 'en']);
    assert.deepEqual([page.date, page.lastUpdated], [null, '2025-01-20']);
    assert.ok(page.links.some(({ url }) => url === `${site.url}/docs/upgrade`));
  });

  test('a post of a blog: without the comments of its readers', async () => {
    const page = await read('/blog/sourdough');
    has(
      page,
      ['too cold for the starter', 'wrapped in a towel', '- Feed at the same hour', 'The fourth attempt.'],
      ['thank you for the tip', '3 thoughts', 'Rye for beginners', 'Recent posts'],
    );
    assert.equal(page.title, 'Why my sourdough failed');
    assert.deepEqual([page.date, page.lastUpdated], ['2023-11-02', '2023-11-09']);
    assert.deepEqual(page.images, [
      { url: `${site.url}/loaf.jpg`, alt: 'A loaf with an open crumb', width: 640, height: 480 },
    ]);
  });

  test('a list: every entry, no date of one of them, and the time of the file', async () => {
    const page = await read('/releases');
    has(page, ['newest first', '- Harbour 3.30', '- Harbour 3.1 ', 'fixes 29 defects'], ['About us']);
    assert.deepEqual([page.title, page.date, page.lastUpdated], ['Releases', null, '2024-08-12']);
    assert.equal(page.links.filter(({ url }) => url.includes('/releases/')).length, 30);
  });

  test('a page without title, charset or semantic elements', async () => {
    const page = await read('/skagen.htm');
    has(page, ['46 metres tall', 'rape oil first', 'two seas meet'], []);
    assert.deepEqual([page.title, page.language, page.date], ['The lighthouse of Skagen', 'en', null]);
  });

  test('German in latin1 and Japanese in Shift_JIS', async () => {
    const german = await read('/luebeck');
    has(
      german,
      ['sieben T\u00fcrmen', 'sch\u00f6ne Aussicht', 'au\u00dfer den B\u00e4ckern'],
      ['Startseite'],
    );
    assert.deepEqual([german.title, german.language], ['Gr\u00fc\u00dfe aus L\u00fcbeck', 'de']);
    const japanese = await read('/minato');
    has(japanese, ['\u5546\u4eba\u305f\u3061', '\u65c5\u884c\u8005'], ['\u308a\u3087\u3053\u3046']);
    assert.deepEqual([japanese.title, japanese.language], ['\u6e2f\u306e\u6b74\u53f2', 'ja']);
  });

  test('what nobody sees is not read, wherever it hides', async () => {
    const page = await read('/museum');
    has(
      page,
      [
        'open from nine to five',
        'Wide windows show the map.',
        '| Sunday | Half past four, 5 in summer |',
        '## Groups and schools',
        'Cloakroom and caf\u00e9: \u{1f468}\u200d\u{1f469}\u200d\u{1f467} welcome.',
      ],
      ['SECRET'],
    );
  });

  test('a page that only a script would fill is empty and no error', async () => {
    const page = await read('/app');
    assert.deepEqual([page.title, page.text], ['App', '']);
  });

  test('a text is cut to the tokens that were asked for', async () => {
    const page = await read('/news', 40);
    assert.ok(page.text.length > 80 && page.text.length <= 160 && page.truncated, page.text);
    assert.ok(!/\s$/.test(page.text));
  });
});

suite('where a page was found', () => {
  test('the last redirect is its address; what fails is told with a reason', async () => {
    site.set('/moved', redirectTo('/blog/sourdough'));
    site.set('/inside', redirectTo('http://127.0.0.1/'));
    site.set('/film', { body: 'x', type: 'video/mp4' });
    site.set('/zip', { body: Buffer.from('PK\u0003\u0004 no document'), type: 'application/octet-stream' });
    assert.equal((await read('/moved')).url, `${site.url}/blog/sourdough`);
    await assert.rejects(read('/gone'), { name: 'PageError', reason: 'status', status: 404 });
    await assert.rejects(read('/inside'), { name: 'PageError', reason: 'refused', status: null });
    await assert.rejects(read('/film'), { name: 'PageError', reason: 'type' });
    await assert.rejects(read('/zip'), { name: 'PageError', reason: 'unsupported' });
  });

  test('a page names itself on its own host only, and never as the front page', async () => {
    const named = (url: string) => `<link rel="canonical" href="${url}"><p>text`;
    site.set('/p?utm_source=x&id=1', named(`${site.url}/p?id=1`));
    site.set('/q?utm_source=x&id=1', named('https://elsewhere.example/q'));
    site.set('/r?gclid=x', named('/'));
    assert.equal((await read('/p?utm_source=x&id=1')).canonicalUrl, `${site.url}/p?id=1`);
    assert.equal((await read('/q?utm_source=x&id=1')).canonicalUrl, `${site.url}/q?id=1`);
    assert.equal((await read('/r?gclid=x#top')).canonicalUrl, `${site.url}/r`);
  });

  test('what a page and its head ask of search engines is told', async () => {
    site.set('/closed', '<meta name="robots" content="NOINDEX, follow"><p>text');
    site.set('/none', { body: '<p>text', headers: { 'x-robots-tag': 'none' } });
    assert.deepEqual((await read('/closed')).robots, { index: false, follow: true });
    assert.deepEqual((await read('/none')).robots, { index: false, follow: false });
    assert.deepEqual((await read('/news')).robots, { index: true, follow: true });
  });
});

suite('dates', () => {
  const cases: readonly (readonly [string, string, string | null, string | null])[] = [
    ['no date at all', '<p>On 5 March 2024 it rained.', null, null],
    ['a day that does not exist', '<meta property="article:published_time" content="2023-02-30">', null, null],
    ['the future', '<meta property="article:published_time" content="2031-01-01">', null, null],
    ['the epoch', '<meta name="date" content="1970-01-01T00:00:00Z">', null, null],
    ['a number', '<meta name="date" content="1709596800">', null, null],
    ['words', '<meta name="date" content="March 5th, 2024">', '2024-03-05', null],
    ['RFC 1123', '<meta name="date" content="Tue, 05 Mar 2024 23:30:00 -0800">', '2024-03-05', null],
    ['citation', '<meta name="citation_publication_date" content="2019/07/01"><meta name="dc.date" content="20190702">', '2019-07-02', null],
    ['a graph', '<script type="application/ld+json">{"@graph":[{"@type":"Organization"},{"@type":["BlogPosting"],"datePublished":"2022-06-01"}]}</script>', '2022-06-01', null],
    ['broken structured data', '<script type="application/ld+json">{"datePublished":</script><time itemprop="datePublished" datetime="2021-05-06">', '2021-05-06', null],
    ['changed before it was published', '<meta property="article:published_time" content="2024-03-05"><meta property="article:modified_time" content="2020-01-01">', '2024-03-05', null],
    ['the times of several articles', '<article><time datetime="2020-01-01">a</time></article><article><time datetime="2021-01-01">b</time></article>', null, null],
    ['words before a time', '<main><p>Last updated on <time datetime="2022-03-04">x</time>', null, '2022-03-04'],
    ['the only time of the only article', '<article>a <time datetime="2020-02-29T10:00">b</time></article>', '2020-02-29', null],
  ]; // prettier-ignore

  test('are found where they are written and never made up', async () => {
    for (const [index, [name, html, date, lastUpdated]] of cases.entries()) {
      site.set(`/date${index}`, `<!doctype html><html><head>${html}`);
      const page = await read(`/date${index}`);
      assert.deepEqual([page.date, page.lastUpdated], [date, lastUpdated], name);
    }
  });

  test('the head tells the last change, unless the page was made for the answer', async () => {
    const sent = new Date().toUTCString();
    site.set('/file', { body: '<p>x', headers: { 'last-modified': 'Wed, 01 May 2024 12:00:00 GMT' } });
    site.set('/made', { body: '<p>x', headers: { 'last-modified': sent, date: sent } });
    assert.equal((await read('/file')).lastUpdated, '2024-05-01');
    assert.equal((await read('/made')).lastUpdated, null);
  });
});
