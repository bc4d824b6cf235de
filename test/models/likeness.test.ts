import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { shareEncoder } from '../../src/features/models/encoder.ts';
import { createLikeness, readMax, textsMax } from '../../src/features/models/likeness.ts';
import type { TestScope } from '../support/server.ts';
import { hangMs } from '../support/until.ts';

const never = new AbortController().signal;
const question = 'How do I end a token?';
const texts = ['A token is revoked with a request.', 'Bread is baked in an oven.'];

suite('likeness by the shared encoder', { concurrency: false }, () => {
  const share = shareEncoder();
  /** The encoder, and the rows that it evaluated. */
  const counted = async (t: TestScope) => {
    const encoder = await share();
    t.after(() => encoder.close());
    const counts = { rows: 0, closed: 0 };
    const open = () =>
      Promise.resolve({
        ...encoder,
        run: (...asked: Parameters<typeof encoder.run>) => {
          counts.rows += asked[0].length;
          return encoder.run(...asked);
        },
        close: () => {
          counts.closed++;
          return encoder.close();
        },
      });
    return { encoder, counts, open };
  };

  test('the weights are not read for it: before something else has, it says nothing', async (t) => {
    const { encoder, counts, open } = await counted(t);
    const likeness = createLikeness(open, hangMs);
    assert.equal(await likeness.compare(question, texts, never), null);
    assert.equal(await likeness.read(question, texts, never), null);
    assert.deepEqual([encoder.isOpen(), counts.rows], [false, 0]);
    await likeness.close();
    assert.equal(counts.closed, 1);
  });

  test('what means the like is liker, and no text is encoded twice', async (t) => {
    const { encoder, counts, open } = await counted(t);
    await encoder.tokenize([{ text: 'a', pair: null }], never);
    const likeness = createLikeness(open, hangMs);
    const cosines = await likeness.compare(question, texts, never);
    assert.ok(cosines !== null && (cosines[0] ?? 0) > (cosines[1] ?? 1) + 0.2, String(cosines));
    assert.equal(counts.rows, 3);
    assert.deepEqual(await likeness.compare(question, texts.toReversed(), never), cosines.toReversed());
    assert.equal(counts.rows, 3);
    await likeness.close();
  });

  test('no more than so many texts are compared, by their beginnings', async (t) => {
    const { encoder, counts, open } = await counted(t);
    await encoder.tokenize([{ text: 'a', pair: null }], never);
    const likeness = createLikeness(open, hangMs);
    const many = Array.from({ length: textsMax + 5 }, (_, at) => `${at} ${'far '.repeat(10_000)}`);
    const cosines = await likeness.compare(question, many, never);
    assert.deepEqual([cosines?.length, counts.rows], [textsMax, textsMax + 1]);
    await likeness.close();
  });

  test('a text that answers is told from one that is near, by no more than so much of so many', async (t) => {
    const { encoder, counts, open } = await counted(t);
    await encoder.tokenize([{ text: 'a', pair: null }], never);
    const likeness = createLikeness(open, hangMs);
    const asked = 'What is the default timeout of a request?';
    const near = 'Requests: A request is sent with `send`, and is given up when its signal is aborted.';
    const odds = await likeness.read(asked, ['Timeouts: The default timeout is 10 seconds.', near], never);
    assert.ok(odds !== null && (odds[0] ?? 0) > (odds[1] ?? 0) + 1, String(odds));
    assert.deepEqual(await likeness.read(asked, [near], never), odds.slice(1));
    counts.rows = 0;
    const many = Array.from({ length: readMax + 5 }, (_, at) => `${at} ${'far '.repeat(10_000)}`);
    assert.deepEqual([(await likeness.read(asked, many, never))?.length, counts.rows], [readMax, readMax]);
    await likeness.close();
  });

  test('being late is no answer, and being aborted is the reason of the caller', async (t) => {
    const { encoder, counts, open } = await counted(t);
    await encoder.tokenize([{ text: 'a', pair: null }], never);
    // As an encoder that others keep busy until the deadline is over.
    const busy = (_rows: unknown, signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const late = createLikeness(() => Promise.resolve({ ...encoder, run: busy }), 1);
    assert.equal(await late.compare(question, texts, never), null);
    assert.equal(await late.read(question, texts, never), null);
    const reason = new Error('left');
    await assert.rejects(
      createLikeness(open, hangMs).compare(question, texts, AbortSignal.abort(reason)),
      (error) => error === reason,
    );
    assert.equal(counts.rows, 0);
    await late.close();
  });
});
