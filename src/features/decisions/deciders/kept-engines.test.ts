import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DecisionEngine } from '../engine.ts';
import { KeptEngines } from './kept-engines.ts';

const engine = (name: string): DecisionEngine => ({
  name,
  vision: false,
  health: () => 'ok',
  countTokens: () => Promise.resolve(0),
  score: () => Promise.resolve([]),
  close: () => Promise.resolve(),
});
const names = ['a', 'b', 'c', 'd'];
const keptOf = (engines: KeptEngines) => names.filter((name) => engines.get(name) !== undefined);

test('of too many engines those go that were not used for longest', () => {
  const engines = new KeptEngines({ countMax: 2, bytesMax: 100 });
  engines.set('a', engine('a'), 1);
  engines.set('b', engine('b'), 1);
  assert.equal(engines.get('a')?.name, 'a');
  engines.set('c', engine('c'), 1);
  assert.deepEqual(keptOf(engines), ['a', 'c']);
});

test('of engines that hold too much as many go as are in the way, and one that is too large alone stays alone', () => {
  const engines = new KeptEngines({ countMax: 10, bytesMax: 100 });
  for (const name of ['a', 'b', 'c']) engines.set(name, engine(name), 33);
  engines.set('d', engine('d'), 60);
  assert.deepEqual(keptOf(engines), ['c', 'd']);
  engines.set('a', engine('a'), 500);
  assert.deepEqual(keptOf(engines), ['a']);
  engines.set('b', engine('b'), 100);
  assert.deepEqual(keptOf(engines), ['b']);
});

test('one that is written again counts once', () => {
  const engines = new KeptEngines({ countMax: 10, bytesMax: 100 });
  for (let turn = 0; turn < 5; turn++) engines.set('a', engine('a'), 60);
  engines.set('b', engine('b'), 40);
  assert.deepEqual(keptOf(engines), ['a', 'b']);
});
