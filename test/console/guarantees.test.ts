import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { assertAccessible, assertFits, skipBrowser, startConsole } from './support.ts';

suite('guarantees on the page of a decider', { skip: skipBrowser }, async () => {
  const console = await startConsole({ after }, { withDocs: false });

  test('are drawn: coverage against error, as the command line has it', async () => {
    const guarantee = {
      max_error: 0.05,
      confidence: 0.95,
      engine: 'words',
      prompt_version: 1,
      thresholds: { by_kind: { choice: 0.9 }, by_question: {} },
    };
    const points = [
      [40, 0],
      [200, 3],
      [400, 60],
    ];
    const guarantees = [
      { ...guarantee, curves: { choice: { rows: 400, points, found: [200, 3] } } },
      // As earlier versions wrote them: in the table, and not drawn.
      { ...guarantee, max_error: 0.1 },
    ];
    const made = await fetch(`${console.server.url}/v1/deciders/sure`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${console.server.key}` },
      body: JSON.stringify({ engine: 'words', guarantees }),
    });
    assert.equal(made.status, 200, await made.text());
    const { page, problems } = await console.open({ path: '/deciders/sure' });
    const chart = page.getByRole('img', { name: 'Error over coverage: choice, at most 5 % wrong' });
    await chart.waitFor();
    const width = await chart.evaluate(async (image) => {
      await (image as HTMLImageElement).decode();
      return (image as HTMLImageElement).naturalWidth;
    });
    assert.equal(width, 640);
    assert.equal(await page.getByRole('img', { name: /^Error over coverage/ }).count(), 1);
    assert.equal(await page.getByRole('table', { name: 'Guarantees' }).getByRole('row').count(), 3);
    await assertAccessible(page);
    await assertFits(page);
    assert.deepEqual(problems, []);
  });
});
