import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { finish, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { assertHarmless, hostileText, startHostileEngine } from './answers.ts';
import { flowLooks } from '../support/looks.ts';
import { assertAccessible, assertFits, skipBrowser, startConsole } from './support.ts';
import { longTest } from '../support/rounds.ts';

/** A job that waits ends when a test says so. */
const gate = Promise.withResolvers<void>();
const writes: Answer = async function* tells(request) {
  const asked = JSON.stringify(request.turns.at(-1));
  if (asked.includes('fail')) throw new Error('the model is broken');
  if (asked.includes('wait')) await gate.promise;
  yield [text(hostileText)];
  yield finish();
};

async function create(page: Page, model: string, question: string): Promise<void> {
  await page.getByLabel('Model').selectOption(model);
  await page.getByLabel('Question', { exact: true }).fill(question);
  await page.getByRole('button', { name: 'Create the job' }).click();
}

const openJob = (page: Page) => page.getByRole('region', { name: 'The open job' });
const rows = (page: Page) => page.getByRole('table', { name: 'Jobs' }).getByRole('row');

suite('the page Jobs', { skip: skipBrowser }, async () => {
  const engine = await startHostileEngine({ after });
  // Costs are shown where somebody has set a price.
  const embedded = await startConsole({ after }, { config: 'prices: { svc/svc: 0.25 }' });
  const scripted = await startConsole(
    { after },
    {
      withDocs: false,
      providers: [scriptedProvider('lab', { writer: { answer: writes } })],
      env: { NESTOR_RATE_LIMITS_ENABLED: 'false' },
      config: `
search: { engines: [{ type: searxng, url: "${engine}" }], timeout_s: 2 }
models: { svc: lab/writer }
`,
    },
  );

  for (const { width, scheme } of flowLooks)
    test(`a job is created and its report read at ${width} px, ${scheme}`, async () => {
      const { page, problems, screenshot } = await embedded.open({ width, scheme, path: '/jobs' });
      await create(page, 'svc-deep-research', 'How do I revoke a token?');
      const job = openJob(page);
      await job.getByText('Complete', { exact: true }).waitFor();
      await job.getByText(/[\d,]+ tokens in, [\d,]+ out · \$/).waitFor();
      await job.getByRole('link', { name: 'Source 1', exact: true }).first().click();
      assert.equal(await page.locator(':focus').getByLabel('Source 1').innerText(), '1');
      await rows(page).nth(1).getByText('Complete', { exact: true }).waitFor();
      await rows(page).nth(1).getByText('How do I revoke a token?').waitFor();
      await job.getByText('How do I revoke a token?', { exact: true }).first().waitFor();
      await assertAccessible(page);
      await assertFits(page);
      await screenshot('jobs-report');
      assert.deepEqual(problems, []);
    });

  longTest('a job that runs is followed to its end, here and after a reload', async () => {
    const { page, problems } = await scripted.open({ path: '/jobs' });
    await create(page, 'svc', 'wait for kea');
    await openJob(page).getByText('Running', { exact: true }).waitFor();
    await page.getByText('1 under way; this list is kept up to date.').waitFor();
    await page.reload();
    await openJob(page).getByText('Running', { exact: true }).waitFor();
    gate.resolve();
    await openJob(page).getByText('Complete', { exact: true }).waitFor();
    await page.getByText('None is under way.').waitFor();
    await openJob(page).getByRole('button', { name: 'Close' }).click();
    await openJob(page).waitFor({ state: 'detached' });
    await rows(page).nth(1).getByRole('button').click();
    await openJob(page).getByText('Complete', { exact: true }).waitFor();
    assert.deepEqual(problems, []);
  });

  longTest(
    'the same key with the same question is the same job, and with another it is refused',
    async () => {
      const { page, problems } = await scripted.open({ path: '/jobs' });
      const ask = async (question: string) => {
        await page.getByLabel('Key of this job').fill('one-key');
        await create(page, 'svc', question);
      };
      await page.getByText('Idempotency key').click();
      await ask('kea');
      await openJob(page).getByText('Complete', { exact: true }).waitFor();
      await page.waitForURL(/[?&]job=/);
      const id = new URL(page.url()).searchParams.get('job');
      // The list is asked for anew beside the job.
      await rows(page).nth(1).getByText('kea', { exact: true }).waitFor();
      await rows(page).nth(1).getByText('Complete', { exact: true }).waitFor();
      const before = await rows(page).count();
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await ask('kea');
      assert.equal((await answered).status(), 200);
      assert.equal(new URL(page.url()).searchParams.get('job'), id);
      assert.equal(await rows(page).count(), before);
      await ask('another bird');
      await page.getByRole('alert').getByText('Status 409').waitFor();
      assert.deepEqual(problems, []);
    },
  );

  longTest('why a job failed is told', async () => {
    const { page, problems } = await scripted.open({ path: '/jobs' });
    await create(page, 'svc', 'fail');
    await openJob(page).getByText('Failed', { exact: true }).waitFor();
    const told = await openJob(page).getByRole('alert').innerText();
    assert.ok(told.length > 20 && !told.includes('the model is broken'), told);
    await assertAccessible(page);
    assert.deepEqual(problems, []);
  });

  longTest('older jobs are on further pages', async () => {
    const { page } = await scripted.open({ path: '/jobs' });
    for (let n = 0; n < 21; n++) {
      const request = { model: 'svc', messages: [{ role: 'user', content: `kea ${n}` }] };
      assert.equal((await scripted.server.post('/async/chat/completions', { request })).status, 200);
    }
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('button', { name: 'Newer' }).waitFor();
    await page.getByRole('button', { name: 'Older' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Newer' }).click();
    await page.getByRole('button', { name: 'Newer' }).waitFor({ state: 'detached' });
    // The page's header and twenty jobs.
    await rows(page).nth(20).waitFor();
    assert.equal(await rows(page).count(), 21);
  });

  test('what models and pages write is text: nothing runs and nothing is asked for', async () => {
    const { page, requests, problems } = await scripted.open({ path: '/jobs' });
    await create(page, 'svc', 'hostile kea');
    await openJob(page).getByText('Complete', { exact: true }).waitFor();
    const told = await openJob(page).innerText();
    for (const piece of [
      '<img src=x onerror="alert(1)">',
      '<script>alert(2)</script>',
      '[pixel: https://tracker.invalid/p.png]',
    ])
      assert.ok(told.includes(piece), piece);
    await assertHarmless(page, requests);
    await assertAccessible(page);
    assert.deepEqual(problems, []);
  });
});
