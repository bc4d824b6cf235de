import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { flowWidths } from '../support/looks.ts';
import { withoutWeights } from '../support/without-weights.ts';
import { assertAccessible, assertFits, skipBrowser, startConsole } from './support.ts';

const nestor = fileURLToPath(new URL('../../bin/nestor.mjs', import.meta.url));

const hostile = `<img src=x onerror="alert(1)"> <script>alert(2)</script> [click](javascript:alert(3)) zanzibarium`;

suite('the page Search', { skip: skipBrowser }, async () => {
  const console = await startConsole({ after });
  const { data } = console.server;
  const folder = join(data, 'pages');
  await mkdir(folder);
  await writeFile(
    join(folder, 'hostile.txt'),
    `${hostile}\n\n${'A zanzibarium is a glass house for plants. '.repeat(8)}`,
  );
  const env = { PATH: process.env['PATH'], NESTOR_DATA: data, ...withoutWeights({}) };
  await promisify(execFile)(process.execPath, [nestor, 'index', 'add', folder], { cwd: data, env });

  for (const width of flowWidths)
    test(`finds pages and shows what others wrote as text, at ${width} px`, async () => {
      const { page, problems, screenshot, requests } = await console.open({ width, path: '/search' });
      await page.getByLabel('What to look for').fill('zanzibarium glass house');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText(/\d+ pages? in \d+ ms/).waitFor();
      assert.ok(
        (await page.getByText('onerror="alert(1)"').count()) > 0,
        'HTML of a page is shown as it is written',
      );
      assert.equal(await page.locator('main script, main img').count(), 0);
      assert.equal(await page.locator('main a[href^="javascript:"]').count(), 0);
      await assertAccessible(page);
      await assertFits(page);
      await screenshot('search-results');
      assert.deepEqual(problems, []);
      for (const request of requests) assert.ok(request.url().startsWith(console.server.url), request.url());
    });

  test('the log holds nothing of the query or of the pages', () => {
    assert.ok(!JSON.stringify(console.server.log).includes('zanzibarium'));
  });

  test('the README that was found opens in the console', async () => {
    const { page, problems } = await console.open({
      path: '/search?q=LiteLLM%20Vane%20Ollaya%20Open%20WebUI',
    });
    const opened = page.waitForEvent('popup');
    await page.locator('main a[href^="/console/docs"]').first().click();
    const readme = await opened;
    await readme.getByRole('heading', { level: 1, name: 'Nestor' }).waitFor();
    await readme.close();
    assert.deepEqual(problems, []);
  });

  test('filters are sent, and the request can be taken along in three languages', async () => {
    const { page } = await console.open({ path: '/search' });
    await page.getByLabel('What to look for').fill('tokens');
    await page.getByLabel('Domains').fill('127.0.0.1');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(({ search }) => search === '?q=tokens&domains=127.0.0.1');
    const again = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.reload();
    assert.equal((await again).status(), 200);
    await page.getByText(/\d+ pages? in \d+ ms/).waitFor();
    assert.equal(await page.getByLabel('Domains').inputValue(), '127.0.0.1');
    await page.getByRole('tab', { name: 'Python' }).click();
    const code = page.getByRole('region', { name: 'Request in Python' });
    await code.waitFor();
    assert.match((await code.textContent()) ?? '', /search_domain_filter/);
    assert.match((await code.textContent()) ?? '', /NESTOR_KEY/);
  });

  test('what the server refuses is told in its words, with the id of the request', async () => {
    const { page } = await console.open({ path: '/search' });
    await page.getByLabel('What to look for').fill('tokens');
    await page.getByLabel('Domains').fill('a.example, -b.example, not/a/domain');
    await page.getByRole('button', { name: 'Search' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    assert.match((await alert.textContent()) ?? '', /Status 4\d\d, request [0-9a-f-]{36}/);
  });
});
