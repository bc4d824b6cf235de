import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { queueMessages } from '../support/queues.ts';
import { flowLooks } from '../support/looks.ts';
import { assertAccessible, assertFits, skipBrowser, startConsole } from './support.ts';
import { longTest } from '../support/rounds.ts';

const queues = {
  'queue a': queueMessages.q1,
  'queue b': queueMessages.q2,
  'queue c': queueMessages.q3,
};
const csv = `text,category\n${Object.entries(queues)
  .flatMap(([name, texts]) => texts.map((text) => `"${text}",${name}`))
  .join('\n')}`;

const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

const openPart = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();

async function make(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Make the decider' }).click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

async function give(page: Page, text: string): Promise<void> {
  await openPart(page, 'Examples');
  await page.getByLabel('Or paste them here').fill(text);
}

async function ask(page: Page, state: string): Promise<void> {
  await page.getByLabel('What the questions are about').fill(state);
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByRole('status').getByText('Answered.').waitFor();
}

suite('the page Deciders', { skip: skipBrowser }, async () => {
  const console = await startConsole({ after }, { withEncoder: true, withDocs: false });

  for (const { width, scheme } of flowLooks)
    test(`a newcomer makes one, teaches it, sees that it answers by what it learned, and rolls it back at ${width} px, ${scheme}`, async () => {
      const { page, problems, screenshot } = await console.open({ width, scheme, path: '/deciders' });
      await page.getByText('You have none of your own yet').waitFor();
      await screenshot('deciders-empty');
      await page.getByRole('link', { name: 'Make your first decider' }).click();
      await make(page, 'desk');
      await page.waitForURL(/\/console\/deciders\/desk$/);

      await give(page, csv);
      await page.getByText('18 examples: queue a 6, queue b 6, queue c 6').waitFor();
      await assertAccessible(page);
      await assertFits(page);
      await screenshot('deciders-preview');
      await page.getByRole('button', { name: 'Add 18 examples' }).click();
      await page.getByText('18 added.').waitFor();
      await page.getByText('1 to 18 of 18').waitFor();

      await openPart(page, 'Learning');
      await page.getByText('Nothing was learned yet.').waitFor();
      await page.getByRole('button', { name: 'Learn from 18 examples' }).click();
      const versions = page.getByRole('table', { name: 'What was learned' });
      await versions.getByText('in use').waitFor();
      const figures = page.getByRole('table', { name: 'Figures of each question' });
      const [row = ''] = await figures.getByRole('row').filter({ hasText: 'Before' }).allInnerTexts();
      assert.match(row, /choice\s+18\s+Before\s+[\d.]+ %\s+After\s+[\d.]+ %\s+0\.\d{3} → 0\.\d{3}/);
      assert.match(row, /taken: (logistic regression|nearest examples)/);
      await page.getByText('learned', { exact: true }).waitFor();
      const byAnswer = page.getByRole('table', { name: /^By answer/ });
      const rows = await byAnswer.getByRole('row').filter({ hasText: 'queue' }).allInnerTexts();
      for (const name of Object.keys(queues))
        assert.ok(rows.some((one) => new RegExp(`^${name}\\s+6\\s+\\d+\\s+[\\d.]+ %\\s+[\\d.]+ %`).test(one.trim())), rows.join('\n')); // prettier-ignore
      await page.getByRole('heading', { name: 'Calibration' }).waitFor();
      const pairs = page.getByRole('table', { name: /^Right and given answers/ });
      assert.equal(await pairs.getByRole('row').count(), 1 + Object.keys(queues).length);
      await assertAccessible(page);
      await assertFits(page);
      await screenshot('deciders-learned');

      await openPart(page, 'Try it');
      await ask(page, 'I was billed two times');
      const answer = page.getByRole('table', { name: 'Probabilities of answer' });
      assert.match((await answer.getByRole('row').nth(1).innerText()).trim(), /^queue a/);

      await openPart(page, 'Learning');
      await page.getByRole('button', { name: 'Roll back' }).click();
      await page.getByRole('button', { name: /for good$/ }).click();
      await versions.getByText('Rolled back').waitFor();
      await page.getByText('learned', { exact: true }).waitFor({ state: 'detached' });
      await page.reload();
      await versions.getByText('Rolled back').waitFor();
      await openPart(page, 'Change');
      await page.getByRole('button', { name: 'Delete desk' }).click();
      await page.getByRole('button', { name: 'Delete desk for good' }).click();
      await page.getByText('You have none of your own yet').waitFor();
      assert.deepEqual(problems, []);
    });

  test('rows that are no examples are told one by one and left out, and what is there is deleted', async () => {
    const { page, problems } = await console.open({ path: '/deciders/NEW' });
    await make(page, 'rows');
    const example = { state: hostile, question: { type: 'noul', instructions: 'Is it?' }, answer: true };
    const lines = [
      example,
      { ...example, answer: 'yes' },
      { state: 'no answer', question: { type: 'noul' } },
      { ...example, state: 'second', answer: false },
    ].map((line) => JSON.stringify(line));
    await give(page, [...lines, '{"state": '].join('\n'));
    await page.getByText('Row 2: the answer is "yes", not true or false.').waitFor();
    await page.getByText('Row 3: "answer" is missing.').waitFor();
    await page.getByText('Row 5: not valid JSON.').waitFor();
    await page.getByRole('button', { name: 'Add 2 examples' }).click();
    const listed = page.getByRole('table', { name: 'Examples', exact: true });
    await listed.getByText(hostile).waitFor();
    await page.getByRole('button', { name: 'Delete the example “second”' }).click();
    await page.getByRole('button', { name: 'Delete the example “second” for good' }).click();
    await page.getByText('1 to 1 of 1').waitFor();
    await page.getByRole('button', { name: 'Delete all examples' }).click();
    await page.getByRole('button', { name: 'Delete all examples for good' }).click();
    await page.getByText('None yet.').waitFor();
    assert.equal(await page.locator('main img, main script').count(), 0);
    assert.deepEqual(problems, []);
  });

  test('a decider whose answers are unlike those of its fit is marked, with the figures', async () => {
    const { post } = console.server;
    const question = {
      type: 'choice',
      instructions: 'Which queue?',
      criteria: { a: null, b: null, c: null },
    };
    const examples = Object.values(queues).flatMap((texts, at) =>
      texts.flatMap((text) =>
        [text, `${text} (again)`].map((state) => ({ state, question, answer: 'abc'[at] ?? '' })),
      ),
    );
    const place = '/v1/deciders/drifting';
    const made = await fetch(`${console.server.url}${place}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${console.server.key}` },
      body: JSON.stringify({ engine: 'encoder' }),
    });
    assert.equal(made.status, 200, await made.text());
    assert.equal((await post(`${place}/examples`, { examples })).status, 201);
    const fitted = (await (await post(`${place}/fit`, { wait: true })).json()) as { readonly state: string };
    assert.equal(fitted.state, 'taken');
    // Nothing but bills, of which no queue had more than a third: of examples, whose vectors are kept.
    const bills = examples.filter(({ answer }) => answer === 'a').map(({ state }) => state);
    for (let n = 0; n < 200; n += 20)
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          post('/v1/decisions', {
            model: 'drifting',
            state: bills[(n + i) % bills.length],
            questions: { q: question },
          }),
        ),
      );
    const { page, problems } = await console.open({ path: '/deciders/drifting?open=learning' });
    await page.getByText('answers have changed', { exact: true }).waitFor();
    const since = page.getByRole('table', { name: 'Answers since it was learned' });
    const [row = ''] = await since.getByRole('row').filter({ hasText: 'Which queue?' }).allInnerTexts();
    assert.match(row, /200\s+36\s+PSI \d\.\d+, z \d+\.\d\s+PSI \d\.\d+, z -?\d+\.\d\s+no, since /);
    await assertAccessible(page);
    await assertFits(page);
    assert.deepEqual(problems, []);
  });

  longTest('examples stand on pages', async () => {
    const { server } = console;
    const headers = { authorization: `Bearer ${server.key}` };
    await fetch(`${server.url}/v1/deciders/many`, { method: 'PUT', headers, body: '{"engine":"encoder"}' });
    const question = { type: 'noul', instructions: 'Is it even?' };
    const examples = Array.from({ length: 30 }, (_, at) => ({
      state: `number ${at}`,
      question,
      answer: at % 2 === 0,
    }));
    assert.equal((await server.post('/v1/deciders/many/examples', { examples })).status, 201);
    const { page, screenshot } = await console.open({ path: '/deciders/many?open=examples' });
    await page.getByText('1 to 25 of 30').waitFor();
    await page.getByRole('button', { name: 'Later' }).click();
    await page.getByText('26 to 30 of 30').waitFor();
    await assertAccessible(page);
    await screenshot('deciders-examples');
    await page.getByText('number 29').waitFor();
    await page.getByRole('button', { name: 'Earlier' }).click();
    await page.getByText('1 to 25 of 30').waitFor();
  });

  for (const { width, scheme } of flowLooks)
    test(`a cascade is made, tried, changed and deleted at ${width} px, ${scheme}`, async () => {
      const { page, problems, screenshot } = await console.open({ width, scheme, path: '/deciders/NEW' });
      const [quick, careful] = [`quick-${width}-${scheme}`, `careful-${width}-${scheme}`];
      await make(page, quick);
      await openPart(page, 'Change');
      await page.getByLabel('Engine', { exact: true }).selectOption('words');
      await page.getByLabel(/^Ask every noul denied/).check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('words, negation').waitFor();

      await page.getByRole('link', { name: 'All deciders' }).click();
      await page.getByRole('link', { name: 'New decider' }).click();
      await page.getByText('Several in turn').click();
      await page.getByRole('button', { name: 'Make the decider' }).click();
      await page.getByLabel('Decider', { exact: true }).first().selectOption(quick);
      await page.getByRole('button', { name: 'Make the decider' }).click();
      await page.getByLabel('Name', { exact: true }).fill(careful);
      await page.getByRole('button', { name: 'Make the decider' }).click();
      await page.getByRole('alert').getByText('Choose the decider of step 2.').waitFor();
      await page.getByLabel('Decider', { exact: true }).nth(1).selectOption('svc-decider-v1-27b');
      const abstain = page.getByRole('group', { name: 'Abstain below a confidence of' });
      await abstain.getByLabel('choice').fill('1');
      await assertAccessible(page);
      await assertFits(page);
      await screenshot('deciders-form');
      await make(page, careful);
      await page
        .getByText(`${quick}, then svc-decider-v1-27b below 0.9 · abstains below 1 (choice)`)
        .waitFor();

      await ask(page, 'I was charged twice');
      await page.getByText(/abstained: no more than a guess · decided by /).waitFor();
      await assertAccessible(page);
      await assertFits(page);
      await screenshot('deciders-tried');

      await page.goto(`${console.server.url}/console/deciders/${quick}?open=change`);
      const remove = async (name: string) => {
        await page.getByRole('button', { name: `Delete ${name}` }).click();
        await page.getByRole('button', { name: `Delete ${name} for good` }).click();
      };
      await remove(quick);
      await page.getByRole('alert').getByText(careful).waitFor();
      await page.goto(`${console.server.url}/console/deciders/${careful}?open=change`);
      await remove(careful);
      await page.getByRole('heading', { level: 1, name: 'Deciders', exact: true }).waitFor();
      assert.equal(await page.getByRole('link', { name: careful }).count(), 0);
      assert.deepEqual(problems, []);
    });
});
