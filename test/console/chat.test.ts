import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { finish, text } from '../support/models.ts';
import { scriptedProvider, type Answer } from '../support/providers.ts';
import { assertHarmless, endless, hostileText, startHostileEngine } from './answers.ts';
import { flowLooks } from '../support/looks.ts';
import { assertAccessible, assertFits, skipBrowser, startConsole } from './support.ts';
import { longTest } from '../support/rounds.ts';

/** Writes what the question is for. */
const writes: Answer = async function* tells(request, signal) {
  const asked = JSON.stringify(request.turns.at(-1));
  if (asked.includes('endless')) yield* endless(request, signal);
  else {
    yield [text(hostileText)];
    yield finish();
  }
};

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Question', { exact: true }).fill(question);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
}

const answered = (page: Page, number: number) =>
  page.getByRole('region', { name: `Question ${number}`, exact: true });

suite('the page Chat', { skip: skipBrowser }, async () => {
  const engine = await startHostileEngine({ after });
  // Costs are shown where somebody has set a price.
  const console = await startConsole({ after }, { config: 'prices: { svc/svc: 0.25 }' });
  const scripted = await startConsole(
    { after },
    {
      withDocs: false,
      providers: [scriptedProvider('lab', { writer: { answer: writes } })],
      config: `
search: { engines: [{ type: searxng, url: "${engine}" }], timeout_s: 2 }
models: { svc: lab/writer }
`,
    },
  );

  for (const { width, scheme } of flowLooks)
    test(`an answer with its sources, reasoning and cost at ${width} px, ${scheme}`, async () => {
      const { page, problems, screenshot } = await console.open({ width, scheme, path: '/chat' });
      await page.getByLabel('Model').selectOption('svc-reasoning-pro');
      await ask(page, 'How do I revoke a token?');
      const turn = answered(page, 1);
      await turn.getByText(/^Complete, with \d+ sources?\.$/).waitFor();
      await turn.getByText('Reasoning (1 step)').click();
      await turn.getByText('Searched for “How do I revoke a token?”:').first().waitFor();
      assert.match(await turn.innerText(), /svc-reasoning-pro · [\d,]+ tokens in, [\d,]+ out · \$\d/);
      assert.ok(!(await turn.innerText()).includes('<think>'));

      await turn.getByRole('link', { name: 'Source 1', exact: true }).first().click();
      const focused = page.locator(':focus');
      assert.equal(await focused.getByLabel('Source 1').innerText(), '1');
      const href = await focused.getByRole('link').first().getAttribute('href');
      assert.equal(href, '/console/docs/guide/keys', 'pages of the documentation open in the console');

      await turn.getByText('This request in code').click();
      const code = await turn.getByRole('region', { name: 'Request in curl' }).innerText();
      assert.match(code, /Bearer \$NESTOR_KEY/);
      assert.ok(!code.includes(console.server.key));
      await assertAccessible(page);
      await assertFits(page);
      await screenshot('chat-answer');
      assert.deepEqual(problems, []);
    });

  longTest('a conversation goes on with what was said, and begins anew', async () => {
    const { page, requests, problems } = await console.open({ path: '/chat' });
    await page.getByLabel('Model').selectOption('svc-pro');
    await page.getByText('Search settings and instructions').click();
    await page.getByLabel('Search in').selectOption('academic');
    await page.getByLabel('Search in').selectOption('');
    await page.getByLabel('Pages of').selectOption('year');
    await page.getByLabel('Pages of').selectOption('');
    await page.getByLabel('Text of sources').selectOption('high');
    await page.getByLabel('Domains').fill('127.0.0.1');
    await page.getByLabel('Suggest questions that lead on').check();
    await page.getByLabel('Question', { exact: true }).fill('How do I revoke a token?');
    await page.keyboard.press('Enter');
    await answered(page, 1)
      .getByText(/^Complete, with/)
      .waitFor();
    await ask(page, 'And how do I make one?');
    await answered(page, 2)
      .getByText(/^Complete, with/)
      .waitFor();
    const sent = requests
      .filter((request) => request.url().endsWith('/chat/completions'))
      .map((request) => request.postDataJSON() as { messages: { role: string }[] });
    assert.deepEqual(
      sent.map(({ messages }) => messages.map(({ role }) => role)),
      [['user'], ['user', 'assistant', 'user']],
    );
    const { messages: _messages, ...rest } = sent[0] ?? { messages: [] };
    assert.deepEqual(rest, {
      model: 'svc-pro',
      web_search_options: { search_context_size: 'high' },
      search_domain_filter: ['127.0.0.1'],
      return_related_questions: true,
      stream: true,
      stream_mode: 'concise',
    });
    await page.getByRole('button', { name: 'New conversation' }).click();
    assert.equal(await answered(page, 1).count(), 0);
    await page.waitForURL(({ search }) => search === '');
    assert.deepEqual(problems, []);
  });

  longTest(
    'conversations are kept in the browser: reloaded, renamed, saved, deleted, forgotten by signing out',
    async () => {
      const { page, problems, screenshot } = await scripted.open({ path: '/chat' });
      await ask(page, 'first kea');
      await answered(page, 1)
        .getByText(/^Complete/)
        .waitFor();
      await page.waitForURL(/\?conversation=/);
      await page.reload();
      await answered(page, 1)
        .getByText(/^Complete/)
        .waitFor();
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByLabel('Name of the conversation').fill('About birds');
      await page.getByRole('button', { name: 'Rename' }).click();
      await page.getByRole('button', { name: 'New conversation' }).click();
      await ask(page, 'second kea');
      await answered(page, 1)
        .getByText(/^Complete/)
        .waitFor();
      const list = page.getByLabel('Conversation', { exact: true });
      assert.deepEqual(await list.getByRole('option').allInnerTexts(), ['second kea', 'About birds']);
      await list.selectOption({ label: 'About birds' });
      await answered(page, 1).getByRole('heading', { name: 'first kea' }).waitFor();
      await assertAccessible(page);
      await screenshot('chat-kept');

      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Save as a file' }).click();
      const download = await waiting;
      assert.equal(download.suggestedFilename(), 'about-birds.md');
      assert.match(await readFile(await download.path(), 'utf8'), /^# About birds\n\n## first kea\n\n# Loud/);

      await page.getByRole('button', { name: 'Delete this conversation' }).click();
      await page.getByRole('button', { name: 'Delete this conversation for good' }).click();
      assert.deepEqual(await list.getByRole('option').allInnerTexts(), ['New conversation', 'second kea']);
      const names = () =>
        page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('nestor.')));
      assert.deepEqual(await names(), ['nestor.chat.default']);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Key', { exact: true }).waitFor();
      assert.deepEqual(await names(), []);
      assert.deepEqual(problems, []);
    },
  );

  longTest('an answer is stopped, and what came stays', async () => {
    const { page, problems } = await scripted.open({ path: '/chat' });
    await ask(page, 'endless kea');
    const turn = answered(page, 1);
    await turn.getByText(/word 3/).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await turn.getByText('Stopped. What came until then is above.').waitFor();
    assert.match(await turn.innerText(), /word 3/);
    assert.equal(await page.getByRole('button', { name: 'Stop', exact: true }).count(), 0);
    assert.deepEqual(problems, []);
  });

  test('what models and pages write is text: nothing runs and nothing is asked for', async () => {
    const { page, requests, problems } = await scripted.open({ path: '/chat' });
    await ask(page, 'hostile kea');
    const turn = answered(page, 1);
    await turn.getByText(/^Complete, with/).waitFor();
    const told = await turn.innerText();
    for (const piece of [
      '<img src=x onerror="alert(1)">',
      '<script>alert(2)</script>',
      '<b onclick="alert(3)">',
      '[pixel: https://tracker.invalid/p.png]',
      'alert([1])',
    ])
      assert.ok(told.includes(piece), piece);
    assert.equal(await turn.getByRole('link', { name: 'click', exact: true }).count(), 0);
    assert.equal(
      await turn.getByRole('link', { name: 'out', exact: true }).getAttribute('href'),
      'https://ok.invalid/',
    );
    await turn.getByRole('heading', { level: 3, name: 'Loud' }).waitFor();
    assert.match(told, /Title/);
    await assertHarmless(page, requests);
    await assertAccessible(page);
    assert.deepEqual(problems, []);
  });

  longTest('what the server refuses is told in its words', async () => {
    const { page } = await console.open({ path: '/chat' });
    await page.getByText('Search settings and instructions').click();
    await page.getByLabel('Domains').fill('not a host!');
    await ask(page, 'kea');
    await page.getByRole('alert').getByText('host name without scheme').waitFor();
    await page.getByText('The answer is not complete.').waitFor();
  });
});
