import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { NormalizedQuestion, State } from '../../src/features/decisions/engine.ts';
import { openFactReader } from '../../src/features/decisions/engines/encoder/facts.ts';
import { openEncoderEngine } from '../../src/features/decisions/engines/encoder/index.ts';
import { createVectors } from '../../src/features/decisions/engines/encoder/vectors.ts';
import { ownAccount } from '../../src/kernel/kit/caller.ts';
import { holdEncoder } from '../support/held-encoder.ts';

const open = holdEncoder();
const engine = await openEncoderEngine({ openEncoder: open, isAuto: false });
const encoder = await open();
after(() => Promise.all([engine.close(), encoder.close()]));
const { signal } = new AbortController();
const caller = { account: ownAccount, signal };
const toState = (text: string): State => ({ entry: text, text, images: [] });
const noul = (question: string): NormalizedQuestion => ({
  kind: 'noul',
  question,
  options: ['true', 'false'].map((name) => ({ name, description: '' })),
});

/** Questions that `training/decider/facts.txt` has no like of, each with what says so and what says the contrary, in other words. */
const told = [
  [
    'Did the passengers have to wait?',
    'We stood at the gate for three hours.',
    'We walked straight onto the plane.',
  ],
  ['Is the bridge passable?', 'Cars roll over it again since noon.', 'The river has torn away its middle.'],
  [
    'Did the seed germinate?',
    'Tiny green tips show in every pot.',
    'After six weeks the soil is as bare as ever.',
  ],
  [
    'Was the suspect caught?',
    'Officers put handcuffs on him at the border.',
    'He slipped away and no one knows where he is.',
  ],
  [
    'Is the water drinkable?',
    'We fill our bottles from it every day.',
    'It smells of sulphur and made two of us sick.',
  ],
  [
    'Did the child fall asleep?',
    'She was snoring before the story ended.',
    'At midnight she was still jumping on the bed.',
  ],
  [
    'Has the roof been repaired?',
    'New tiles up there, not a drop came through last night.',
    'We keep putting buckets under the holes.',
  ],
  [
    'Did the speaker convince the audience?',
    'They rose and clapped for minutes.',
    'Half of them walked out shaking their heads.',
  ],
  [
    'Is the path steep?',
    'You climb four hundred metres in half an hour.',
    'It is level all the way, good for prams.',
  ],
  [
    'Did the battery hold its charge?',
    'After a week in the drawer it was still full.',
    'It was empty again after an hour in my pocket.',
  ],
  [
    'Was the rent paid by the tenant?',
    'Her transfer came in on the first, as always.',
    'I have not seen a penny from her since May.',
  ],
  [
    'Does the sister still talk to her brother?',
    'They phone each other every Sunday.',
    'Not a word between the two for years.',
  ],
] as const;

test('what a text says in other words is told from its contrary', async () => {
  let [ranked, right] = [0, 0];
  for (const [question, said, denied] of told) {
    const [[yes = 0] = []] = await engine.score(toState(said), [noul(question)], signal);
    const [[no = 0] = []] = await engine.score(toState(denied), [noul(question)], signal);
    if (yes > no) ranked++;
    right += Number(yes > 0.5) + Number(no < 0.5);
  }
  assert.ok(ranked >= 10, `${ranked} of ${told.length} ranked`);
  assert.ok(right >= 16, `${right} of ${2 * told.length} right`);
});

test('a window has the same vector with its tokens as without, alone and beside others', async () => {
  const vectors = createVectors(encoder, null);
  const [text, beside] = ['They phone each other every Sunday.', 'He waits beside her every Sunday.'];
  const [plain = new Float32Array()] = await vectors.once([text], caller);
  const alone = await vectors.ofStatements([text], caller);
  assert.deepEqual(alone.get(text)?.vector, plain);
  const others = createVectors(encoder, null);
  assert.deepEqual((await others.ofStatements([text, beside], caller)).get(text), alone.get(text));
  const [[window = new Float32Array()] = []] = await vectors.ofState(toState(text), [[]], caller, {
    withTokens: true,
  });
  assert.deepEqual(vectors.tokensOf(window), alone.get(text));
});

test('no window is no evidence', async () => {
  const vectors = createVectors(encoder, null);
  const asked = await vectors.ofStatements(['It rains.'], caller);
  const statement = asked.get('It rains.');
  assert.ok(statement);
  const reader = await openFactReader();
  assert.equal(reader.logOdds(statement, []), 0);
});
