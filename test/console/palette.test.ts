import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { flowLooks } from '../support/looks.ts';
import { assertAccessible, assertFits, skipBrowser, startConsole } from './support.ts';

const palette = (page: Page) => page.getByRole('dialog', { name: 'Command palette' });
const field = (page: Page) => palette(page).getByRole('combobox');
const chosen = (page: Page) => palette(page).getByRole('option', { selected: true });

/** By keys alone: opens the palette, writes, waits for what is chosen, and runs it. */
async function command(page: Page, words: string, label: string | RegExp): Promise<void> {
  await page.keyboard.press('ControlOrMeta+K');
  await field(page).waitFor();
  // Shown a moment before it has the focus.
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox');
  await page.keyboard.insertText(words);
  await chosen(page).filter({ hasText: label }).waitFor();
  await page.keyboard.press('Enter');
  await palette(page).waitFor({ state: 'detached' });
}

suite('the command palette', { skip: skipBrowser }, async () => {
  const console = await startConsole({ after }, { withDocs: false });

  for (const { width, scheme } of flowLooks)
    test(`pages, actions, the guide and conversations by the keyboard alone at ${width} px, ${scheme}`, async () => {
      const { page, problems, screenshot } = await console.open({ width, scheme, path: '/decide' });

      // A page, and the focus goes on there.
      await command(page, 'jobs', /^Jobs/);
      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
      await page.waitForFunction(() => document.activeElement?.id === 'main');

      // An action that leads into a field.
      await command(page, 'new key', 'New key');
      await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
      await page.waitForFunction(
        () => document.activeElement?.getAttribute('placeholder') === 'billing service',
      );
      await page.keyboard.insertText('by the palette');
      await page.keyboard.press('Enter');
      await page.getByText('Copy the token now').waitFor();

      // One that stays where it is.
      const other = scheme === 'light' ? 'dark' : 'light';
      await command(page, 'toggle dark mode', `Use ${other} colours`);
      await page.locator(`html[data-mantine-color-scheme="${other}"]`).waitFor();
      await page.getByText('Copy the token now').waitFor();

      // A section of the guide.
      await command(page, 'revoke token no longer have', 'How do I revoke a token that I no longer have?');
      await page.getByRole('heading', { level: 1, name: 'Keys and tokens' }).waitFor();
      await page.waitForURL(/\/console\/docs\/guide\/keys#how-do-i-revoke-a-token/);

      // Words to ask, then the conversation that they began. It is kept, so that each look asks for a bird of its own.
      const bird = `finch${width}`;
      await command(page, `What is ${bird}?`, 'Ask in a chat');
      await page.getByRole('button', { name: 'Ask', exact: true }).click();
      await page.waitForURL(/\/chat\?conversation=/);
      const conversation = page.url();
      await command(page, 'new chat', 'New chat');
      await page.waitForURL(/\/chat$/);
      assert.equal(await page.getByRole('region', { name: 'Question 1', exact: true }).count(), 0);
      await command(page, bird, `What is ${bird}?`);
      await page.waitForURL(conversation);
      await page.getByRole('region', { name: 'Question 1', exact: true }).waitFor();

      assert.deepEqual(problems, []);
      await screenshot('palette');
    });

  for (const { width, scheme } of flowLooks)
    test(`a dialog that axe passes, that fits, and that gives the focus back at ${width} px, ${scheme}`, async () => {
      const { page, problems, screenshot } = await console.open({ width, scheme, path: '/keys' });
      const name = page.getByLabel('Name of the new token');
      await name.focus();
      await page.keyboard.press('ControlOrMeta+K');
      await chosen(page).waitFor();
      await assertAccessible(page);
      await assertFits(page);
      const first = await chosen(page).innerText();
      await page.keyboard.press('ArrowUp');
      assert.notEqual(await chosen(page).innerText(), first);
      await page.keyboard.press('ArrowDown');
      assert.equal(await chosen(page).innerText(), first);
      assert.equal(
        await field(page).getAttribute('aria-activedescendant'),
        await chosen(page).getAttribute('id'),
      );
      // With what was found, and with nothing but what can be asked.
      await page.keyboard.insertText('token');
      await palette(page).getByRole('group', { name: 'Documentation' }).waitFor();
      await assertAccessible(page);
      await screenshot('palette-found');
      await page.keyboard.press('Escape');
      await palette(page).waitFor({ state: 'detached' });
      await page.waitForFunction(
        () => document.activeElement?.getAttribute('placeholder') === 'billing service',
      );
      // The page around it, which is out of reach while the dialog is open.
      await assertAccessible(page);
      // By mouse as well.
      await page.getByRole('button', { name: 'Go to' }).click();
      await palette(page).getByRole('option', { name: 'Search Answers' }).click();
      await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor();
      assert.deepEqual(problems, []);
    });
});
