import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { looks } from '../support/looks.ts';
import { isLongRun, variationsOf } from '../support/rounds.ts';
import { fillServer, openScene, scenes, type Keystrokes } from './scenes.ts';
import { assertAccessible, assertContrastIn, assertFits, skipBrowser, startConsole } from './support.ts';

const adminKey = 'admin-key-of-the-console-tests';
/** More stops than the longest page has. */
const stopsMax = 250;

suite('every page with something in it', { skip: skipBrowser }, async () => {
  const console = await startConsole(
    { after },
    { withDocs: false, withEncoder: true, env: { NESTOR_ADMIN_KEY: adminKey } },
  );
  const { server } = console;
  await fillServer(server.url, server.key);
  const keys = { key: server.key, adminKey };

  for (const [look, { width, scheme, other }] of looks.entries())
    test(`${isLongRun ? 'all' : 'some'} at ${width} px, ${scheme}: accessible, fits, and its main button is in view`, async () => {
      const { page, problems } = await console.open({ width, scheme, keys });
      // In the usual run each look has some of them.
      for (const scene of scenes.filter((_, at) => isLongRun || at % (4 * looks.length) === look)) {
        await openScene(page, server.url, { name: scene.name, path: scene.path });
        await assertMainInView(page, scene.main);
        await scene.reach?.(page);
        await page.waitForLoadState('networkidle');
        await assertAccessible(page);
        if (isLongRun) await assertContrastIn(page, other, scheme);
        await assertFits(page);
      }
      assert.deepEqual(problems, []);
    });

  test('money is not shown before somebody has set a price, and names without a model are marked', async () => {
    const { page, problems } = await console.open({ keys });
    for (const path of ['/usage', '/keys', '/models']) {
      await openScene(page, server.url, { name: path, path });
      assert.doesNotMatch(await page.getByRole('main').innerText(), /\$\s?\d/, path);
    }
    const row = page.getByRole('table', { name: 'Models', exact: true }).getByRole('row');
    await row.filter({ hasText: 'svc/svc-pro' }).getByText('unavailable: no model behind it').waitFor();
    await row.filter({ hasText: 'embedded/extractive' }).getByText('answers').waitFor();
    await openScene(page, server.url, { name: 'usage', path: '/usage' });
    await page.getByText('Costs are shown once prices matter').waitFor();
    assert.deepEqual(problems, []);
  });

  const flows = scenes.flatMap(({ flow, ...scene }) => (flow === undefined ? [] : [{ ...scene, ...flow }]));
  for (const { name, path, keys: typed, shows } of variationsOf(flows, 4))
    test(`${name}: its main flow with the keyboard alone, and what has the focus is in view`, async () => {
      const { page, problems } = await console.open({ keys });
      await openScene(page, server.url, { name, path });
      assert.equal(await page.getByRole('main').getByText(shows).count(), 0);
      for (const keystrokes of typed) await type(page, keystrokes);
      await page.getByRole('main').getByText(shows).first().waitFor();
      assert.deepEqual(problems, []);
    });
});

/** Before anything was done on the page. */
async function assertMainInView(page: Page, name: string | undefined): Promise<void> {
  if (name === undefined) return;
  const button = page
    .getByRole('main')
    .locator('button, a')
    .filter({ hasText: new RegExp(`^${name}$`), visible: true })
    .first();
  const box = await button.boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  assert.ok(
    box !== null && box.y >= 0 && box.y + box.height <= height,
    `${page.url()}: ${name} at ${box?.y} of ${height}`,
  );
}

async function type(page: Page, keystrokes: Keystrokes): Promise<void> {
  const main = page.getByRole('main');
  if ('field' in keystrokes) {
    await tabTo(page, main.getByRole('textbox', { name: keystrokes.field, exact: true }));
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(keystrokes.text);
    return;
  }
  const { enter: name, file } = keystrokes;
  // Before the first key: the browser has to be told that the dialog is ours.
  const chooser = file === undefined ? null : page.waitForEvent('filechooser');
  await tabTo(
    page,
    main.getByRole('button', { name, exact: true }).or(main.getByRole('link', { name, exact: true })),
  );
  await page.keyboard.press('Enter');
  await (await chooser)?.setFiles(file ?? []);
}

/** By the key Tab alone. Every stop on the way has to be in view. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let stop = 0; stop < stopsMax; stop++) {
    await page.keyboard.press('Tab');
    const hidden = await page.evaluate(findHidden);
    assert.equal(hidden, null, 'what has the focus is covered, or out of view');
    const isThere = await wanted.evaluateAll((elements) =>
      elements.some((element) => element === document.activeElement),
    );
    if (isThere) return;
  }
  assert.fail(`${stopsMax} stops do not reach ${String(wanted)}`);
}

/** What has the focus, where no point of it can be seen. In the browser. */
function findHidden(): string | null {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return null;
  const { left, right, top, bottom } = focused.getBoundingClientRect();
  const xs = [left + 2, (left + right) / 2, right - 2];
  const ys = [top + 2, (top + bottom) / 2, bottom - 2];
  const isSeen = xs.some((x) =>
    ys.some((y) => {
      const at = document.elementFromPoint(x, y);
      return at !== null && (focused.contains(at) || at.contains(focused) || at.closest('label') !== null);
    }),
  );
  return isSeen ? null : focused.outerHTML.slice(0, 300);
}
