import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { Fault } from '../../../kernel/faults.ts';
import type { UsageRow } from '../store/usage-row.ts';
import { openSetAside, setAsideFolder } from './set-aside.ts';
import { createStore, openTestJournal, openTestMeter, row, temporaryFolder } from './ledger.fixture.ts';

suite('the meter', () => {
  test('hands rows on in order and leaves nothing behind', async (t) => {
    const folder = temporaryFolder(t);
    const store = createStore();
    const meter = openTestMeter(folder, store);
    for (let i = 0; i < 1_234; i++) meter.add(row(`r${i}`));
    assert.equal(meter.state().backlogRows, 1_234);
    await meter.flush();
    assert.deepEqual(
      [...store.rows.keys()],
      Array.from({ length: 1_234 }, (_, i) => `r${i}`),
    );
    const { backlogRows, backlogBytes, backlogAgeMs } = meter.state();
    assert.deepEqual([backlogRows, backlogBytes, backlogAgeMs], [0, 0, 0]);
    meter.add(row('last'));
    await meter.close();
    assert.equal(store.rows.size, 1_235);
    assert.deepEqual(readdirSync(folder), []);
  });

  test('without room no work begins: it is refused in words, counted, told once, and taken again after', async (t) => {
    const folder = temporaryFolder(t);
    const store = createStore();
    const told: boolean[] = [];
    const meter = openTestMeter(folder, store, {
      journal: openTestJournal(folder, { segmentBytes: 16_384, bytesMax: 32_768 }),
      onAccepting: (accepts) => told.push(accepts),
    });
    store.down = true;
    let kept = 0;
    for (let i = 0; i < 100; i++) {
      try {
        meter.add(row(`r${i}`));
        kept++;
      } catch (error) {
        assert.ok(error instanceof Fault && error.status === 503 && error.message.includes('record usage'));
      }
    }
    assert.ok(kept > 10 && kept < 100, `${kept} rows`);
    assert.deepEqual([meter.state().accepts, meter.state().refused], [false, 100 - kept]);
    await meter.flush();
    store.down = false;
    await meter.flush();
    assert.equal(store.rows.size, kept);
    assert.deepEqual(told, [false, true]);
    meter.add(row('after'));
    await meter.close();
    assert.equal(store.rows.size, kept + 1);
  });

  test('room that was promised is there for as many rows as it was promised to', async (t) => {
    const folder = temporaryFolder(t);
    const store = createStore();
    const meter = openTestMeter(folder, store, {
      journal: openTestJournal(folder, { segmentBytes: 65_536, bytesMax: 131_072 }),
    });
    const slots = [];
    for (;;) {
      try {
        slots.push(meter.reserve());
      } catch {
        break;
      }
    }
    const long = 'x'.repeat(200);
    for (const [index, slot] of slots.entries())
      slot.keep(row(`r${index}`, { model: long, accountId: long, keyId: long, operation: long }));
    assert.ok(slots.length > 10);
    const { lost, backlogRows } = meter.state();
    assert.deepEqual([lost, backlogRows], [0, slots.length]);
    await meter.close();
    assert.equal(store.rows.size, slots.length);
  });

  test('rows of requests that end in one turn are one write, and nobody is told before it', async (t) => {
    const folder = temporaryFolder(t);
    const store = createStore();
    const journal = openTestJournal(folder);
    const writes: number[] = [];
    const meter = openTestMeter(folder, store, {
      journal: {
        ...journal,
        append(text) {
          writes.push(1);
          journal.append(text);
        },
        appendGroup(texts) {
          writes.push(texts.length);
          return journal.appendGroup(texts);
        },
      },
    });
    const keep = (ids: readonly string[]) => ids.map((id) => meter.reserve().keepInTurn(row(id)));
    const first = keep(['a', 'b', 'c']);
    assert.deepEqual([writes, meter.state().backlogRows], [[], 0]);
    await Promise.all(first);
    assert.deepEqual([writes, meter.state().backlogRows], [[3], 3]);
    await Promise.all(keep(['d']));
    const last = keep(['e', 'f']);
    await meter.close();
    await Promise.all(last);
    assert.deepEqual(writes, [3, 1, 2]);
    assert.deepEqual([...store.rows.keys()], ['a', 'b', 'c', 'd', 'e', 'f']);
    assert.deepEqual(readdirSync(folder), []);
  });

  test('rows of one turn that fill several files, or fit into no write, are all kept', async (t) => {
    const folder = temporaryFolder(t);
    const store = createStore();
    const journal = openTestJournal(folder, { segmentBytes: 65_536, bytesMax: 16 * 1_048_576 });
    const meter = openTestMeter(folder, store, { journal });
    const sizes = [1, 100, 1_000, 20];
    for (const size of sizes) {
      const slots = Array.from({ length: size }, () => meter.reserve());
      await Promise.all(slots.map(({ keepInTurn }, index) => keepInTurn(row(`${size}-${index}`))));
    }
    const rows = sizes.reduce((sum, size) => sum + size, 0);
    assert.deepEqual([meter.state().backlogRows, meter.state().lost], [rows, 0]);
    await meter.close();
    assert.equal(store.rows.size, rows);
  });

  test('of a turn whose rows neither the disk nor memory takes, those requests fail that have no row', async (t) => {
    const folder = temporaryFolder(t);
    const store = createStore();
    const journal = openTestJournal(folder);
    let isFull = true;
    const refuse = () => {
      throw new Error('the disk is full');
    };
    const meter = openTestMeter(folder, store, {
      journal: {
        ...journal,
        append: (text) => (isFull ? refuse() : journal.append(text)),
        appendGroup: (texts) => !isFull && journal.appendGroup(texts),
      },
    });
    const slots = Array.from({ length: 1_003 }, () => meter.reserve());
    const kept = await Promise.allSettled(slots.map(({ keepInTurn }, index) => keepInTurn(row(`r${index}`))));
    const failed = kept.filter((one) => one.status === 'rejected');
    assert.equal(failed.length, 3);
    assert.ok(failed.every(({ reason }) => reason instanceof Fault && reason.status === 503));
    assert.deepEqual([meter.state().lost, meter.state().accepts], [3, false]);
    isFull = false;
    await meter.flush();
    await meter.reserve().keepInTurn(row('after'));
    await meter.close();
    assert.equal(store.rows.size, 1_001);
  });

  test('a row with names that are too long is kept, and takes no room from others', async (t) => {
    const folder = temporaryFolder(t);
    const seen: UsageRow[] = [];
    const meter = openTestMeter(folder, { keep: async (rows) => void seen.push(...rows) });
    const name = '\u0001'.repeat(1_000);
    const otherUnits = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`${n}${name}`, n]));
    meter.add(row('long', { model: name, otherUnits, costUsd: 3 }));
    meter.add(row('after'));
    const { accepts, backlogRows } = meter.state();
    assert.deepEqual([accepts, backlogRows], [true, 2]);
    await meter.close();
    assert.deepEqual(
      seen.map(({ id, costUsd }) => [id, costUsd]),
      [
        ['long', 3],
        ['after', 4e-7],
      ],
    );
  });

  test('a burst takes as much disk as it needs and gives it back', async (t) => {
    const folder = temporaryFolder(t);
    const store = createStore();
    const journal = openTestJournal(folder, { segmentBytes: 16_384, name: 'own' });
    const meter = openTestMeter(folder, store, { journal });
    const files = (): number => readdirSync(join(folder, 'own')).length;
    const before = files();
    const slots = Array.from({ length: 200 }, () => meter.reserve());
    assert.ok(files() > before + 10);
    for (const [index, slot] of slots.entries()) slot.keep(row(`r${index}`));
    await meter.flush();
    await meter.flush();
    assert.equal(files(), before);
    assert.equal(store.rows.size, 200);
    await meter.close();
  });

  test('room that was not used is given back once', async (t) => {
    const folder = temporaryFolder(t);
    const meter = openTestMeter(folder, createStore(), {
      journal: openTestJournal(folder, { segmentBytes: 16_384, bytesMax: 16_384 }),
    });
    for (let i = 0; i < 1_000; i++) {
      const slot = meter.reserve();
      slot.release();
      slot.release();
    }
    await meter.close();
  });

  test('a row that the store refuses for what it says is set aside, and the others are kept', async (t) => {
    const folder = temporaryFolder(t);
    const store = createStore();
    const told: string[] = [];
    const meter = openTestMeter(folder, store, { onSetAside: (what) => told.push(what) });
    for (let i = 0; i < 500; i++) meter.add(row(i % 250 === 7 ? `poison${i}` : `r${i}`));
    await meter.flush();
    assert.equal(store.rows.size, 498);
    assert.equal(meter.state().setAside, 2);
    assert.equal(told.length, 2);
    assert.ok(store.calls < 60, `${store.calls} batches`);
    const aside = openSetAside(folder);
    const [first] = aside.list();
    assert.ok(first?.kind === 'refused' && aside.read(first).toString().includes('poison'));
    meter.add(row('after'));
    await meter.close();
    assert.equal(store.rows.size, 499);
  });

  test('numbers out of range are clamped before they are written', async (t) => {
    const folder = temporaryFolder(t);
    const seen: unknown[] = [];
    const meter = openTestMeter(folder, { keep: async (rows) => void seen.push(...rows) });
    const wild = { input: Number.NaN, output: -1, more: 1e300 };
    meter.add(row('a', { inputTokens: 1e300, outputTokens: -5, costUsd: Infinity, costParts: wild }));
    meter.add(row('b', { inputTokens: 1.5, outputTokens: Number.NaN, durationMs: -1 }));
    await meter.close();
    const max = Number.MAX_SAFE_INTEGER;
    assert.deepEqual(seen, [
      row('a', {
        inputTokens: max,
        outputTokens: 0,
        costUsd: max,
        costParts: { input: 0, output: 0, more: max },
        createdAtMs: (seen[0] as { createdAtMs: number }).createdAtMs,
      }),
      row('b', {
        inputTokens: 2,
        outputTokens: 0,
        durationMs: 0,
        createdAtMs: (seen[1] as { createdAtMs: number }).createdAtMs,
      }),
    ]);
  });

  test('rows from before the time that rows are kept are set aside, because their sums are counted', async (t) => {
    const folder = temporaryFolder(t);
    const store = createStore();
    const meter = openTestMeter(folder, store, { keepMs: 86_400_000 });
    meter.add(row('old', { createdAtMs: Date.now() - 2 * 86_400_000 }));
    meter.add(row('new'));
    await meter.close();
    assert.deepEqual([...store.rows.keys()], ['new']);
    assert.equal(openSetAside(folder).list().length, 1);
  });
});

test('what is not of the ledger is told once and holds up nothing', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  mkdirSync(join(folder, 'broken'));
  // A lock that is none: no database, so it cannot be locked.
  writeFileSync(join(folder, 'broken', 'lock'), 'x'.repeat(4_096));
  const strays: string[] = [];
  const store = createStore();
  const meter = openTestMeter(folder, store, {
    journal: openTestJournal(folder, { onStray: (name) => strays.push(name) }),
  });
  meter.add(row('a'));
  await meter.flush();
  await meter.close();
  assert.deepEqual(strays.toSorted(), ['broken', 'notes.txt']);
  assert.equal(store.rows.size, 1);
  assert.deepEqual(readdirSync(folder).toSorted(), ['broken', 'notes.txt']);
});

suite('a journal of an earlier version', () => {
  const old = (id: string) => JSON.stringify(row(id));

  test('is read once; its half-written last line is not a row', async (t) => {
    const folder = temporaryFolder(t);
    const dead = join(folder, '999999999-x');
    mkdirSync(dead);
    writeFileSync(join(dead, '000000000.jsonl'), `${old('whole')}\n{"id":"ha`);
    const store = createStore();
    const meter = openTestMeter(folder, store);
    await meter.flush();
    await meter.close();
    assert.deepEqual([...store.rows], [['whole', 1]]);
    assert.deepEqual(readdirSync(folder), []);
  });

  test('half a line that a full disk left is set aside, and the row that was glued to it is kept', async (t) => {
    const folder = temporaryFolder(t);
    const dead = join(folder, '999999999-x');
    mkdirSync(dead);
    const half = old('lost').slice(0, 80);
    writeFileSync(join(dead, '000000000.jsonl'), `${old('a')}\n${half}${old('b')}\n${old('c')}\n`);
    writeFileSync(join(dead, '000000001.jsonl'), `${old('d')}\n`);
    const store = createStore();
    const meter = openTestMeter(folder, store);
    await meter.close();
    assert.deepEqual([...store.rows.keys()], ['a', 'b', 'c', 'd']);
    assert.deepEqual(readdirSync(folder), [setAsideFolder]);
    const aside = openSetAside(folder);
    assert.deepEqual(
      aside.list().map((file) => aside.read(file).toString()),
      [`${half}\n`],
    );
  });

  test('is left to a process that lives', async (t) => {
    const folder = temporaryFolder(t);
    const alive = join(folder, `${process.ppid}-x`);
    mkdirSync(alive);
    writeFileSync(join(alive, '000000000.jsonl'), `${old('theirs')}\n`);
    const store = createStore();
    const meter = openTestMeter(folder, store);
    await meter.close();
    assert.equal(store.rows.size, 0);
    assert.deepEqual(readdirSync(alive), ['000000000.jsonl']);
  });
});
