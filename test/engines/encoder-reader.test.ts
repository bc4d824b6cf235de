import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { NormalizedQuestion, State } from '../../src/features/decisions/engine.ts';
import { openEncoderEngine } from '../../src/features/decisions/engines/encoder/index.ts';
import { readAll } from '../../src/features/decisions/engines/encoder/reading.ts';
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

/** Questions that no training text has the like of, each with what says so and what says the contrary, in other words. */
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
  assert.ok(ranked >= 7, `${ranked} of ${told.length} ranked`);
  assert.ok(right >= 13, `${right} of ${2 * told.length} right`);
});

const letter = `Dear Ms Okafor, thank you for your patience while we looked into the matter. The garden behind the house has been
replanted, and the new fence was put up in the second week of May. Our caretaker, Mr Lindqvist, is there on weekdays between eight and
noon. Waste paper is collected on the first Tuesday of each month. The stairs are cleaned by a firm from the neighbouring town. In
the matter of the deposit we have decided in your favour, and the full sum will be with you by the end of the week. The cellar was
pumped dry after the storm. Bicycles may stand in the yard, but not in front of the door. Yours sincerely, K. Brandt`;

test('one clause of a long letter answers, and its contrary answers otherwise', async () => {
  const question = noul('Does the tenant get her money back?');
  const contrary = letter.replace(
    'we have decided in your favour, and the full sum will be with you by the end of the week',
    'we see no reason to change our decision, and the sum stays with us',
  );
  assert.notEqual(contrary, letter);
  const [[yes = 0] = []] = await engine.score(toState(letter), [question], signal);
  const [[no = 0] = []] = await engine.score(toState(contrary), [question], signal);
  assert.ok(yes > no, `${yes} and ${no}`);
});

test('what is read of a question is the same bytes alone, beside others and again', async () => {
  const [first, second] = [toState(told[0][1]), toState(letter)];
  const questions = told.map(([question]) => noul(question));
  const alone = await engine.score(first, questions.slice(0, 1), signal);
  const [[beside], long, [again]] = await Promise.all([
    engine.score(first, questions, signal),
    engine.score(second, questions, signal),
    engine.score(first, questions.slice(0, 1), signal),
  ]);
  assert.deepEqual(beside, alone[0]);
  assert.deepEqual(again, alone[0]);
  assert.deepEqual((await engine.score(second, questions.slice(3, 4), signal))[0], long[3]);
});

test('a text is read by what stands in it, whichever windows it has', async () => {
  const vectors = createVectors(encoder, null);
  const [[window = new Float32Array()] = []] = await vectors.ofState(
    { state: toState(told[0][1]), text: told[0][1] },
    [{ texts: [], isCompared: true }],
    caller,
  );
  assert.equal(vectors.textOf(window), told[0][1]);
  const texts = [told[0][0]];
  const [[read] = []] = await readAll(
    { encoder, vectors },
    [{ texts, near: [window], windows: [window] }],
    caller,
  );
  assert.ok(read !== undefined);
  const all = Math.exp(read.yes) + Math.exp(read.no) + Math.exp(read.untold);
  assert.ok(Math.abs(all - 1) < 1e-5, `${all}`);
  assert.deepEqual(
    await readAll({ encoder, vectors }, [{ texts: [], near: [], windows: [window] }], caller),
    [[]],
  );
});
