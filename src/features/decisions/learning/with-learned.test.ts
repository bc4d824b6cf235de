import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DecisionEngine, NormalizedQuestion, State } from '../engine.ts';
import { questionKey } from '../policy.ts';
import type { Head } from './fit-head.ts';
import { withLearned } from './with-learned.ts';

const { signal } = new AbortController();
const state: State = { entry: 'text', text: 'text', images: [] };
const noul = (question: string): NormalizedQuestion => ({
  kind: 'noul',
  question,
  options: ['true', 'false'].map((name) => ({ name, description: '' })),
});

test('what a head answers no rule is said to have answered', async () => {
  const vector = new Float32Array([1, 0]);
  const engine: DecisionEngine = {
    name: 'ruled',
    vision: false,
    health: () => 'ok',
    countTokens: async () => 1,
    score: async (_, questions) => questions.map(() => [0.99, 0.01]),
    countRuled: (_, questions) => questions.length,
    features: {
      version: '1',
      keep: async (states) => states.map(() => vector),
      of: async (states) => states.map(() => ({ vector, prior: [0.5, 0.5] })),
    },
    close: async () => {},
  };
  const [taught, other] = [noul('Is it an e-mail?'), noul('Is it a link?')];
  const head: Head = { learned: { kind: 'nearest', vectors: [vector], right: [1] }, temperature: 1 };
  const learned = withLearned(engine, new Map([[questionKey(taught), head]]));
  const [byHead = [], byRule] = await learned.score(state, [taught, other], signal);
  assert.ok((byHead[1] ?? 0) > 0.9);
  assert.deepEqual(byRule, [0.99, 0.01]);
  assert.equal(learned.countRuled?.(state, [taught, other]), 1);
});
