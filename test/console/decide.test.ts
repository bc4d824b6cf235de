import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { toCode, type DecisionRequest } from '../../console/src/pages/decide/code.ts';
import { rootKey } from '../support/server.ts';
import { llamaHandler } from '../support/upstream-local-servers.ts';
import { startUpstream } from '../support/upstream.ts';
import { flowWidths } from '../support/looks.ts';
import { longTest, roundsOf } from '../support/rounds.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { keepAsking } from './keep-asking.ts';
import { assertAccessible, assertFits, skipBrowser, startConsole } from './support.ts';

const run = promisify(execFile);
const adminKey = 'admin-key-of-the-decide-tests';
const hostile = `<img src=x onerror="alert(1)"><script>alert(2)</script>[x](javascript:alert(3))`;

suite('the page Decide', { skip: skipBrowser }, async () => {
  const upstream = await startUpstream({ after }, llamaHandler());
  const config = {
    decisions: {
      engine: 'words',
      max_input_tokens: 400,
      compare: [
        { name: 'by-model', engine: 'logprobs', upstreams: [{ url: upstream.url, model: 'local-model' }] },
        { name: 'nowhere', engine: 'logprobs', upstreams: [{ url: 'http://127.0.0.1:9', model: 'none' }] },
      ],
    },
    // Costs are shown where somebody has set a price.
    prices: { 'svc/svc': 0.25 },
    rate_limits: { tables: { decisions: [10, 10, 10, 10, 10, 100_000] } },
  };
  const console = await startConsole(
    { after },
    { env: { NESTOR_ADMIN_KEY: adminKey }, config: JSON.stringify(config), withDocs: false },
  );
  const folder = await temporaryFolder({ after });

  for (const width of flowWidths)
    test(`an example shows bars after one press, at ${width} px, in light and dark`, async () => {
      const { page, problems, screenshot } = await console.open({ width });
      await page.getByRole('button', { name: 'Triage a ticket' }).click();
      await ask(page);
      const table = page.getByRole('table', { name: 'Probabilities of team' });
      assert.equal(await table.getByRole('rowheader').count(), 4);
      const numbers = await table.getByRole('cell').allInnerTexts();
      const sum = numbers.reduce((total, number) => total + Number(number), 0);
      assert.ok(Math.abs(sum - 1) < 0.01, numbers.join(' '));
      await page.getByText(/Engine words · [\d.]+ ms · \d+ tokens in, 2 out/).waitFor();
      await page.getByRole('button', { name: 'Choose an engine, or compare two' }).click();
      await page.getByLabel('Compare with').waitFor();
      if (width === 1440) await page.getByText(/ · \$0\.0000\d+$/).waitFor();
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        await screenshot(`decide-answers-${scheme}`);
        await assertAccessible(page);
        await assertFits(page);
      }
      assert.deepEqual(problems, []);
    });

  longTest('form and JSON turn into each other without loss, and mistakes have a place', async () => {
    const { page } = await console.open();
    await page.getByLabel('Name').first().fill('10');
    await page.getByRole('button', { name: 'Move question 10 down' }).click();
    await page.getByRole('button', { name: 'Add an option' }).click();
    await page.getByLabel('Option 4', { exact: true }).fill('other');
    const mode = page.getByRole('radiogroup', { name: 'How questions are written' });
    await mode.getByText('JSON').click();
    const field = page.getByLabel('Questions as JSON');
    const text = await field.inputValue();
    assert.deepEqual(
      [...text.matchAll(/^ {2}"(\w+)"/gm)].map(([, name]) => name),
      ['topic', '10', 'anger'],
    );
    await field.fill(text.replace('"other": null', '"other": null,'));
    await page
      .getByText('not } (line 8, column 5)')
      .or(page.getByText(/after the comma, not } \(line \d+/))
      .waitFor();
    await mode.getByText('Form').click();
    await page
      .getByRole('alert')
      .getByText(/line \d+, column \d+/)
      .waitFor();
    await field.fill(text);
    await mode.getByText('Form').click();
    assert.equal(await page.getByLabel('Name').nth(1).inputValue(), '10');
    assert.equal(await page.getByLabel('Option 4', { exact: true }).inputValue(), 'other');
    await mode.getByText('JSON').click();
    assert.equal(await field.inputValue(), text);
    await field.fill(JSON.stringify({ model: 'x', state: { a: 1 }, questions: JSON.parse(text) as unknown }));
    await page.getByRole('button', { name: 'Take its state and its questions' }).click();
    assert.equal(await page.getByLabel('State as JSON').inputValue(), '{\n  "a": 1\n}');
    await ask(page);
  });

  longTest('what keeps a question from being asked is told, and nothing is sent', async () => {
    const { page, requests } = await console.open();
    await page.getByRole('button', { name: 'Add a question' }).click();
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('alert').getByText('Question 4 needs a name.').waitFor();
    assert.ok(requests.every((request) => !request.url().endsWith('/v1/decisions')));
    await page.getByRole('button', { name: 'Remove question 4' }).click();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Add a question');
  });

  longTest('what was typed stays over pages and reloads, without a key, until sign-out', async () => {
    const { page } = await console.open();
    await page.getByLabel('What the questions are about').fill('typed by somebody');
    await page.getByRole('link', { name: 'Models and health' }).click();
    await page.getByRole('heading', { level: 1, name: 'Models and health' }).waitFor();
    await page.getByRole('link', { name: 'Decide', exact: true }).click();
    assert.equal(await page.getByLabel('What the questions are about').inputValue(), 'typed by somebody');
    await page.getByLabel('What the questions are about').fill('typed before a reload');
    await page.reload();
    assert.equal(await page.getByLabel('What the questions are about').inputValue(), 'typed before a reload');
    const kept = await page.evaluate(() => sessionStorage.getItem('nestor.decide') ?? '');
    assert.ok(kept.includes('typed before a reload') && !kept.includes(rootKey));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Key', { exact: true }).waitFor();
    assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  });

  longTest('a link holds state and questions, and nothing of them is sent when it is opened', async () => {
    const { page } = await console.open();
    await page.getByLabel('What the questions are about').fill('shared with a colleague');
    await page.getByRole('button', { name: 'Link to this' }).click();
    const link = await page.getByLabel('Link to state and questions').inputValue();
    const opened = await console.open();
    await opened.page.goto(link);
    await opened.page.getByText('Taken from the link.').waitFor();
    const state = opened.page.getByLabel('What the questions are about');
    assert.equal(await state.inputValue(), 'shared with a colleague');
    assert.equal(await opened.page.getByLabel('Name').first().inputValue(), 'refund');
    await opened.page.waitForURL(({ hash }) => hash === '');
    assert.deepEqual(
      opened.requests.filter((request) => request.method() !== 'GET'),
      [],
    );
    assert.deepEqual(opened.problems, []);
  });

  longTest('what was not asked again does not stand over answers as if nothing had been', async () => {
    const { page } = await console.open();
    await ask(page);
    await page.getByRole('button', { name: 'Add a question' }).click();
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('Not asked again; the answers below are from before').waitFor();
    assert.equal(await page.getByText('Not asked yet').count(), 0);
  });

  longTest('a wait shows that it goes on and can be stopped', async () => {
    const { page } = await console.open();
    // Nothing is answered until the wait was stopped.
    await page.route('**/v1/decisions', () => {});
    await page.getByLabel('What the questions are about').press('Control+Enter');
    await page.getByRole('status').getByText('Asking…').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Press Ask').waitFor();
    await page.unroute('**/v1/decisions');
    await ask(page);
  });

  longTest('two engines stand side by side, and one that fails hides no other', async () => {
    const { page, problems, screenshot } = await console.open();
    await page.getByRole('button', { name: 'Choose an engine, or compare two' }).click();
    const other = page.getByLabel('Compare with');
    await other.selectOption('by-model');
    await ask(page);
    await page.getByText(/^Same likeliest answer to [0-3] of 3 questions$/).waitFor();
    await page.getByText(/^Largest change: \w+, .+: [+−]0\.\d{3}\.$/).waitFor();
    await page.getByText(/^by-model: Engine logprobs · /).waitFor();
    const table = page.getByRole('table', { name: 'Probabilities of topic' });
    assert.deepEqual(await table.getByRole('columnheader').allInnerTexts(), [
      'Answer',
      'svc-decider-v1-27b',
      'by-model',
    ]);
    assert.equal(await table.getByRole('cell').count(), 6);
    await screenshot('decide-compared');
    await assertAccessible(page);
    await other.selectOption('pplx-decider-v1-27b');
    await ask(page);
    await page.getByText('Both names lead to the same engine, words.').waitFor();
    await other.selectOption('nowhere');
    await ask(page);
    await page
      .getByRole('alert')
      .getByText(/Status 50\d/)
      .waitFor();
    assert.equal(await table.getByRole('columnheader').count(), 2);
    assert.deepEqual(problems, []);
  });

  test('text of strangers is shown as text', async () => {
    const { page, problems } = await console.open();
    await page.getByLabel('What the questions are about').fill(hostile);
    await page.getByLabel('Name').first().fill(hostile);
    await page.getByLabel('Option 1', { exact: true }).fill(hostile);
    await page.getByLabel('Level 0', { exact: true }).fill(hostile);
    await ask(page);
    await page.getByRole('heading', { name: hostile }).waitFor();
    await page.getByRole('rowheader', { name: hostile, exact: true }).waitFor();
    await page.getByRole('rowheader', { name: `0: ${hostile}` }).waitFor();
    await page.getByText('A table (CSV)').click();
    await page
      .getByLabel('Or paste the rows here')
      .fill(`"${hostile.replaceAll('"', '""')}"\n"${hostile.replaceAll('"', '""')}"`);
    const preview = page.getByRole('table', { name: 'The first rows as they will be asked about' });
    await preview.getByText(hostile, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Ask 1 row' }).click();
    const results = page.getByRole('region', { name: 'Results by row' });
    const cells = results.getByRole('row').nth(1).getByRole('cell');
    await cells.first().filter({ hasText: hostile }).waitFor();
    assert.equal(await page.locator('main img, main script, main a[href^="javascript"]').count(), 0);
    assert.deepEqual(problems, []);
  });

  for (const width of flowWidths)
    test(`a table is asked, stopped, gone on with and downloaded, at ${width} px`, async () => {
      const { page, problems, screenshot } = await console.open({ width });
      const rows = Array.from(
        { length: 230 },
        (_, at) => `${at},"I was charged ${at} times, refund me",=1+${at}`,
      );
      rows[2] = `2,"${'too long '.repeat(300)}",=1+2`;
      await openTable(page, `id,text,formula\n${rows.join('\n')}`);
      await page.getByText('230 rows, 3 columns').waitFor();
      assert.ok(await page.getByRole('checkbox', { name: 'text' }).isChecked());
      let seen = 0;
      await page.route('**/v1/decisions', async (route) => {
        seen += 1;
        if (seen <= 12) await route.continue();
      });
      await page.getByRole('button', { name: 'Ask all 230 rows' }).click();
      await page
        .getByText(/^12 of 230 rows · 1 with errors · [\d.,]+ rows a second · about .* left$/)
        .waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.unroute('**/v1/decisions');
      await page.getByRole('cell', { name: /^Error: / }).waitFor();
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        await screenshot(`decide-table-${scheme}`);
        await assertAccessible(page);
        await assertFits(page);
      }
      await page.getByRole('button', { name: 'Go on with 218 rows' }).click();
      await page.getByText('All rows are asked.').waitFor();
      await page.getByText('The first 200 rows are shown').waitFor();
      const yes = page.getByRole('table', { name: 'Answers to refund' }).getByRole('row', { name: /^yes/ });
      assert.match(await yes.innerText(), /^yes\s+\d+\s+0\.\d{3}$/);
      const results = page.getByRole('region', { name: 'Results by row' });
      await page.getByRole('switch', { name: 'Least sure first' }).check();
      await results.getByRole('row').nth(1).getByText('Error: ').waitFor();
      await page.getByLabel('Review below a confidence of').fill('1');
      await page.getByText('To review: 229 rows.').waitFor();
      await results.getByText('review', { exact: true }).first().waitFor();
      await page.getByLabel('Review below a confidence of').fill('0');
      await page.getByText('To review: 0 rows.').waitFor();
      await page.getByRole('switch', { name: 'Least sure first' }).uncheck();
      await page.getByRole('switch', { name: 'Only rows with errors' }).check();
      await page.getByText('Shown: 1 row.').waitFor();
      await page.getByRole('button', { name: 'Ask 1 row with errors again' }).click();
      await page.getByText('230 of 230 rows · 1 with errors', { exact: true }).waitFor();
      const lines = (await download(page)).split('\r\n');
      assert.equal(lines.length, 232);
      assert.match(lines[3] ?? '', /context length \(400\)$/);
      assert.match(
        lines[0] ?? '',
        /^\ufeffid,text,formula,refund,refund p\(yes\),topic,topic confidence,.*,error$/,
      );
      assert.match(lines[1] ?? '', /^0,"I was charged 0 times, refund me","'=1\+0",yes,0\.\d+,billing,/);
      await page.getByRole('switch', { name: 'Safe for spreadsheets' }).uncheck();
      assert.match((await download(page)).split('\r\n')[1] ?? '', /refund me",=1\+0,yes/);
      await page.reload();
      await page.getByText('230 of 230 rows · 1 with errors', { exact: true }).waitFor();
      assert.deepEqual(problems, []);
    });

  longTest('a rate limit is waited for, and no row is lost, not even by leaving the page', async () => {
    const headers = { authorization: `Bearer ${adminKey}` };
    const admin = async (path: string, body: unknown) => {
      const answer = await console.server.post(`/admin/v1/accounts${path}`, body, headers);
      return (await answer.json()) as Record<string, string>;
    };
    await admin('', { id: 'newcomer' });
    const { secret = '' } = await admin('/newcomer/keys', { name: 'console' });
    const { page, problems } = await console.open({ keys: { key: secret } });
    await openTable(page, `text\n${Array.from({ length: 25 }, (_, at) => `row ${at}`).join('\n')}`);
    // The first ten answers come from the server; then it refuses until the page was left, however slow the machine is.
    let asked = 0;
    await page.route('**/v1/decisions', async (route) => {
      asked += 1;
      if (asked <= 10) return route.continue();
      const headers = { 'content-type': 'application/json', 'retry-after': '30' };
      return route.fulfill({ status: 429, headers, body: '{"error":{"message":"Too many"}}' });
    });
    await page.getByRole('button', { name: 'Ask all 25 rows' }).click();
    // Leaving the page ends what is still asked, so all ten answers are waited for.
    await page.getByText(/^10 of 25 rows · the server asks for a pause/).waitFor();
    await page.getByRole('link', { name: 'Models and health' }).click();
    await page.getByRole('heading', { level: 1, name: 'Models and health' }).waitFor();
    await page.getByRole('link', { name: 'Decide', exact: true }).click();
    await page.unroute('**/v1/decisions');
    await page.getByRole('button', { name: 'Go on with 15 rows' }).click();
    await page.getByText('All rows are asked.').waitFor();
    await page.getByText('25 of 25 rows', { exact: true }).waitFor();
    assert.deepEqual(problems, []);
  });

  const many = roundsOf(6_000, 10_000);
  const told = many.toLocaleString('en');
  test(`a table of ${told} rows is loaded, asked as a batch of the server and stopped, and draws 200 rows at most`, async () => {
    const { page } = await console.open();
    const path = join(folder, 'large.csv');
    const row = 'I was charged twice for my order and want the money back, '.repeat(roundsOf(15, 9));
    await writeFile(path, `text\n${Array.from({ length: many }, (_, at) => `"${row}${at}"`).join('\n')}`);
    await page.getByText('A table (CSV)').click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a CSV file' }).click();
    await (await chooser).setFiles(path);
    await page.getByText(`${told} rows, 1 column`).waitFor();
    await page.getByText('The table is too large to be kept in this tab').waitFor();
    await page.getByRole('button', { name: `Ask all ${told} rows` }).click();
    await page
      .getByText(new RegExp(`^[\\d,]+ of ${told} rows · [\\d.,]+ rows a second · about .* left$`))
      .waitFor();
    const stopAsking = keepAsking(console.server);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').waitFor();
    await stopAsking();
    assert.ok((await page.getByRole('region', { name: 'Results by row' }).getByRole('row').count()) <= 201);
    await page.getByText('a batch of the server').click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
  });

  test('the code asks exactly the same: curl by sh, TypeScript by Node', async () => {
    const request: DecisionRequest = {
      model: 'svc-decider-v1-27b',
      state: {
        text: `it's "quoted" $HOME \`id\` $(id) \\ back\r\nJSON\n\u2028 ünïcødé 🙂 !!`,
        list: [null, true, 1.5e-7],
      },
      questions: {
        "o'k $HOME": { type: 'noul', instructions: 'Is it?\nJSON\n' },
        choice: { type: 'choice', criteria: { '"': null, '\\': 'a\\nb', "'": "'" } },
      },
    };
    const wanted = (await (await console.server.post('/v1/decisions', request)).json()) as unknown;
    const env = { ...process.env, NESTOR_ROOT_KEY: rootKey };
    const [curl = '', script = '', python = ''] = toCode(console.server.url, request).map(({ code }) => code);
    assert.deepEqual(JSON.parse((await run('sh', ['-c', curl], { env })).stdout), wanted);
    const path = join(folder, 'request.ts');
    await writeFile(
      path,
      script.replace('console.log(await response.json())', 'console.log(await response.text())'),
    );
    assert.deepEqual(JSON.parse((await run(process.execPath, [path], { env })).stdout), wanted);
    await writeFile(join(folder, 'request.py'), python);
    const read = `import ast, json, sys
tree = ast.parse(open(sys.argv[1], encoding='utf-8').read())
call = next(n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.func.attr == 'post')
print(json.dumps(next(ast.literal_eval(k.value) for k in call.keywords if k.arg == 'json')))`;
    const found = await run('python3', ['-c', read, join(folder, 'request.py')]);
    assert.deepEqual(JSON.parse(found.stdout), request);
  });

  longTest('the code on the page is the one that was asked, and holds no key', async () => {
    const { page } = await console.open();
    await ask(page);
    for (const language of ['curl', 'TypeScript', 'Python']) {
      await page.getByRole('tab', { name: language }).click();
      const code = await page.getByRole('region', { name: `Request in ${language}` }).innerText();
      assert.ok(code.includes('I was charged twice') && code.includes(console.server.url), language);
      assert.ok(code.includes('NESTOR_ROOT_KEY') && !code.includes(rootKey), language);
    }
  });

  async function download(page: Page): Promise<string> {
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download as CSV' }).click();
    return readFile(await (await waiting).path(), 'utf8');
  }
});

async function ask(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByRole('status').getByText('Answered.').waitFor();
}

async function openTable(page: Page, csv: string): Promise<void> {
  await page.getByText('A table (CSV)').click();
  await page.getByLabel('Or paste the rows here').fill(csv);
}
