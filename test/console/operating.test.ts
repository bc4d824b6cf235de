import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { ask } from '../support/examples.ts';
import { knownModel, startModelHub } from '../support/known-models.ts';
import { skillZip } from '../support/zip.ts';
import { flowWidths } from '../support/looks.ts';
import { assertAccessible, assertFits, skipBrowser, startConsole } from './support.ts';
import { longTest } from '../support/rounds.ts';

const adminKey = 'admin-key-of-the-console-tests';

suite('pages that operate a server', { skip: skipBrowser }, async () => {
  // Each test has its own; a download that begins after it was opened goes through as well.
  let pulls = Promise.withResolvers<void>();
  const hub = await startModelHub({ after }, { holds: () => pulls.promise });
  const console = await startConsole(
    { after },
    {
      env: { NESTOR_ADMIN_KEY: adminKey },
      // Costs are shown where somebody has set a price.
      config: 'prices: { svc/svc: 0.25 }',
      hub: { endpoint: hub.url, token: undefined, proxy: undefined },
      knownModels: flowWidths.map((width) => knownModel(`tiny-${width}`, 'Pass the terms on.')),
    },
  );
  const { server } = console;
  for (const state of ['one', 'two', 'three'])
    await server.post('/v1/decisions', { ...ask({ type: 'noul', instructions: 'Is it a number?' }), state });

  for (const width of flowWidths)
    test(`usage shows requests and cost by day, model and key, at ${width} px`, async () => {
      const { page, problems, screenshot } = await console.open({ width, path: '/usage' });
      await page.getByRole('table', { name: 'By model and operation' }).getByText('createDecision').waitFor();
      const row = page.getByRole('table', { name: 'By model and operation' }).getByRole('row').nth(1);
      assert.match((await row.textContent()) ?? '', /svc-decider.*createDecision.*3/);
      const today = new Date().toISOString().slice(0, 10);
      const byDay = page.getByRole('table', { name: 'Requests and cost by day' });
      await byDay.getByText(today).first().waitFor({ state: 'attached' });
      // The charts are drawn once their size is known.
      await page.locator('.recharts-bar-rectangle').first().waitFor({ state: 'attached' });
      await assertAccessible(page);
      await assertFits(page);
      await screenshot('usage-filled');
      assert.deepEqual(problems, []);
    });

  longTest('usage of all accounts is there for the administration only', async () => {
    const own = await console.open({ path: '/usage' });
    await own.page.getByRole('heading', { name: 'By key' }).waitFor();
    assert.equal(await own.page.getByRole('switch', { name: 'All accounts' }).count(), 0);
    const all = await console.open({ path: '/usage', keys: { key: server.key, adminKey } });
    await all.page.getByRole('switch', { name: 'All accounts' }).click();
    await all.page.getByRole('table', { name: 'By account and key' }).getByText('default').waitFor();
    assert.deepEqual(all.problems, []);
  });

  test('a token is made, shown once, works, and is refused once it is revoked', async () => {
    const { page, problems } = await console.open({ path: '/keys' });
    await page.getByLabel('Name of the new token').fill('<b>billing</b>');
    await page.getByRole('button', { name: 'Make a token' }).click();
    const shown = page.getByRole('status').filter({ hasText: 'Copy the token now' });
    const token = (await shown.locator('code').textContent()) ?? '';
    const status = async () =>
      (await fetch(`${server.url}/v1/account`, { headers: { authorization: `Bearer ${token}` } })).status;
    assert.equal(await status(), 200);
    await assertAccessible(page);
    await page.getByRole('button', { name: 'Hide' }).click();
    assert.ok(!(await page.content()).includes(token));
    await page.getByRole('cell', { name: '<b>billing</b>', exact: true }).waitFor();
    await page.getByRole('button', { name: /^Revoke <b>billing/ }).click();
    await page.getByRole('button', { name: /for good$/ }).click();
    await page.getByText(/^revoked /).waitFor();
    assert.equal(await status(), 401);
    assert.deepEqual(problems, []);
    assert.ok(!JSON.stringify(server.log).includes(token));
  });

  test('a skill is added, opened, replaced, downloaded and deleted', async () => {
    const { page, problems, screenshot } = await console.open({ path: '/skills' });
    const path = join(server.data, 'skill.zip');
    await writeFile(path, skillZip());
    const choose = async (label: string | RegExp) => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: label }).click();
      await (await chooser).setFiles(path);
    };
    await choose('Add a skill');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: /^Open / }).click();
    await choose(/^A new revision of /);
    await page.getByRole('button', { name: 'Send' }).last().click();
    await page.getByText('Sent.').last().waitFor();
    await page.locator('li').nth(1).waitFor();
    await assertAccessible(page);
    await screenshot('skills-open');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: /^Download / }).click();
    const saved = await readFile(await (await download).path());
    assert.equal(saved.subarray(0, 2).toString(), 'PK');
    await page.getByRole('button', { name: /^Delete / }).click();
    await page.getByRole('button', { name: /for good$/ }).click();
    await page.getByText('No skills yet').waitFor();
    assert.deepEqual(problems, []);
  });

  test('a folder is added to the index, found, refreshed and removed', async () => {
    const folder = join(server.data, 'documents');
    await mkdir(folder);
    await writeFile(
      join(folder, 'kea.md'),
      '# Kea\n\nThe kea is a parrot that lives in the mountains of New Zealand.\n',
    );
    const { page, problems, screenshot } = await console.open({
      path: '/index',
      keys: { key: server.key, adminKey },
    });
    await page.getByLabel('Folder on the server, or address').fill(folder);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const row = page.getByRole('row').filter({ hasText: folder });
    await row.getByText('up to date').waitFor();
    const found = await (await server.post('/search', { query: 'kea parrot' })).text();
    assert.match(found, /New Zealand/);
    await assertAccessible(page);
    await screenshot('index-filled');
    await row.getByRole('button', { name: /^Refresh / }).click();
    await row.getByText('up to date').waitFor();
    await row.getByRole('button', { name: /^Remove / }).click();
    await row.getByRole('button', { name: /for good$/ }).click();
    await row.waitFor({ state: 'detached' });
    assert.doesNotMatch(await (await server.post('/search', { query: 'kea parrot' })).text(), /New Zealand/);
    assert.deepEqual(problems, []);
  });

  longTest(
    'a place that cannot be indexed is told, and who has no administration key is told how to get one',
    async () => {
      const { page } = await console.open({ path: '/index', keys: { key: server.key, adminKey } });
      await page.getByLabel('Folder on the server, or address').fill('not a place');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('alert').getByText('location must be').waitFor();
      const without = await console.open({ path: '/index' });
      await without.page.getByText('NESTOR_ADMIN_KEY').waitFor();
      await assertAccessible(without.page);
    },
  );

  for (const width of flowWidths)
    test(`models to pull are shown with their licence, and pulled once that is accepted, at ${width} px`, async () => {
      pulls = Promise.withResolvers();
      const { page, problems, screenshot } = await console.open({
        width,
        path: '/models',
        keys: { key: server.key, adminKey },
      });
      const row = page.getByRole('row').filter({ hasText: `tiny-${width}` });
      await row.getByText('not pulled').waitFor();
      await row.getByRole('button', { name: /^Pull / }).click();
      await row.getByText('Pass the terms on.').waitFor();
      await assertAccessible(page);
      await assertFits(page);
      await row.getByRole('button', { name: /^Accept and pull / }).click();
      await row.getByRole('button', { name: /^Cancel the pull of / }).waitFor();
      await page.reload();
      await row.getByText(/^is being pulled: /).waitFor();
      await assertAccessible(page);
      await screenshot('models-pulling');
      pulls.resolve();
      await row.getByText('in the data folder').waitFor();
      const table = page.getByRole('table', { name: 'Models in the data folder' });
      await table.getByText(`tiny-${width}`, { exact: true }).waitFor();
      await table.getByText('embeds, decides (cosine)').first().waitFor();
      await assertAccessible(page);
      await assertFits(page);
      assert.deepEqual(problems, []);
    });

  longTest('health, engines and models are told', async () => {
    const { page, problems, screenshot } = await console.open({
      path: '/models',
      keys: { key: server.key, adminKey },
    });
    await page.getByText('not configured').first().waitFor();
    await page.getByRole('button', { name: 'Ask a small question of each' }).click();
    await page
      .getByText(/^Decisions by .*: answered by the engine words in/)
      .first()
      .waitFor();
    await page.getByText(/^Embeddings by .*: answered by the engine words in/).waitFor();
    await page.getByRole('table', { name: 'Models' }).getByText('embedded/extractive').waitFor();
    await page.getByRole('table', { name: 'Server processes on this store' }).waitFor();
    await assertAccessible(page);
    await screenshot('models-asked');
    assert.deepEqual(problems, []);
  });
});
