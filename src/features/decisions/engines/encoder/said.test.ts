import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clausesOf, saidOf } from './said.ts';

const said = (state: string, statement: string, isTopical = false) =>
  Math.sign(saidOf(statement, clausesOf(state), isTopical) ?? 0);

test('what a clause says in the words of a statement holds, and what it denies does not', () => {
  for (const [state, statement, expected] of [
    ['Swollen ankle since Monday. Denies pain.', 'Is the ankle swollen?', 1],
    ['Swollen ankle since Monday. Denies pain.', 'Does the patient have pain?', -1],
    ['I do not need a receipt', 'The customer needs a receipt', -1],
    ['build finished, 0 warnings', 'Were there warnings?', -1],
    ['The fitter never came although I waited', 'Did the fitter come?', -1],
    ['We have sent the form', 'Did they send the form?', 1],
    ['The screen broke', 'Did the screen break?', 1],
    ['The fee is unpaid', 'The fee is paid', -1],
    ['The tram was late', 'Was the bus late?', 0],
    ['Is the tram late?', 'Is the tram late?', 0],
    ['If the tram is late we walk', 'Is the tram late?', 0],
    ['Every tram was late', 'Were all trams late?', 0],
    ['', 'Is the tram late?', 0],
  ] as const)
    assert.equal(said(state, statement), expected, `${state} ${statement}`);
});

test('of two parties the order counts, and a passive turns it round', () => {
  for (const [state, statement, expected] of [
    ['The cook called the farmer', 'Did the cook call the farmer?', 1],
    ['The cook called the farmer', 'Did the farmer call the cook?', -1],
    ['The cook was called by the farmer', 'Did the farmer call the cook?', 1],
    ['The cook was called by the farmer', 'Did the cook call the farmer?', -1],
  ] as const)
    assert.equal(said(state, statement), expected, `${state} ${statement}`);
});

test('of what was done to something, who did it is not asked', () => {
  for (const [state, statement, expected] of [
    ['The roofer repaired the old chimney', 'Was the old chimney repaired?', 1],
    ['The old chimney was repaired', 'Was the old chimney repaired?', 1],
    ['Nobody repaired the old chimney', 'Was the old chimney repaired?', -1],
    ['We sent two spare keys back', 'Were the two spare keys sent?', 1],
    ['No guest paid the fee', 'Has somebody paid the fee?', -1],
    ['One guest paid the fee', 'Has somebody paid the fee?', 1],
  ] as const)
    assert.equal(said(state, statement), expected, `${state} ${statement}`);
});

test('a key of a structure is denied by its value', () => {
  for (const [state, expected] of [
    ['{"visit": {"room": 4, "key_returned": false}}', -1],
    ['{"visit": {"key_returned": null, "room": 4}}', -1],
    ['{"visit": {"key_returned": true, "room": 4}}', 1],
    ['{"visit": {"key_returned": "2026-03-04", "found": false}}', 1],
  ] as const)
    assert.equal(said(state, 'Was the key returned?'), expected, state);
});

test('a topic is a topic, said or denied', () => {
  assert.equal(said('I never asked about the warranty', 'Does the customer mention the warranty?', true), 1);
});
