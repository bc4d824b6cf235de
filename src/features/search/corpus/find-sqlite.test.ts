import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Kysely, sql, type CompiledQuery } from 'kysely';

import { createFrequencies } from './frequencies.ts';
import { findInSqlite } from './find-sqlite.ts';
import { parseWordQuery } from './words.ts';
import { migrate } from '../../../kernel/store/migrate.ts';
import { migrations } from '../../../kernel/store/migrations/index.ts';
import type { Schema } from '../../../kernel/store/schema.ts';
import { openSqlite } from '../../../kernel/store/sqlite/open-sqlite.ts';

const noDates = { publishedAfter: null, publishedBefore: null, updatedAfter: null, updatedBefore: null };

test('words choose, and rows are looked up by their keys, however many an account has', async (t) => {
  const sqlite = await openSqlite({ path: ':memory:' });
  t.after(() => sqlite.close());
  const asked: CompiledQuery[] = [];
  const db = new Kysely<Schema>({ dialect: sqlite.dialect, log: ({ query }) => void asked.push(query) });
  await migrate(db, migrations);

  const options = {
    allowDomains: [], denyDomains: [], languages: [], accountId: 'a', passagesMax: 60,
    dates: { ...noDates, updatedAfter: '2026-01-01' }, sourceIds: ['s', 'other'],
  }; // prettier-ignore
  // Frequent words are taken without scores, by a statement of their own.
  const everywhere = createFrequencies(
    db,
    () => 1,
    async () => 5_000,
  );
  const rare = createFrequencies(
    db,
    () => 1,
    async () => 1,
  );
  asked.length = 0;
  for (const frequencies of [rare, everywhere])
    for (const one of [options, { ...options, dates: noDates, sourceIds: null }])
      await findInSqlite(db, parseWordQuery('heron kea'), one, frequencies);

  const plans: string[] = [];
  for (const { sql: text, parameters } of asked.splice(0)) {
    const { rows } = await db.executeQuery<{ readonly detail: string }>({
      ...sql`select 1`.compile(db),
      sql: `explain query plan ${text}`,
      parameters,
    });
    plans.push(...rows.map(({ detail }) => detail));
  }
  assert.ok(plans.some((step) => step.startsWith('SCAN t VIRTUAL TABLE')));
  const others = plans.filter((step) => /^(?:SEARCH|SCAN) [cdep] /.test(step));
  assert.deepEqual([...new Set(others)].toSorted(), [
    'SEARCH d USING INTEGER PRIMARY KEY (rowid=?)',
    'SEARCH e USING INTEGER PRIMARY KEY (rowid=?)',
    'SEARCH p USING INTEGER PRIMARY KEY (rowid=?)',
  ]);
});
