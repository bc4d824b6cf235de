import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { postgresSkipReason, sharePostgres } from '../support/postgres.ts';
import type { TestIndex } from './index-support.ts';
import { measureRanking } from './ranking.ts';
import { openReadmeIndex, toPackage } from './readme-index.ts';
import { heldOutQuestions, tuningQuestions } from './readme-questions.ts';

const urlsOf = (index: TestIndex) => async (text: string) => (await index.urls(text)).map(toPackage);

suite('questions on 200 READMEs, on PostgreSQL', { skip: postgresSkipReason() }, () => {
  test('the right page is found nearly as well as on SQLite', async (t) => {
    const server = await sharePostgres();
    t.after(() => server.close());
    const stores = {
      sqlite: await openReadmeIndex(t),
      postgres: await openReadmeIndex(t, null, await server.createStore()),
    };
    for (const questions of [tuningQuestions, heldOutQuestions]) {
      const [sqlite, postgres] = [
        await measureRanking(questions, urlsOf(stores.sqlite)),
        await measureRanking(questions, urlsOf(stores.postgres)),
      ];
      t.diagnostic(JSON.stringify({ sqlite, postgres }));
      assert.ok(postgres.mrr >= sqlite.mrr - 0.05, `${postgres.mrr} on PostgreSQL, ${sqlite.mrr} on SQLite`);
      assert.ok(postgres.hit5 >= sqlite.hit5 - 0.08, `${postgres.hit5}, ${sqlite.hit5}`);
    }
  });
});
