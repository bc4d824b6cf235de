import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { flowLooks } from '../support/looks.ts';
import { longTest } from '../support/rounds.ts';
import { startSite } from '../support/site.ts';
import { assertAccessible, assertFits, skipBrowser, startConsole } from './support.ts';

const adminKey = 'admin-key-of-the-console-tests';
const text = '# Keys of the van\n\nThe keys of the delivery van hang beside the <b>fire exit</b>.';

suite('the page of the documents of an account', { skip: skipBrowser }, async () => {
  const site = await startSite(
    { after },
    {
      '/hours':
        '<!doctype html><html lang="en"><head><title>Opening hours</title></head><body><main><p>The shop opens at ten past eight on weekdays, and is closed on Sundays and on holidays.</p></main></body></html>',
    },
  );
  const console = await startConsole(
    { after },
    {
      withDocs: false,
      env: { NESTOR_ADMIN_KEY: adminKey, NESTOR_OUTBOUND_ALLOW_HOSTS: site.host },
    },
  );
  const { server } = console;
  const find = async (query: string): Promise<string> => (await server.post('/search', { query })).text();

  for (const { width, scheme } of flowLooks)
    test(`a text is added, found, read and deleted, with the keyboard alone, at ${width} px, ${scheme}`, async () => {
      const { page, problems, screenshot } = await console.open({ width, scheme, path: '/documents' });
      const press = async (name: string | RegExp) => {
        const button = page.getByRole('main').getByRole('button', { name, exact: true });
        await button.focus();
        await page.keyboard.press('Enter');
      };
      await page.getByText('None yet.').waitFor();
      await page.getByText('0 of 1,000').waitFor();
      await page.getByLabel('Text', { exact: true }).focus();
      await page.keyboard.insertText(text);
      await page.keyboard.press('Tab');
      await page.keyboard.insertText('Where <b>keys</b> are');
      await page.keyboard.press('Tab');
      await page.keyboard.insertText('https://wiki.example.com/van');
      await page.keyboard.press('Enter');
      await page.getByText('“Where <b>keys</b> are” can be found now.').waitFor();
      await page.getByText('1 of 1,000').waitFor();
      assert.match(await find('keys of the delivery van'), /fire exit/);
      await press('Read Where <b>keys</b> are');
      const opened = page.getByRole('region', { name: 'The open document' });
      await opened.getByText('beside the <b>fire exit</b>').waitFor();
      await page.waitForURL(/[?&]document=doc_/);
      await assertAccessible(page);
      await assertFits(page);
      await screenshot('documents-open');
      // Its address opens it again.
      await page.reload();
      await opened.getByText('beside the <b>fire exit</b>').waitFor();
      await press('Delete Where <b>keys</b> are');
      const keep = page.getByRole('button', { name: 'Keep', exact: true });
      assert.ok(await keep.evaluate((button) => button === document.activeElement), 'the harmless answer');
      await page.keyboard.press('Enter');
      const ask = page.getByRole('button', { name: 'Delete Where <b>keys</b> are', exact: true });
      assert.ok(await ask.evaluate((button) => button === document.activeElement), 'and back where it was');
      await page.keyboard.press('Enter');
      await press('Delete Where <b>keys</b> are for good');
      await opened.waitFor({ state: 'detached' });
      await page.getByText('None yet.').waitFor();
      await page.getByText('0 of 1,000').waitFor();
      assert.doesNotMatch(await find('keys of the delivery van'), /fire exit/);
      assert.deepEqual(problems, []);
    });

  test('a page is read for this account alone, and a place that is no address is refused with its reason', async () => {
    const { page, problems } = await console.open({ path: '/documents' });
    await page.getByRole('tab', { name: 'Add a page, site or feed' }).click();
    const address = page.getByLabel('Address', { exact: true });
    await address.fill('/etc');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').getByText('location').waitFor();
    await address.fill(`${site.url}/hours`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const row = page
      .getByRole('table', { name: 'Sources of the index' })
      .getByRole('row')
      .filter({ hasText: '/hours' });
    await row.getByText('up to date').waitFor();
    await page.getByText('1 of 1,000').waitFor();
    assert.match(await find('when does the shop open'), /ten past eight/);
    await assertAccessible(page);
    await row.getByRole('button', { name: /^Remove / }).click();
    await row.getByRole('button', { name: /for good$/ }).click();
    await row.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });

  longTest('a text of one account is not found by another', async () => {
    const { page } = await console.open({ path: '/documents' });
    await page.getByLabel('Text', { exact: true }).fill(text);
    await page.getByRole('button', { name: 'Add the text' }).click();
    await page.getByText('can be found now.').waitFor();
    const made = await fetch(`${server.url}/admin/v1/accounts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'other' }),
    });
    assert.equal(made.status, 201);
    const { id } = (await made.json()) as { id: string };
    const key = await fetch(`${server.url}/admin/v1/accounts/${id}/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'console' }),
    });
    const { secret } = (await key.json()) as { secret: string };
    const other = await console.open({ path: '/documents', keys: { key: secret } });
    await other.page.getByText('None yet.').waitFor();
    await other.page.goto(`${server.url}/console/search?q=keys+van`);
    await other.page.getByText('Nothing was found.').waitFor();
  });
});
