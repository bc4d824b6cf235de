import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { plain } from './draft.ts';
import { emptyTable, firstWork, keepWork, readWork, type Work } from './kept.ts';

suite('what a tab keeps', () => {
  test('everything that was typed is there again', () => {
    const storage = new MemoryStorage();
    const work: Work = {
      ...firstWork(),
      about: 'table',
      state: plain('x'),
      questionsJson: '{',
      otherEngine: 'b',
      table: { ...emptyTable, text: 'a\n1', chosen: [0], askedWith: 'q', outcomes: [{ error: 'e' }, null] },
    };
    assert.equal(keepWork(storage, work), 'nothing');
    assert.deepEqual(readWork(storage), work);
  });

  test('at most 1 MB is kept: answers go first, then the table, then everything', () => {
    const storage = new MemoryStorage();
    const first = firstWork();
    const table = { ...emptyTable, text: 'a\n1', outcomes: [{ error: 'x'.repeat(600_000) }] };
    assert.equal(keepWork(storage, { ...first, table }), 'answers');
    assert.deepEqual(readWork(storage)?.table, { ...table, outcomes: [] });
    assert.equal(keepWork(storage, { ...first, table: { ...table, text: 'x'.repeat(600_000) } }), 'table');
    assert.deepEqual(readWork(storage), first);
    assert.equal(keepWork(storage, { ...first, state: plain('x'.repeat(600_000)) }), 'all');
    assert.equal(readWork(storage), null);
  });

  test('a browser that keeps less is no failure', () => {
    const storage = new MemoryStorage(1_000);
    assert.equal(keepWork(storage, firstWork()), 'all');
  });

  test('what another version kept is not read', () => {
    for (const text of ['{', 'null', '{"version":0,"work":{}}', '[]']) {
      const storage = new MemoryStorage();
      storage.setItem('nestor.decide', text);
      assert.equal(readWork(storage), null);
    }
  });
});

class MemoryStorage {
  readonly #items = new Map<string, string>();
  readonly #lettersMax: number;

  constructor(lettersMax = Infinity) {
    this.#lettersMax = lettersMax;
  }

  getItem(name: string): string | null {
    return this.#items.get(name) ?? null;
  }

  setItem(name: string, value: string): void {
    if (value.length > this.#lettersMax) throw new Error('full');
    this.#items.set(name, value);
  }

  removeItem(name: string): void {
    this.#items.delete(name);
  }
}
