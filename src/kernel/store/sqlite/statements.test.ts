import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { StatementCache } from './statements.ts';

test('the longest unused statement leaves first, and the cache stays within its bound', () => {
  const database = new DatabaseSync(':memory:');
  const cache = new StatementCache(database, 2);
  const one = cache.prepare('select 1');
  const two = cache.prepare('select 2');
  assert.equal(cache.prepare('select 1'), one);
  cache.prepare('select 3');
  assert.equal(cache.size, 2);
  assert.equal(cache.prepare('select 1'), one);
  assert.notEqual(cache.prepare('select 2'), two);
  database.close();
});

test('a statement tells whether it answers with rows', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('create table t (a)');
  const cache = new StatementCache(database, 4);
  assert.equal(cache.prepare('select 1').answersRows, true);
  assert.equal(cache.prepare('insert into t values (1)').answersRows, false);
  assert.equal(cache.prepare('insert into t values (1) returning a').answersRows, true);
  assert.throws(() => cache.prepare('select from'));
  assert.equal(cache.size, 3);
  database.close();
});
