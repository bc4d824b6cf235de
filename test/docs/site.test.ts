import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, suite, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { JSDOM } from 'jsdom';
import { renderMarkdown } from '../../src/features/service/site/markdown.ts';
import { startConsole, assertAccessible, assertFits, skipBrowser } from '../console/support.ts';
import { startServer } from '../support/server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { buildSite } from './site/build.ts';

const root = new URL('../../', import.meta.url);
const files = await buildSite(root);
const pages = [...files].filter(([path]) => path.endsWith('.html'));
const render = (text: string) =>
  renderMarkdown(text, { section: 'guide', page: 'x' }, ({ page, hash }) => `${page}.html${hash}`);

const documents = new Map(pages.map(([path, html]) => [path, new JSDOM(html).window.document]));

suite('the documentation as static files', () => {
  test('every link of every page leads to a page or a heading that is there', () => {
    let links = 0;
    for (const [path, document] of documents) {
      for (const { href } of document.querySelectorAll<HTMLAnchorElement>('a[href]')) {
        // What jsdom resolves against about:blank it leaves as written.
        const target = new URL(href.replace(/^about:blank/, ''), `https://site.invalid/${path}`);
        if (target.host !== 'site.invalid') continue;
        links++;
        const other = documents.get(target.pathname.slice(1));
        assert.ok(other, `${path} links to ${href}`);
        const id = decodeURIComponent(target.hash.slice(1));
        assert.ok(id === '' || other.getElementById(id) !== null, `${path} links to ${href}`);
      }
    }
    assert.ok(links > 3_000, `${links} links`);
  });

  test('no page shows a mark of Markdown or a comment of its tests', () => {
    for (const [path, document] of documents) {
      const main = document.querySelector('main')?.cloneNode(true) as Element | undefined;
      for (const example of main?.querySelectorAll('pre, code') ?? []) example.remove();
      const text = main?.textContent ?? '';
      assert.ok(text.length > 200, path);
      assert.doesNotMatch(text, /<!--|```|\]\(|^#{1,4} |\*\*\w|\| -{3}/m, path);
    }
  });

  test('every page is in the list, and says where it stands', () => {
    for (const [path, document] of documents) {
      if (path === 'index.html') continue;
      assert.equal(document.querySelectorAll('nav a[aria-current=page]').length, 1, path);
      assert.equal(document.querySelectorAll('h1').length, 1, path);
    }
  });

  test('the same example in three languages becomes one with tabs, and other examples stay as they are', () => {
    const same =
      '```sh\ncurl x\n```\n\n```json\n{}\n```\n\nFrom TypeScript:\n\n<!-- run -->\n\n```ts\nx\n```\n\nFrom Python:\n\n```python\nx\n```\n';
    const { document } = new JSDOM(render(`# T\n\n${same}`).html).window;
    const tabs = [...document.querySelectorAll<HTMLElement>('.tabs section')].map(
      ({ dataset }) => dataset['tab'],
    );
    assert.deepEqual(tabs, ['curl', 'TypeScript', 'Python']);
    assert.ok(!document.body.textContent.includes('From TypeScript'));
    for (const other of [
      '```sh\nnpm start\n```\n\n```ts\nx\n```\n',
      '```sh\ncurl x\n```\n\nThen\n\n```ts\nx\n```\n',
    ])
      assert.ok(!render(other).html.includes('class="tabs"'), other);
  });

  test('what a page says is text, and only links to pages and to the web are links', () => {
    const { html } = render(
      '# A & <b>\n\n[x](javascript:alert(1)) [y](../../src/a.ts) [z](keys.md#a)\n\n<script>1</script>\n\n`<i>`\n',
    );
    assert.doesNotMatch(html, /<script|javascript:|<b>|<i>|src\/a/);
    assert.match(html, /<a href="keys.html#a">z<\/a>/);
  });
});

suite('the documentation in a browser', { skip: skipBrowser }, async () => {
  const console = await startConsole({ after }, { withDocs: false });

  test('static pages are searched, copied from and read in tabs without a server', async (t) => {
    const folder = await temporaryFolder(t);
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const { page } = await console.open();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(join(folder, 'guide/search.html')).href);
    await page.getByRole('tab', { name: 'Python' }).first().click();
    assert.equal(await page.getByRole('tabpanel', { name: 'curl' }).count(), 0);
    await page.keyboard.press('/');
    await page.keyboard.type('revoke token');
    await page.getByRole('list', { name: 'Found' }).getByRole('link').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/keys\.html#/);
    assert.ok(requests.length > 0 && requests.every((url) => url.startsWith('file:')));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await assertAccessible(page);
    }
  });

  test('pages of a server are searched without a sign-in, and nothing else is asked', async () => {
    const { page, problems, requests } = await console.open({ keys: null });
    await page.goto(`${console.server.url}/docs/guide/search`);
    await page.keyboard.press('/');
    await page.keyboard.type('revoke token');
    await page.getByRole('list', { name: 'Found' }).getByRole('link').first().waitFor();
    await assertAccessible(page);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/docs\/guide\/keys#/);
    await page.getByRole('heading', { level: 1, name: 'Keys and tokens' }).waitFor();
    const asked = requests.map((request) => new URL(request.url()).pathname);
    assert.ok(asked.includes('/docs/sections.json'));
    assert.ok(requests.every((request) => request.headers()['authorization'] === undefined));
    assert.deepEqual(problems, []);
  });

  test('a server gives people a page and programs Markdown, at the same address', async () => {
    const { page, problems } = await console.open({ width: 390 });
    const answer = await page.goto(`${console.server.url}/docs/guide/keys`);
    assert.equal(answer?.headers()['content-type'], 'text/html; charset=utf-8');
    assert.equal(answer?.headers()['vary'], 'accept');
    await page.getByRole('heading', { level: 1, name: 'Keys and tokens' }).waitFor();
    await page.getByRole('button', { name: 'Copy' }).first().waitFor();
    await assertAccessible(page);
    await assertFits(page);
    assert.deepEqual(problems, []);
  });
});

test('who does not ask for a page gets Markdown', async (t) => {
  const { url } = await startServer(t);
  for (const accept of [
    '*/*',
    'text/markdown',
    'application/json',
    'text/markdown, text/html;q=0.5',
    'text/html;q=0',
  ]) {
    const answer = await fetch(`${url}/docs/guide/keys`, { headers: { accept } });
    assert.equal(answer.headers.get('content-type'), 'text/markdown; charset=utf-8', accept);
    assert.match(await answer.text(), /^# Keys and tokens/);
  }
  const page = await fetch(`${url}/docs/guide/keys`, { headers: { accept: 'text/html,*/*;q=0.8' } });
  const nonce = /'nonce-([\w-]+)'/.exec(page.headers.get('content-security-policy') ?? '')?.[1] ?? 'none';
  assert.ok((await page.text()).includes(`<script type="module" nonce="${nonce}">`));
  const none = await fetch(`${url}/docs/guide/nothing`, { headers: { accept: 'text/html' } });
  assert.equal(none.status, 404);
});
