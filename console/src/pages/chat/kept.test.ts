import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { keepConversations, readConversations, titleOf, type Conversation } from './kept.ts';
import { toMarkdown } from './markdown.ts';
import { createTurn, type Turn } from './turn.ts';

const turn: Turn = {
  ...createTurn(1, 'What is a kea?', { model: 'svc' }),
  status: 'complete',
  text: 'A parrot [1].',
};
const conversation = (id: string, changedAtMs: number, turns = [turn]): Conversation => ({
  id,
  name: null,
  changedAtMs,
  turns,
});

function createStore(lettersMax = Infinity) {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (name: string) => kept.get(name) ?? null,
    setItem(name: string, text: string) {
      if (text.length > lettersMax) throw new Error('quota');
      kept.set(name, text);
    },
    removeItem: (name: string) => void kept.delete(name),
  };
}

suite('conversations in the browser', () => {
  test('come back as they were, the last changed first, for their account only', () => {
    const store = createStore();
    keepConversations(store, 'one', [conversation('a', 1), conversation('b', 2), conversation('c', 3, [])]);
    assert.deepEqual(readConversations(store, 'one'), [conversation('b', 2), conversation('a', 1)]);
    assert.deepEqual(readConversations(store, 'other'), []);
  });

  test('an answer that was still coming was stopped, and a failure keeps its words', () => {
    const store = createStore();
    const coming: Turn = { ...turn, status: 'answering', failure: null };
    const failed: Turn = { ...turn, status: 'failed', failure: new Error('It broke off.') };
    keepConversations(store, 'one', [conversation('a', 1, [coming, failed])]);
    const [first, second] = readConversations(store, 'one')[0]?.turns ?? [];
    assert.equal(first?.status, 'stopped');
    assert.match(String(second?.failure), /It broke off\./);
  });

  test('where there is not room for all, the oldest go', () => {
    const store = createStore(700);
    const all = [conversation('a', 1), conversation('b', 2), conversation('c', 3)];
    const kept = keepConversations(store, 'one', all);
    assert.ok(kept.length > 0 && kept.length < 3, String(kept.length));
    assert.equal(kept[0]?.id, 'c');
    assert.deepEqual(readConversations(store, 'one'), kept);
  });

  test('what an older page kept is nothing', () => {
    const store = createStore();
    for (const text of ['{"version":0,"conversations":[]}', 'nothing', '[]', '{"version":1}']) {
      store.setItem('nestor.chat.one', text);
      assert.deepEqual(readConversations(store, 'one'), []);
    }
  });

  test('the title is the name, or the first question', () => {
    assert.equal(titleOf({ name: null, turns: [turn] }), 'What is a kea?');
    assert.equal(titleOf({ name: 'Birds', turns: [turn] }), 'Birds');
    assert.equal(titleOf({ name: 'x'.repeat(61), turns: [] }), `${'x'.repeat(60)}…`);
  });

  test('a file has questions, answers and sources', () => {
    const sources = [
      { title: 'Kea', url: 'https://kea.example/', date: null, last_updated: null, snippet: '' },
    ];
    const told: Turn = { ...turn, text: '<think>\nHm.\n</think>\n\nA parrot [1].', sources };
    assert.equal(
      toMarkdown({ name: 'Birds', turns: [told] }),
      '# Birds\n\n## What is a kea?\n\nA parrot [1].\n\n1. [Kea](https://kea.example/)\n',
    );
  });
});
