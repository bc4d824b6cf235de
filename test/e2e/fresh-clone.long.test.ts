import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { assertAccessible, assertFits, findChromium, skipBrowser } from '../console/support.ts';
import { assertFirstStart, run, skipsFirstStart } from '../support/first-start.ts';
import { hangMs } from '../support/until.ts';

const root = new URL('../..', import.meta.url).pathname;

test(
  'a fresh clone answers the line that npm start prints',
  { skip: skipsFirstStart, timeout: 300_000 },
  async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'nestor-clone-'));
    t.after(() => rm(home, { recursive: true, force: true }));
    const clone = join(home, 'nestor');
    await run('git', ['clone', '--quiet', root, clone]);
    await assertFirstStart({ after: (close) => t.after(close) }, ['npm', 'start'], { cwd: clone, home });
  },
);

const entry = fileURLToPath(new URL('../../bin/nestor.mjs', import.meta.url));

interface Began {
  readonly console: string;
  readonly root_key: string;
  readonly data: string;
}

test(
  'nestor demo leads through a first decision, a first cited answer and a first evaluation, and leaves nothing',
  { skip: skipBrowser, timeout: hangMs },
  async (t) => {
    const demo = spawn(process.execPath, [entry, 'demo', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => demo.kill('SIGKILL'));
    const [line] = (await once(createInterface({ input: demo.stdout }), 'line')) as [string];
    const began = JSON.parse(line) as Began;
    const executablePath = findChromium();
    const browser = await chromium.launch({
      ...(executablePath === null ? {} : { executablePath }),
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    });
    t.after(() => browser.close());
    const page = await browser.newPage({ reducedMotion: 'reduce', viewport: { width: 390, height: 844 } });
    page.setDefaultTimeout(hangMs);
    const main = page.getByRole('main');
    const begin = async (step: string): Promise<void> => {
      await page.goto(began.console);
      await main.getByRole('link', { name: step, exact: true }).click();
    };

    assert.equal((await page.goto(began.console))?.status(), 200);
    await page.getByLabel('Key', { exact: true }).fill(began.root_key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
    await main.getByRole('listitem').nth(9).waitFor();
    assert.equal(await main.getByRole('listitem').count(), 10);
    await assertAccessible(page);
    await assertFits(page);

    await begin('Decide');
    await main.getByText('Taken from the link.').waitFor();
    await main.getByRole('button', { name: 'Ask', exact: true }).click();
    await main.getByText('billing', { exact: true }).first().waitFor();

    await begin('Ask');
    await main.getByRole('button', { name: 'Ask', exact: true }).click();
    await main
      .getByText(/put on shelf seven/)
      .first()
      .waitFor();

    await begin('Evaluate');
    await main.getByRole('button', { name: 'Learn from 15 examples' }).click();
    await main.getByRole('heading', { name: 'Before and after' }).waitFor();

    const gone = once(demo, 'close');
    demo.kill('SIGTERM');
    assert.deepEqual(await gone, [0, null]);
    assert.ok(!existsSync(began.data));
  },
);
