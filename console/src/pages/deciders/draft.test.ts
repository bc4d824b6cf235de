import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstDraft, fromDecider, toBody } from './draft.ts';
import type { Decider } from './wire.ts';

const engineOnly: Decider = {
  name: 'desk',
  owner: 'account',
  definition: {
    engine: 'encoder',
    passes: 2,
    prior: false,
    negation: true,
    calibration: { version: 1 },
    cascade: [],
    abstain: { choice: 0.5 },
    max_error: 0.05,
    guarantees: [],
  },
  fit: null,
  updated_at: null,
};
const { engine: _engine, calibration: _calibration, ...rest } = engineOnly.definition;

test('a decider with an engine comes back as it was', () => {
  const { cascade: _cascade, ...definition } = engineOnly.definition;
  assert.deepEqual(toBody(fromDecider(engineOnly)), { body: definition });
});

test('a cascade has confidences for all steps but the last, and none of the engine', () => {
  const cascade = [
    { decider: 'quick', confidence: { noul: 0.9 } },
    { decider: 'svc-decider-v1-27b', confidence: {} },
  ];
  const careful = { ...engineOnly, definition: { ...rest, engine: null, calibration: null, cascade } };
  assert.deepEqual(toBody(fromDecider(careful)), {
    body: {
      cascade: [{ decider: 'quick', confidence: { noul: 0.9 } }, { decider: 'svc-decider-v1-27b' }],
      abstain: { choice: 0.5 },
      max_error: 0.05,
      guarantees: [],
    },
  });
});

test('a file of nestor guarantee is taken as one, and a list as it is', () => {
  const guaranteesOf = (text: string) => {
    const read = toBody({ ...firstDraft, guarantees: text });
    return 'body' in read ? read.body.guarantees : read.message;
  };
  assert.deepEqual(guaranteesOf('{"max_error":0.05}'), [{ max_error: 0.05 }]);
  assert.deepEqual(guaranteesOf('[{"max_error":0.05},{"max_error":0.1}]'), [
    { max_error: 0.05 },
    { max_error: 0.1 },
  ]);
  assert.equal(guaranteesOf('{'), 'The guarantees are no JSON.');
});

test('a step without a decider is told', () => {
  assert.deepEqual(toBody({ ...firstDraft, answersBy: 'cascade' }), {
    message: 'Choose the decider of step 1.',
  });
});
