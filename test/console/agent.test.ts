import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { call, finish, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import type { TestServer } from '../support/server.ts';
import { assertHarmless, endless, hostileText, startHostileEngine } from './answers.ts';
import { flowLooks } from '../support/looks.ts';
import { assertAccessible, assertFits, skipBrowser, startConsole } from './support.ts';
import { pollEnd } from '../support/until.ts';
import { longTest } from '../support/rounds.ts';

const code = `import os
os.makedirs('share', exist_ok=True)
open('share/a.txt', 'w').write('kept')
print(6 * 7)
print('<img src=x onerror=alert(1)>')`;

/** Calls a tool once, then says what is to be said of its result. */
function calls(name: string, given: object, say: (results: string) => string): Answer {
  return async function* tells(request) {
    const last = request.turns.at(-1);
    if (last?.role === 'tool') {
      yield [text(say(JSON.stringify(last.results)))];
      yield finish();
      return;
    }
    yield [text('Let me see.')];
    yield call('c1', name, JSON.stringify(given));
    yield finish('tool-calls');
  };
}

/** The last word comes when a test says so. */
const gate = Promise.withResolvers<void>();
const waits: Answer = async function* tells() {
  yield [text('The first word, ')];
  await gate.promise;
  yield [text('and the last.')];
  yield finish();
};

const providers = () => [
  scriptedProvider('lab', {
    coder: { answer: calls('sandbox', { language: 'python', code }, () => 'It is 42.') },
    caller: {
      answer: calls('get_weather', { place: 'Bern' }, (results) =>
        results.includes('snow') ? 'Snow in Bern.' : 'Nothing is known.',
      ),
    },
    hostile: { answer: calls('web_search', { queries: ['hostile kea'] }, () => hostileText) },
    endless: { answer: endless },
    waiting: { answer: waits },
  }),
];

const runOf = (page: Page, number: number) =>
  page.getByRole('region', { name: `Run ${number}`, exact: true });

async function run(page: Page, runsOn: string, input: string): Promise<void> {
  await page.getByLabel('Preset or model').selectOption(runsOn);
  await page.getByLabel('Input', { exact: true }).fill(input);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
}

const openTools = (page: Page) => page.getByText('Tools, functions and instructions').click();

/** A runner is looked for while the server serves. */
async function waitForSandbox({ post }: TestServer): Promise<void> {
  const body = { model: 'lab/coder', input: 'x', tools: [{ type: 'sandbox' }], max_steps: 1 };
  await pollEnd(
    async () => (await post('/v1/agent', body)).status,
    (status) => status !== 400,
    'no sandbox',
  );
}

suite('the page Agent', { skip: skipBrowser }, async () => {
  const engine = await startHostileEngine({ after });
  // Costs are shown where somebody has set a price.
  const embedded = await startConsole({ after }, { config: 'prices: { svc/svc: 0.25 }' });
  const scripted = await startConsole(
    { after },
    {
      withDocs: false,
      providers: providers(),
      env: { NESTOR_SANDBOX_RUNNER: 'auto' },
      config: `search: { engines: [{ type: searxng, url: "${engine}" }], timeout_s: 2 }\n`,
    },
  );

  for (const { width, scheme } of flowLooks)
    test(`steps, answer and sources at ${width} px, ${scheme}`, async () => {
      const { page, problems, screenshot } = await embedded.open({ width, scheme, path: '/agent' });
      await run(page, 'preset:pro-search', 'How do I revoke a token?');
      const first = runOf(page, 1);
      await first.getByText('Complete.').waitFor();
      await first.getByText('Searched: “How do I revoke a token?”').waitFor();
      await first.getByRole('link', { name: 'Source 1', exact: true }).first().click();
      assert.equal(await page.locator(':focus').getByLabel('Source 1').innerText(), '1');
      assert.match(await first.innerText(), /resp_[\w-]+ · svc\/svc · [\d,]+ tokens in, [\d,]+ out · \$/);
      await openTools(page);
      await page.getByRole('button', { name: 'Put in an example of a function' }).click();
      await assertAccessible(page);
      await assertFits(page);
      await screenshot('agent-answer');
      assert.deepEqual(problems, []);
    });

  longTest('an input follows the response above, and each is opened again and deleted', async () => {
    const { page, requests, problems } = await embedded.open({ path: '/agent' });
    await run(page, 'preset:fast-search', 'How do I revoke a token?');
    await runOf(page, 1).getByText('Complete.').waitFor();
    await page.waitForURL(/[?&]response=/);
    const id = new URL(page.url()).searchParams.get('response');
    await run(page, 'preset:fast-search', 'And how do I make one?');
    await runOf(page, 2).getByText('Complete.').waitFor();
    const sent = requests
      .filter((request) => request.method() === 'POST')
      .map((request) => request.postDataJSON());
    assert.equal((sent.at(-1) as { previous_response_id: string }).previous_response_id, id);

    await page.getByText('Open an earlier response').click();
    await page.getByLabel('Id of the response').fill(id ?? '');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    const opened = runOf(page, 3);
    await opened.getByText('Complete.').waitFor();
    assert.equal(await page.getByRole('region', { name: /^Run / }).count(), 1);
    await opened.getByText('Searched: “How do I revoke a token?”').waitFor();

    await opened.getByRole('button', { name: 'Delete', exact: true }).click();
    await opened.getByRole('button', { name: 'Delete the response and its files' }).click();
    await opened.waitFor({ state: 'detached' });
    await page.waitForURL((url) => !url.searchParams.has('response'));
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('alert').getByText('not found').waitFor();
    assert.deepEqual(problems, []);
  });

  test('a function is answered by hand, and the run goes on with its output', async () => {
    const { page, problems, screenshot } = await scripted.open({ path: '/agent' });
    await openTools(page);
    await page.getByLabel('Functions', { exact: true }).fill('[{');
    await page.getByLabel('Input', { exact: true }).fill('x');
    assert.equal(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled(), true);
    await page.getByLabel('Functions', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Put in an example of a function' }).click();
    await run(page, 'model:lab/caller', 'How is the weather in Bern?');
    const first = runOf(page, 1);
    await first.getByText('Waits for your functions.').waitFor();
    assert.match(
      await first.getByRole('region', { name: 'Arguments of get_weather' }).innerText(),
      /"place": "Bern"/,
    );
    await first.getByLabel('Output of get_weather').fill('{"sky":"snow"}');
    await assertAccessible(page);
    await screenshot('agent-function');
    await first.getByRole('button', { name: 'Send the outputs' }).click();
    await runOf(page, 2).getByText('Snow in Bern.').waitFor();
    await runOf(page, 2).getByText('Complete.').waitFor();
    assert.equal(await first.getByRole('button', { name: 'Send the outputs' }).count(), 0);
    assert.deepEqual(problems, []);
  });

  longTest('code is shown with its output, and its files can be saved', async () => {
    await waitForSandbox(scripted.server);
    const { page, problems, requests } = await scripted.open({ path: '/agent' });
    await openTools(page);
    await page.getByLabel('Run code').check();
    await page.getByLabel('Steps at most').fill('2');
    await run(page, 'model:lab/coder', 'What is 6 x 7?');
    const first = runOf(page, 1);
    await first.getByText('Ran python: completed, exit code 0').waitFor();
    await first.getByText('Complete.').waitFor();
    assert.equal(
      await first.getByRole('region', { name: 'Output', exact: true }).innerText(),
      '42\n<img src=x onerror=alert(1)>\n',
    );
    assert.match(
      await first.getByRole('region', { name: 'Code', exact: true }).innerText(),
      /print\(6 \* 7\)/,
    );
    const saving = page.waitForEvent('download');
    await first.getByRole('button', { name: /^Save .*a\.txt$/ }).click();
    const saved = await saving;
    assert.equal(saved.suggestedFilename(), 'a.txt');
    assert.equal(await readFile(await saved.path(), 'utf8'), 'kept');
    await assertHarmless(page, requests);
    await assertAccessible(page);
    assert.deepEqual(problems, []);
  });

  longTest('a run that is stopped is cancelled on the server', async () => {
    const { page, problems } = await scripted.open({ path: '/agent' });
    await run(page, 'model:lab/endless', 'Go on.');
    const first = runOf(page, 1);
    await first.getByText(/word 3/).waitFor();
    await first.getByRole('button', { name: 'Stop', exact: true }).click();
    await first.getByText('The run was cancelled.').waitFor();
    await page.waitForURL(/[?&]response=/);
    const id = new URL(page.url()).searchParams.get('response') ?? '';
    const headers = { authorization: `Bearer ${scripted.server.key}` };
    const stored = (await (await fetch(`${scripted.server.url}/v1/agent/${id}`, { headers })).json()) as {
      status: string;
    };
    assert.equal(stored.status, 'failed');
    assert.deepEqual(problems, []);
  });

  longTest('a run in the background outlives a reload, and is read to its end', async () => {
    const { page, requests, problems } = await scripted.open({ path: '/agent' });
    await page.getByLabel('Run in the background').check();
    await run(page, 'model:lab/waiting', 'Take your time.');
    await runOf(page, 1).getByText('The first word,').waitFor();
    await page.reload();
    const again = page.getByRole('region', { name: /^Run / });
    await again.getByText('The first word,').waitFor();
    assert.ok(requests.some((request) => request.url().includes('starting_after=')));
    gate.resolve();
    await again.getByText('The first word, and the last.').waitFor();
    await again.getByText('Complete.').waitFor();
    assert.deepEqual(problems, []);
  });

  test('what models and pages write is text: nothing runs and nothing is asked for', async () => {
    const { page, requests, problems } = await scripted.open({ path: '/agent' });
    await openTools(page);
    await page.getByLabel('Web search').check();
    await run(page, 'model:lab/hostile', 'hostile <script>alert(0)</script>');
    const first = runOf(page, 1);
    await first.getByText('Complete.').waitFor();
    await first.getByText('1 page', { exact: true }).click();
    const told = await first.innerText();
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
