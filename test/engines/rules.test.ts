import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startServer } from '../support/server.ts';

const statuses = ['shipped', 'pending', 'delivered', 'cancelled', 'failed'];
const ordinals = ['first', 'second', 'third', 'fourth', 'fifth'];

test('a header tells how many questions rules answered, and five items get their own answers', async (t) => {
  const server = await startServer(t);
  const ask = async (state: unknown, questions: object) => {
    const response = await server.post('/v1/decisions', { model: 'svc-decider-v1-27b', state, questions });
    assert.equal(response.status, 200);
    const { answers } = (await response.json()) as {
      answers: Record<string, { choice?: string; noul?: number }>;
    };
    return { answers, rules: response.headers.get('x-nestor-rules') };
  };
  const criteria = Object.fromEntries(statuses.map((status) => [status, null]));
  const questions = Object.fromEntries(
    ordinals.map((ordinal) => [
      ordinal,
      { type: 'choice', instructions: `What is the status of the ${ordinal} item?`, criteria },
    ]),
  );
  const items = statuses.map((status) => ({ status }));
  const asked = await ask(
    { items },
    { ...questions, mood: { type: 'noul', instructions: 'Is the customer angry?' } },
  );
  assert.deepEqual(
    ordinals.map((ordinal) => asked.answers[ordinal]?.choice),
    statuses,
  );
  assert.equal(asked.rules, '5 of 6');

  const mood = { mood: { type: 'noul', instructions: 'Is the customer angry?' } };
  assert.equal((await ask('Where is my parcel?', mood)).rules, null);
  const nothing = await ask({ subject: '', body: '' }, mood);
  assert.equal(nothing.answers['mood']?.noul, 0.5);
  assert.equal(nothing.rules, '1 of 1');
});
