import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { assertAccessible, assertFits } from '../console/support.ts';
import { cleanEnvironment, run, type FirstStart } from '../support/first-start.ts';
import { hangMs, pollEnd } from '../support/until.ts';

/** What somebody types who is in a clone of the repository: the guide says `nestor` for `npm run nestor --`. */
const shellOf = (line: string) => `nestor() { npm run --silent nestor -- "$@"; }\n${line}`;

/**
 * In a second terminal: `nestor` alone says what to do next, and each line that it proposes does it, as pasted. `clone` is where
 * the server was started.
 */
export async function playTerminal(
  { url, rootKey }: FirstStart,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): Promise<void> {
  const env = cleanEnvironment(home);
  const type = async (line: string, key: NodeJS.ProcessEnv) =>
    (await run('sh', ['-euc', shellOf(line)], { cwd, env: { ...env, ...key }, timeout: hangMs })).stdout;

  const unknown = await type('nestor', {});
  assert.ok(unknown.includes(`A server is ready at ${url}`), unknown);
  assert.match(unknown, /^ {2}export NESTOR_KEY=svc-… .*your key, which the first start printed$/m);

  const key = { NESTOR_KEY: rootKey };
  const greeting = await type('nestor', key);
  assert.match(greeting, /^Decisions: the engine "encoder"$/m);
  assert.match(greeting, /^Chat: no model; answers are sentences of the sources$/m);
  assert.ok(greeting.includes(`${url}/console/first-steps  `), greeting);
  const proposed = [...greeting.matchAll(/^ {2}(nestor .*?) {2,}(.*)$/gm)].map(([, line = '', what]) => ({
    line,
    what,
  }));
  assert.deepEqual(
    proposed.map(({ what }) => what),
    ['a decision', 'an answer with its sources'],
  );

  const [decide, ask] = proposed;
  const decided = await type(decide?.line ?? '', key);
  assert.match(decided, /^q1 {2}yes\n {2}yes {2}█+░* {2}0\.\d{3}\n {2}no {3}█*░+ {2}0\.\d{3}$/m);
  // A search waits for the guide to be in the index, but not for as long as a busy machine may need.
  await pollEnd(
    () => search(url, rootKey, 'How do I revoke a token?'),
    (found) => found.includes('/docs/guide/keys'),
  );
  const answered = await type(ask?.line ?? '', key);
  const [, source] = /Send the token to `?POST \/revoke_auth_token`?.*\[(\d+)\]/.exec(answered) ?? [];
  assert.ok(source !== undefined, answered);
  assert.ok(answered.includes(`\n[${source}] Keys and tokens\n    ${url}/docs/guide/keys\n`), answered);
}

async function search(url: string, key: string, query: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/search`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  return response.text();
}

/** At the address that was printed, with the key that was: a first decision, and a first answer down to the sentence that it cites. */
export async function playConsole({ url, rootKey }: FirstStart, browser: Browser): Promise<void> {
  const page = await openNarrow(browser);
  const main = page.getByRole('main');
  await signIn(page, `${url}/console/first-steps`, rootKey);
  await page.getByRole('heading', { level: 1, name: 'First steps' }).waitFor();
  await assertAccessible(page);
  await assertFits(page);

  await beginStep(page, `${url}/console/first-steps`, 'Decide');
  await main.getByText('Taken from the link.').waitFor();
  await main.getByRole('button', { name: 'Ask', exact: true }).click();
  await main.getByRole('status').getByText('Answered.').waitFor();
  await main.getByText('billing', { exact: true }).first().waitFor();

  await beginStep(page, `${url}/console/first-steps`, 'Ask');
  assert.equal(await main.getByLabel('Question', { exact: true }).inputValue(), 'How do I revoke a token?');
  await main.getByRole('button', { name: 'Ask', exact: true }).click();
  await main.getByText(/^Complete, with \d+ sources?\.$/).waitFor();
  await main
    .getByText(/Send the token to/)
    .first()
    .waitFor();
  await main
    .getByRole('link', { name: /^Source \d+$/ })
    .first()
    .click();
  assert.match(await page.locator(':focus').innerText(), /Keys and tokens/);
  await page.close();
}

/** As on a telephone. */
export async function openNarrow(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ reducedMotion: 'reduce', viewport: { width: 390, height: 844 } });
  page.setDefaultTimeout(hangMs);
  return page;
}

export async function signIn(page: Page, address: string, key: string): Promise<void> {
  assert.equal((await page.goto(address))?.status(), 200);
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** From the page First steps, which is at `address`. */
export async function beginStep(page: Page, address: string, step: string): Promise<void> {
  await page.goto(address);
  await page.getByRole('main').getByRole('link', { name: step, exact: true }).click();
}
