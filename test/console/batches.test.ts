import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { flowLooks } from '../support/looks.ts';
import { keepAsking } from './keep-asking.ts';
import { assertAccessible, assertFits, skipBrowser, startConsole } from './support.ts';
import { longTest } from '../support/rounds.ts';

const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

async function choose(page: Page, path: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: /^Choose (a|another) file$/ }).click();
  await (await chooser).setFiles(path);
}

suite('the page Batches', { skip: skipBrowser }, async () => {
  const console = await startConsole({ after }, { config: 'decisions: { engine: words }', withDocs: false });
  const folder = await mkdtemp(join(tmpdir(), 'nestor-batches-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const lines = join(folder, 'rows.jsonl');
  const row = (at: number) =>
    JSON.stringify({ id: `mail-${at}`, state: at === 1 ? hostile : `Refund ${at}` });
  await writeFile(lines, Array.from({ length: 60 }, (_, at) => row(at + 1)).join('\n'));

  for (const { width, scheme } of flowLooks)
    test(`a file is looked at, sent, followed and its results fetched at ${width} px, ${scheme}`, async () => {
      const { page, problems, screenshot } = await console.open({ width, scheme, path: '/batches' });
      await choose(page, lines);
      await page.getByText(/^rows\.jsonl, \d\.\dKB$/).waitFor();
      await page.getByRole('table', { name: 'The first rows' }).getByText('mail-5').waitFor();
      await assertAccessible(page);
      await assertFits(page);
      await screenshot('batches-new');
      await page.getByRole('button', { name: 'Send the batch' }).click();
      await page.getByRole('heading', { level: 1, name: 'rows.jsonl' }).waitFor();
      await page.getByText('Complete', { exact: true }).waitFor();
      await page.getByText(/^60 of 60 rows/).waitFor();
      const results = page.getByRole('table', { name: 'The first results' });
      await results.getByText('mail-20').waitFor();
      assert.match(await results.getByRole('row').nth(1).innerText(), /^1\s+mail-1\s+(yes|no) \(0\.\d{3}\)/);
      await assertAccessible(page);
      await assertFits(page);
      await screenshot('batches-complete');

      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download the results' }).click();
      const download = await waiting;
      assert.equal(download.suggestedFilename(), 'rows-results.jsonl');
      const written = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
      assert.equal(written.length, 60);
      assert.equal((JSON.parse(written[59] ?? '') as { id: string }).id, 'mail-60');

      await page.reload();
      await page.getByText(/^60 of 60 rows/).waitFor();
      await page.getByRole('button', { name: 'Delete the batch with its results' }).click();
      await page.getByRole('button', { name: 'Delete the batch with its results for good' }).click();
      await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor();
      await page.getByText('None yet. Choose a file above').waitFor();
      assert.deepEqual(problems, []);
    });

  longTest(
    'what is wrong with a file is told before it is sent, and what the server refuses after',
    async () => {
      const { page, problems } = await console.open({ path: '/batches' });
      const broken = join(folder, 'broken.jsonl');
      await writeFile(broken, `${row(1)}\n{"state": 5}\nnothing\n`);
      await choose(page, broken);
      await page.getByText('Line 2: state must be a string, object or array.').waitFor();
      await page.getByText('Line 3: not valid JSON.').waitFor();
      await page.getByRole('button', { name: 'Send the batch' }).click();
      await page
        .getByRole('alert')
        .getByText(/line 2/)
        .waitFor();
      assert.equal(await page.locator('main img, main script').count(), 0);
      assert.deepEqual(problems, []);
    },
  );

  longTest(
    'a table becomes a batch of the column that is chosen, and one that runs is cancelled',
    async () => {
      const { page, problems, screenshot } = await console.open({ path: '/batches' });
      const table = join(folder, 'mails.csv');
      const text = 'I was charged twice for my order and want the money back, '.repeat(3);
      const rows = Array.from({ length: 20_000 }, (_, at) => `${at},"${text}${at}"`);
      await writeFile(table, `number,text\n${rows.join('\n')}`);
      await choose(page, table);
      await page.getByText(/^mails\.csv, \d\.\dMB, 20,000 rows$/).waitFor();
      assert.equal(await page.getByLabel('Column of the state').inputValue(), '1');
      await page.getByRole('button', { name: 'Send the batch' }).click();
      await page.getByText(/^[\d,]+ of 20,000 rows · [\d,.]+ rows a second · about \d+ \w+ left$/).waitFor();
      const stopAsking = keepAsking(console.server);
      await assertAccessible(page);
      await screenshot('batches-running');
      await page.getByRole('button', { name: 'Cancel the batch' }).click();
      await page.getByRole('button', { name: 'Cancel the batch for good' }).click();
      await page.getByText('Cancelled', { exact: true }).waitFor();
      await stopAsking();
      await page.getByRole('link', { name: 'All batches' }).click();
      await page.getByRole('table', { name: 'Batches' }).getByText('mails.csv').waitFor();
      await page.getByText('Cancelled', { exact: true }).waitFor();
      assert.deepEqual(problems, []);
    },
  );
});
