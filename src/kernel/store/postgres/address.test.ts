import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseAddress } from './address.ts';

test('the label has where and which, and nothing of the user or the parameters', () => {
  const labels = {
    'postgres://u:secret@db.example:6543/nestor?sslmode=verify-full&password=secret':
      'db.example:6543/nestor',
    'postgresql://secret@db/nestor': 'db:5432/nestor',
    'postgres:///nestor?host=/var/run/postgresql&port=5433': '/var/run/postgresql:5433/nestor',
    'postgres://u:p%40ss@[::1]/nestor': '[::1]:5432/nestor',
  };
  for (const [url, label] of Object.entries(labels)) assert.equal(parseAddress(url).label, label);
});

test('modes that a later version of pg would weaken are pinned, others stay', () => {
  const modeOf = (query: string): string | null =>
    new URL(parseAddress(`postgres://u@h/d${query}`).connectionString).searchParams.get('sslmode');
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    assert.equal(modeOf(`?sslmode=${mode}`), 'verify-full');
  }
  assert.equal(modeOf('?sslmode=disable'), 'disable');
  assert.equal(modeOf('?sslmode=no-verify'), 'no-verify');
  assert.equal(modeOf('?sslmode=require&uselibpqcompat=true'), 'require');
  assert.equal(modeOf(''), null);
});

test('a url that cannot be read is refused without being repeated', () => {
  for (const url of ['postgres://u:secret@h:port/d', 'postgres://u:%zzsecret@h/d', 'postgres://[secret/d']) {
    assert.throws(
      () => parseAddress(url),
      (error) => error instanceof Error && !error.message.includes('secret') && error.cause === undefined,
    );
  }
});
