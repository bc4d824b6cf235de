import assert from 'node:assert/strict';

import { createAccountStorage } from '../../src/kernel/store/account-storage.ts';
import type { Database } from '../../src/kernel/store/database.ts';
import { systemClock } from '../../src/kernel/kit/clock.ts';
import { DriftWatch, type DriftChange } from '../../src/features/decisions/deciders/drift-watch.ts';
import type { Head } from '../../src/features/decisions/learning/fit-head.ts';
import { createDeciderStore } from '../../src/features/decisions/store/deciders.ts';
import { createExampleStore, type NewExample } from '../../src/features/decisions/store/examples.ts';
import { createVectorStore } from '../../src/features/decisions/store/example-vectors.ts';
import { createFitStore, type FitEnd } from '../../src/features/decisions/store/fits.ts';

type It = (name: string, body: (database: Database) => Promise<void>) => void;

const anything = (): void => {};
const everything = { afterOrdinal: null, limit: 100 };
/** What a row counts beside its texts. */
const overhead = 256;
const ofX = { accountId: 'a', decider: 'x' } as const;
const ofY = { accountId: 'a', decider: 'y' } as const;
const othersX = { accountId: 'b', decider: 'x' } as const;

async function open({ db }: Database) {
  const deciders = createDeciderStore(db);
  for (const { accountId, decider: name } of [ofX, ofY, othersX]) {
    const row = { name, definition: '{}', revision: `${accountId}-${name}`, updatedAtMs: 5 };
    await deciders.put(accountId, row, anything);
  }
  const examples = createExampleStore(db);
  const fits = createFitStore(db);
  const lease = (owner: string, leaseMs = 600_000) => ({ owner, leaseMs });
  const bounds = { takenMax: 2, othersMax: 2 };
  const begin = (of: { accountId: string; decider: string }, id: string, own = lease('p')) =>
    fits.begin({ ...of, id, createdAtMs: 7 }, own, bounds);
  const take = async (id: string, after: string | null) => {
    assert.equal(await begin(ofX, id), 'begun');
    return fits.end(ofX, id, endOf('taken', `heads of ${id}`), after);
  };
  const stateOf = async (id: string) => (await fits.find(ofX, id))?.state;
  return { deciders, examples, fits, begin, take, stateOf, lease, storage: createAccountStorage(db) };
}

const endOf = (state: FitEnd['state'], heads: string | null = null): FitEnd => ({
  state,
  heads,
  report: '{}',
  error: null,
  learnedTo: 1,
  endedAtMs: 9,
});

let made = 0;
const rows = (...texts: readonly string[]): readonly NewExample[] =>
  texts.map((example) => ({ id: `ex_${made++}`, example }));

/** Examples and fits of deciders. */
export function learningTests(it: It): void {
  exampleTests(it);
  fitTests(it);
  leaseTests(it);
  driftTests(it);

  it('whatever is given while a decider is removed and made again belongs to one that is there', async (database) => {
    const { deciders, examples, begin, storage } = await open(database);
    const { accountId: account, decider: name } = ofX;
    const bounds = { rowsMax: 1_000, bytesMax: 10_000 };
    const empty = async () => {
      await deciders.remove(account, name, anything);
      return storage.bytesOf(account);
    };
    const before = await empty();
    for (let round = 0; round < 10; round++) {
      const row = { name, definition: '{}', revision: `again ${round}`, updatedAtMs: 5 };
      await deciders.put(account, row, anything);
      await Promise.all([
        ...Array.from({ length: 4 }, () => examples.add(ofX, rows('12', '345'), 6, bounds)),
        begin(ofX, `fit ${round}`),
        deciders.remove(account, name, anything),
        ...Array.from({ length: 4 }, () => examples.add(ofX, rows('12', '345'), 6, bounds)),
      ]);
      assert.equal(await deciders.find(account, name), undefined);
      assert.equal(await examples.count(account, name), 0);
      assert.equal(await storage.bytesOf(account), before);
    }
  });

  it('examples and fits count against the storage of their account, and end with their decider', async (database) => {
    const { deciders, examples, fits, begin, storage } = await open(database);
    const before = await storage.bytesOf('a');
    const bounds = { rowsMax: 10, bytesMax: 100 };
    await examples.add(ofX, rows('12', 'é45'), 6, bounds);
    await begin(ofX, 'one');
    await fits.end(ofX, 'one', endOf('taken', 'heads'), null);
    assert.equal(await storage.bytesOf('a'), before + 3 * overhead + 6 + 'heads{}'.length);
    await fits.rollback(ofX);
    assert.equal(await storage.bytesOf('a'), before + 3 * overhead + 6 + '{}'.length);
    await examples.add(ofY, rows('6'), 6, bounds);
    assert.equal(await deciders.remove('a', 'x', anything), true);
    assert.equal(await examples.count('a', 'x'), 0);
    assert.deepEqual(await fits.list(ofX), []);
    // A decider of the same name begins with nothing.
    const left = (await deciders.find('a', 'y')) ?? assert.fail('y is gone');
    assert.equal(await storage.bytesOf('a'), overhead + `y${left.definition}`.length + overhead + 1);
    assert.deepEqual(await storage.recount(), []);
    assert.equal((await examples.list('a', 'y', everything)).length, 1);
  });
}

function exampleTests(it: It): void {
  const bounds = { rowsMax: 10, bytesMax: 100 };

  it('vectors of examples are of one version, count against the storage, and end with their example', async (database) => {
    const { deciders, examples, storage } = await open(database);
    const vectors = createVectorStore(database.db);
    const added = rows('1', '2', '3');
    await examples.add(ofX, added, 6, bounds);
    const [one = '', two = '', three = ''] = added.map(({ id }) => id);
    const ids = [one, two, three, 'nobody'];
    const before = await storage.bytesOf('a');
    const numbers = new Float32Array([0.1, -2, Number.MIN_VALUE, 1e30]);
    const made = ids.map((exampleId) => ({ exampleId, vectors: numbers }));
    // Of an account that does not have them nothing is kept.
    await vectors.put(othersX, 'v1', made);
    assert.deepEqual(await vectors.find('v1', ids), new Map());
    await vectors.put(ofX, 'v1', made);
    const known = new Map([one, two, three].map((id) => [id, numbers]));
    assert.deepEqual(await vectors.find('v1', ids), known);
    assert.deepEqual(await vectors.find('v2', ids), new Map());
    assert.equal(await storage.bytesOf('a'), before + 3 * (overhead + 24));
    await vectors.put(ofX, 'v2', [{ exampleId: one, vectors: numbers.subarray(1, 2) }]);
    assert.deepEqual([...(await vectors.find('v2', ids))], [[one, new Float32Array([-2])]]);
    assert.deepEqual([...(await vectors.find('v1', ids)).keys()].toSorted(), [two, three].toSorted());
    assert.equal(await storage.bytesOf('a'), before + 3 * overhead + 2 * 24 + 8);
    await examples.remove('a', 'x', two);
    assert.deepEqual([...(await vectors.find('v1', ids)).keys()], [three]);
    assert.deepEqual(await storage.recount(), []);
    await deciders.remove('a', 'x', anything);
    assert.deepEqual(await vectors.find('v1', ids), new Map());
    assert.deepEqual(await storage.recount(), []);
  });

  it('examples belong to one decider of one account and come back in order, a page at a time', async (database) => {
    const { examples } = await open(database);
    assert.equal(await examples.add(ofX, rows('1', '2', '3'), 6, bounds), 3);
    assert.equal(await examples.add(ofY, rows('4'), 6, bounds), 1);
    assert.equal(await examples.add(othersX, rows('5'), 6, bounds), 1);
    assert.equal(await examples.add(ofX, rows('6'), 8, bounds), 4);
    const first = await examples.list('a', 'x', { afterOrdinal: null, limit: 3 });
    const rest = await examples.list('a', 'x', { afterOrdinal: first.at(-1)?.ordinal ?? null, limit: 3 });
    assert.deepEqual(
      [...first, ...rest].map(({ example, createdAtMs }) => [example, createdAtMs]),
      [
        ['1', 6],
        ['2', 6],
        ['3', 6],
        ['6', 8],
      ],
    );
    const [one] = first;
    assert.ok(one !== undefined);
    assert.equal(await examples.remove('b', 'x', one.id), false);
    assert.equal(await examples.remove('a', 'y', one.id), false);
    assert.equal(await examples.remove('a', 'x', one.id), true);
    assert.equal(await examples.remove('a', 'x', one.id), false);
    assert.equal(await examples.removeAll('a', 'x'), 3);
    assert.equal(await examples.count('a', 'x'), 0);
    assert.equal(await examples.count('a', 'y'), 1);
    assert.equal(await examples.count('b', 'x'), 1);
  });

  it('examples that would be too many, too long, or of no decider, are not taken', async (database) => {
    const { examples } = await open(database);
    const few = { rowsMax: 3, bytesMax: 100 };
    assert.equal(await examples.add(ofX, rows('1', '2'), 6, few), 2);
    assert.equal(await examples.add(ofX, rows('3', '4'), 6, few), 'full');
    assert.equal(await examples.add(ofX, rows('é'), 6, { rowsMax: 10, bytesMax: 3 }), 'full');
    assert.equal(await examples.add({ ...ofX, decider: 'z' }, rows('5'), 6, few), null);
    assert.equal(await examples.add({ ...ofX, accountId: 'c' }, rows('5'), 6, few), null);
    assert.equal(await examples.count('a', 'x'), 2);
    assert.equal(await examples.add(ofX, rows('é'), 6, { rowsMax: 10, bytesMax: 4 }), 3);
    const many = rows(...Array.from({ length: 1_000 }, (_, n) => `${n}`));
    assert.equal(await examples.add(ofY, many, 6, { rowsMax: 1_000, bytesMax: 10_000 }), 1_000);
  });

  it('of examples written at once, no more are taken than there may be', async (database) => {
    const { examples } = await open(database);
    const few = { rowsMax: 5, bytesMax: 100 };
    const adding = Array.from({ length: 12 }, (_, n) => examples.add(ofX, rows(`${n}`), 6, few));
    const outcomes = await Promise.all(adding);
    assert.equal(outcomes.filter((one) => one === 'full').length, 7);
    assert.equal(await examples.count('a', 'x'), 5);
  });
}

function fitTests(it: It): void {
  it('the newest fit that was taken is in use, and a rollback drops one after the other', async (database) => {
    const { deciders, fits, begin, take, stateOf } = await open(database);
    assert.equal(await take('one', null), 'taken');
    assert.equal(await take('two', 'one'), 'taken');
    await begin(ofX, 'three');
    assert.equal((await deciders.find('a', 'x'))?.fitId, 'two');
    assert.equal(await fits.end(ofX, 'three', endOf('not_better'), 'two'), 'not_better');
    assert.deepEqual(await fits.current(ofX), { id: 'two', heads: 'heads of two', learnedTo: 1 });
    assert.equal(await fits.heads('a', 'one'), 'heads of one');
    assert.equal(await fits.heads('b', 'one'), null);
    assert.equal(await fits.find(othersX, 'one'), null);
    assert.equal(await fits.rollback(othersX), false);
    assert.equal(await fits.rollback(ofX), true);
    assert.equal(await stateOf('two'), 'rolled_back');
    assert.equal(await fits.heads('a', 'two'), null);
    assert.equal((await deciders.find('a', 'x'))?.fitId, 'one');
    assert.equal((await deciders.list('a')).find(({ name }) => name === 'x')?.fitId, 'one');
    assert.equal(await fits.rollback(ofX), true);
    assert.equal(await fits.current(ofX), null);
    assert.equal((await deciders.find('a', 'x'))?.fitId, null);
    assert.equal(await fits.rollback(ofX), false);
  });

  it('some fits are kept, and what is in use is always among them', async (database) => {
    const { fits, begin, take } = await open(database);
    await take('one', null);
    for (const id of ['two', 'three', 'four', 'five']) {
      await begin(ofX, id);
      await fits.end(ofX, id, endOf('not_better'), 'one');
    }
    const ids = async () => (await fits.list(ofX)).map(({ id }) => id);
    assert.deepEqual(await ids(), ['five', 'four', 'three', 'one']);
    for (const [id, after] of [
      ['six', 'one'],
      ['seven', 'six'],
      ['eight', 'seven'],
    ] as const)
      await take(id, after);
    assert.deepEqual(await ids(), ['eight', 'seven', 'six', 'five', 'four']);
  });

  it('an account runs one fit at a time', async (database) => {
    const { fits, begin } = await open(database);
    const outcomes = await Promise.all([begin(ofX, 'one'), begin(ofX, 'two'), begin(ofY, 'three')]);
    assert.deepEqual(outcomes.map(String).toSorted(), ['begun', 'busy', 'busy']);
    assert.equal(await begin(othersX, 'other'), 'begun');
    assert.equal(await begin({ ...ofX, decider: 'z' }, 'none'), null);
    const [id = ''] = [...(await fits.list(ofX)), ...(await fits.list(ofY))].map((one) => one.id);
    const of = (await fits.find(ofX, id)) === null ? ofY : ofX;
    assert.equal(await fits.cancel(othersX, id, 9), false);
    assert.equal(await fits.cancel(of, id, 9), true);
    assert.equal(await fits.cancel(of, id, 9), false);
    assert.equal(await begin(ofX, 'next'), 'begun');
  });

  it('a fit is not taken that was cancelled, or begun before another was put in use, or whose decider is gone', async (database) => {
    const { deciders, fits, begin, take } = await open(database);
    await begin(ofX, 'cancelled');
    await fits.cancel(ofX, 'cancelled', 8);
    assert.equal(await fits.end(ofX, 'cancelled', endOf('taken', 'h'), null), null);
    await take('one', null);
    await begin(ofX, 'late');
    await fits.rollback(ofX);
    assert.equal(await fits.end(ofX, 'late', endOf('taken', 'h'), 'one'), 'failed');
    assert.equal(await fits.heads('a', 'late'), null);
    await begin(ofX, 'lost');
    await deciders.remove('a', 'x', anything);
    assert.equal(await fits.end(ofX, 'lost', endOf('taken', 'h'), null), null);
    assert.deepEqual(await fits.list(ofX), []);
  });
}

const fitted = { chosen: [100, 100, 100], sure: [0, 0, 0, 0, 0, 50, 50, 50, 50, 100] };
const likely = (option: number) => [0, 1, 2].map((one) => (one === option ? 0.9 : 0.05));

function driftTests(it: It): void {
  it('answers that two processes count at once add up, and what changes is told once', async (database) => {
    const { fits, take } = await open(database);
    await take('one', null);
    const told: DriftChange[] = [];
    const errors: unknown[] = [];
    const clock = { ...systemClock, now: () => 77 };
    const options = {
      store: fits,
      clock,
      onChange: (change: DriftChange) => told.push(change),
      onError: (error: unknown) => errors.push(error),
    };
    const watches = [new DriftWatch(options), new DriftWatch(options)] as const;
    const head = { baseline: fitted } as unknown as Head;
    for (let n = 0; n < 5; n++) {
      for (const watch of watches)
        for (let row = 0; row < 20; row++) watch.count(ofX, 'one', 'q', head, likely(0));
      await Promise.all(watches.map((watch) => watch.flush()));
    }
    const known = await watches[0].figures(ofX);
    assert.deepEqual(known['q'], {
      baseline: fitted,
      previous: null,
      current: { chosen: [200, 0, 0], sure: [0, 0, 0, 0, 0, 0, 0, 0, 0, 200] },
      sinceMs: 77,
    });
    assert.deepEqual(
      told.map(({ fitId, hasBegun, answers, baseline }) => [fitId, hasBegun, answers, baseline]),
      [['one', true, 200, 300]],
    );
    // What earlier versions learned cannot be compared with anything.
    watches[0].count(ofX, 'one', 'old', { ...head, baseline: undefined } as unknown as Head, likely(0));
    assert.deepEqual(Object.keys(await watches[0].figures(ofX)), ['q']);
    // The next fit begins anew, and answers of the one before are not its.
    await take('two', 'one');
    watches[0].count(ofX, 'one', 'q', head, likely(0));
    assert.deepEqual(await watches[0].figures(ofX), {});
    watches[1].count(ofX, 'two', 'q', head, likely(1));
    await watches[1].close();
    assert.deepEqual((await watches[0].figures(ofX))['q']?.current.chosen, [0, 1, 0]);
    await watches[0].close();
    assert.deepEqual(errors, []);
  });
}

function leaseTests(it: It): void {
  it('a fit of a process that has gone fails, once its lease is over or this process is alone', async (database) => {
    const { fits, begin, stateOf, lease } = await open(database);
    await begin(ofX, 'one', lease('dead', -1));
    assert.deepEqual(await fits.renew(['one'], lease('p')), []);
    assert.equal(await fits.endAbandoned(9, null), 1);
    assert.equal(await stateOf('one'), 'failed');
    assert.match((await fits.find(ofX, 'one'))?.error ?? '', /server ended/);
    assert.equal(await fits.end(ofX, 'one', endOf('taken', 'h'), null), null);
    await begin(ofX, 'two', lease('dead'));
    assert.equal(await fits.endAbandoned(9, null), 0);
    assert.equal(await fits.endAbandoned(9, 'p'), 1);
    assert.equal(await stateOf('two'), 'failed');
    await begin(ofX, 'three', lease('p', -1));
    assert.deepEqual(await fits.renew([], lease('p')), []);
    assert.deepEqual(await fits.renew(['two', 'three', 'four'], lease('p')), ['three']);
    assert.equal(await fits.endAbandoned(9, null), 0);
    assert.equal(await fits.endAbandoned(9, 'p'), 0);
  });
}
