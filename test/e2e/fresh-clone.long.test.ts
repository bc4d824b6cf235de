import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { assertAccessible, assertFits, launchBrowser, skipBrowser } from '../console/support.ts';
import { run, skipsFirstStart, startFirst } from '../support/first-start.ts';
import { hangMs } from '../support/until.ts';
import { beginStep, openNarrow, playConsole, playTerminal, signIn } from './first-minutes.ts';

const root = new URL('../..', import.meta.url).pathname;

/** One for both tests: its start costs a second of CPU. */
let launched: Promise<Browser> | null = null;
const openBrowser = () => (launched ??= launchBrowser());
after(async () => {
  await (await launched)?.close();
});

test(
  'the first ten minutes: a fresh clone starts by the line of the README, and what it says leads to a decision and to a cited answer, in a terminal and in a browser',
  { skip: skipsFirstStart || skipBrowser, timeout: 900_000 },
  async (t) => {
    const home = await mkdtemp(join(tmpdir(), 'nestor-clone-'));
    t.after(() => rm(home, { recursive: true, force: true }));
    const clone = join(home, 'nestor');
    await run('git', ['clone', '--quiet', root, clone]);
    const readme = await readFile(join(clone, 'README.md'), 'utf8');
    const line = /^```sh\n(.*?)(?: +#.*)?$/m.exec(readme)?.[1] ?? '';
    assert.equal(line, 'npm start');
    const began = await startFirst({ after: (close) => t.after(close) }, ['sh', '-c', `exec ${line}`], {
      cwd: clone,
      home,
    });
    await playTerminal(began, { cwd: clone, home });
    await playConsole(began, await openBrowser());
    await began.stop();
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
    const page = await openNarrow(await openBrowser());
    const main = page.getByRole('main');

    await signIn(page, began.console, began.root_key);
    await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
    await main.getByRole('listitem').nth(9).waitFor();
    assert.equal(await main.getByRole('listitem').count(), 10);
    await assertAccessible(page);
    await assertFits(page);

    await beginStep(page, began.console, 'Decide');
    await main.getByText('Taken from the link.').waitFor();
    await main.getByRole('button', { name: 'Ask', exact: true }).click();
    await main.getByText('billing', { exact: true }).first().waitFor();

    await beginStep(page, began.console, 'Ask');
    await main.getByRole('button', { name: 'Ask', exact: true }).click();
    await main
      .getByText(/put on shelf seven/)
      .first()
      .waitFor();

    await beginStep(page, began.console, 'Evaluate');
    await main.getByRole('button', { name: 'Learn from 15 examples' }).click();
    await main.getByRole('heading', { name: 'Before and after' }).waitFor();
    await main
      .getByRole('table', { name: 'Figures of each question' })
      .getByText(/^(?:taken: |not surely better)/)
      .waitFor();

    const gone = once(demo, 'close');
    demo.kill('SIGTERM');
    assert.deepEqual(await gone, [0, null]);
    assert.ok(!existsSync(began.data));
  },
);
