import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, suite, test } from 'node:test';
import { looks } from '../support/looks.ts';
import { isLongRun } from '../support/rounds.ts';
import { rootKey } from '../support/server.ts';
import { assertAccessible, assertContrastIn, assertFits, skipBrowser, startConsole } from './support.ts';

const adminKey = 'admin-key-of-the-console-tests';
const paths = [
  'first-steps',
  'decide',
  'deciders',
  'deciders/NEW',
  'deciders/svc-decider-v1-27b',
  'batches',
  'chat',
  'agent',
  'search',
  'usage',
  'keys',
  'jobs',
  'skills',
  'documents',
  'index',
  'models',
  'docs',
];

suite('the console', { skip: skipBrowser }, async () => {
  const console = await startConsole({ after }, { env: { NESTOR_ADMIN_KEY: adminKey }, withDocs: false });

  test('of Chromium all is off that Playwright has off', { skip: process.platform !== 'linux' }, async () => {
    const session = await console.browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    const id = processInfo.find(({ type }) => type === 'browser')?.id;
    const words = readFileSync(`/proc/${id}/cmdline`, 'utf8').split(/[\0 ]/);
    const lists = words.filter((word) => word.startsWith('--disable-features='));
    const [playwrights, ours] = lists.map((list) => list.slice(list.indexOf('=') + 1).split(','));
    assert.deepEqual(
      playwrights?.filter((name) => ours?.includes(name) !== true),
      [],
    );
  });

  test('a wrong key is told and kept nowhere', async () => {
    const { page, problems } = await console.open({ keys: null });
    await page.getByLabel('Key', { exact: true }).fill('svc-not-a-key-of-this-server');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length + localStorage.length), 0);
    await assertAccessible(page);
    // As the guide abbreviates one.
    await page.getByLabel('Key', { exact: true }).fill('svc-…');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').filter({ hasText: 'it has letters that no key has' }).waitFor();
    assert.deepEqual(problems, []);
  });

  for (const [look, { width, scheme, other }] of looks.entries())
    test(`${isLongRun ? 'every page' : 'some pages'} at ${width} px, ${scheme}: accessible, fits, no error, asks only what is published`, async () => {
      const { page, problems, requests, screenshot } = await console.open({
        width,
        scheme,
        keys: { key: rootKey, adminKey },
      });
      // In the usual run some pages have one of the looks: most are looked at by the test of their own as well.
      for (const path of paths.filter((_, at) => isLongRun || at % (2 * looks.length) === look)) {
        await page.goto(`${console.server.url}/console/${path}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        await assertAccessible(page);
        if (isLongRun) await assertContrastIn(page, other, scheme);
        await assertFits(page);
        await screenshot(path.replace('/', '-'));
      }
      assert.deepEqual(problems, []);
      const isPublished = await readPublished(console.server.url);
      for (const request of requests) {
        const { origin, pathname } = new URL(request.url());
        assert.equal(origin, console.server.url);
        assert.ok(isPublished(request.method(), pathname), `${request.method()} ${pathname}`);
        for (const secret of [rootKey, adminKey])
          assert.ok(!request.url().includes(secret), 'no key is in an address');
      }
    });

  test('the documentation is read in place, and its links lead to its pages', async () => {
    const { page, problems, screenshot } = await console.open({ path: '/docs' });
    await page.getByRole('link', { name: 'configuration', exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Configuration' }).waitFor();
    await page.waitForURL(/\/console\/docs\/guide\/configuration$/);
    await page.reload();
    await page.getByRole('table').first().waitFor();
    await assertAccessible(page);
    await assertFits(page);
    await screenshot('docs-configuration');
    assert.deepEqual(problems, []);
  });

  test('a tab that is opened beside another asks for no key, and signing out of one forgets the keys in both', async () => {
    const { page, context } = await console.open({ keys: null, path: '/docs' });
    await page.getByLabel('Key', { exact: true }).fill(rootKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    const opened = context.waitForEvent('page');
    await page.evaluate(() => void open('/console/docs/guide/keys', '_blank', 'noopener'));
    const beside = await opened;
    await beside.getByRole('button', { name: 'Sign out' }).waitFor();
    await beside.reload();
    assert.equal(await page.evaluate(() => localStorage.getItem('nestor.keys')), null);
    await beside.getByRole('button', { name: 'Sign out' }).click();
    for (const tab of [page, beside]) {
      await tab.getByLabel('Key', { exact: true }).waitFor();
      assert.equal(await tab.evaluate(() => sessionStorage.length), 0);
    }
  });

  test('on a phone the keyboard passes by a navigation that is closed, and closes it when it goes on behind it', async () => {
    const { page } = await console.open({ width: 390, path: '/agent' });
    // Until the page is there, nothing in it can take the focus.
    await page.locator('#main').getByRole('textbox').first().waitFor();
    const nav = page.getByRole('navigation', { name: 'Pages' });
    const isWithin = (selector: string) =>
      page.evaluate((one) => document.activeElement?.closest(one) !== null, selector);
    await page.getByRole('button', { name: 'Sign out' }).focus();
    await page.keyboard.press('Tab');
    assert.ok(await isWithin('#main'), 'nothing that nobody sees has the focus');
    await page.getByRole('button', { name: 'Open the navigation' }).press('Enter');
    await nav.getByRole('link', { name: 'Documentation' }).focus();
    assert.ok(await isWithin('nav'));
    await page.keyboard.press('Tab');
    assert.ok(await isWithin('#main'));
    await page.getByRole('button', { name: 'Open the navigation' }).waitFor();
    // The page that has the focus is seen.
    await nav.waitFor({ state: 'hidden' });
  });

  test('an address without a page is told as such', async () => {
    const { page, problems } = await console.open({ path: '/nothing' });
    assert.equal((await fetch(`${console.server.url}/console/nothing`)).status, 404);
    await page.getByRole('heading', { level: 1, name: '404: no such page' }).waitFor();
    await page.getByText('/console/nothing').waitFor();
    await assertAccessible(page);
    await page.getByRole('main').getByRole('link', { name: 'Decide' }).click();
    await page.getByRole('heading', { level: 1, name: 'Decide' }).waitFor();
    assert.deepEqual(problems, []);
  });

  test('the log holds no key', async () => {
    const text = JSON.stringify(console.server.log);
    for (const secret of [rootKey, adminKey]) assert.ok(!text.includes(secret));
  });

  test('the first page is at most 180 KB as it travels', async () => {
    const { page, context } = await console.open({ keys: null });
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength));
    await page.evaluate((key) => {
      sessionStorage.setItem('nestor.keys', JSON.stringify({ key, adminKey: null }));
    }, rootKey);
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.waitForLoadState('networkidle');
    assert.ok(bytes > 50_000 && bytes <= 180_000, `${bytes} bytes`);
  });

  test('the policy allows nothing inline and nothing from elsewhere, and each page has a nonce of its own', async () => {
    const answers = await Promise.all([1, 2].map(() => fetch(`${console.server.url}/console`)));
    const policies = answers.map((answer) => answer.headers.get('content-security-policy') ?? '');
    const [first = '', second] = policies;
    assert.notEqual(first, second);
    assert.ok(!first.includes('unsafe') && !first.includes('*') && !first.includes('http'));
    assert.match(first, /^default-src 'none'; script-src 'self';/);
    const page = (await answers[0]?.text()) ?? '';
    const nonce = /'nonce-([\w-]+)'/.exec(first)?.[1] ?? 'none';
    assert.ok(page.includes(`nonce="${nonce}"`));
    assert.ok(!page.includes('nonce-of-this-page'));
  });

  test('files of the console are found by name only, and compressed as the client asks', async () => {
    const page = await (await fetch(`${console.server.url}/console`)).text();
    const script = /src="(\/console\/assets\/[\w-]+\.js)"/.exec(page)?.[1] ?? '';
    for (const [asked, encoding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0', null],
    ] as const) {
      const answer = await fetch(console.server.url + script, { headers: { 'accept-encoding': asked } });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers.get('content-encoding'), encoding);
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.match(await answer.text(), /import|export|function/);
    }
    for (const name of ['..%2findex.html', 'nothing.js', 'index.html', '..%2f..%2f..%2fpackage.json'])
      assert.equal((await fetch(`${console.server.url}/console/assets/${name}`)).status, 404, name);
  });
});

/** Tells whether a request is to an operation of `/openapi.json`, or for the console itself. */
async function readPublished(url: string): Promise<(method: string, path: string) => boolean> {
  const { paths: operations } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const served = {
    ...operations,
    '/console/{page}': { get: {} },
    '/console/deciders/{decider}': { get: {} },
    '/console/batches/{batch}': { get: {} },
    '/console/docs/{section}/{page}': { get: {} },
    '/console/assets/{file}': { get: {} },
  };
  const known = Object.entries(served).map(([path, methods]) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods: Object.keys(methods).map((method) => method.toUpperCase()),
  }));
  return (method, path) =>
    known.some(({ pattern, methods }) => pattern.test(path) && methods.includes(method));
}
