import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Fault } from '../../faults.ts';
import { PostgresError, toFailure } from './errors.ts';

/** As `pg` makes it from what the server sends. */
function told(code: string, message = 'told'): Error {
  return Object.assign(new Error(message), { severity: 'ERROR', code, detail: 'Key (id)=(secret) exists.' });
}

test('a server that is gone, and one that cannot serve, are faults of the store', () => {
  const cases: readonly [unknown, boolean][] = [
    [told('57P01'), true],
    [told('57P03'), true],
    [told('08006'), true],
    [told('25P03'), true],
    [told('25006'), true],
    [told('28P01'), true],
    [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), true],
    [new Error('Connection terminated unexpectedly'), true],
    [new Error('Query read timeout'), true],
    [new AggregateError([new Error('connect ECONNREFUSED ::1:1')], ''), true],
    ['not an error', true],
    [told('53300'), false],
    [told('53100'), false],
    [told('57014'), false],
    [told('55P03'), false],
    [told('XX001'), false],
  ];
  for (const [thrown, isLoss] of cases) {
    const failure = toFailure(thrown, 'select 1');
    assert.ok(failure.error instanceof Fault && failure.error.code === 'service_unavailable');
    assert.ok(failure.error.cause instanceof PostgresError && failure.error.cause.message !== '');
    assert.equal(failure.isLoss, isLoss, String(thrown));
    assert.equal(failure.isBroken, isLoss);
  }
});

test('a refusal keeps its code and kind and nothing of the row', () => {
  const kinds = {
    '23505': 'unique',
    '23503': 'foreign_key',
    '23514': 'check',
    '23502': 'not_null',
    '40001': 'conflict',
    '40P01': 'conflict',
    '42601': 'other',
  };
  for (const [code, kind] of Object.entries(kinds)) {
    const { error, isBroken } = toFailure(told(code), 'insert');
    assert.ok(error instanceof PostgresError);
    assert.deepEqual([error.code, error.kind, error.sql, isBroken], [code, kind, 'insert', false]);
    assert.ok(!JSON.stringify(error).includes('secret'));
  }
  const quoting = toFailure(told('22P02', 'invalid input syntax for type bigint: "secret"'), 'select').error;
  assert.equal(quoting.message, 'a value does not fit its column');
});

test('what our own checks throw passes as it is', () => {
  const thrown = new RangeError('the store holds an integer beyond 2^53');
  assert.deepEqual(toFailure(thrown, ''), { error: thrown, isBroken: false, isLoss: false });
});
