import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { openEncoderEngine } from '../../src/features/decisions/engines/encoder/index.ts';
import { normalizeQuestion } from '../../src/features/decisions/normalize-question.ts';
import { holdEncoder } from '../support/held-encoder.ts';

const openEncoder = holdEncoder();

/** What is asked of every message, as services do that sort them. */
const questions = {
  spam: 'Is this spam?',
  toxic: 'Is the message toxic or insulting?',
  urgent: 'Is this urgent?',
  angry: 'Is the customer angry?',
  refund: 'Does the customer want a refund?',
  cancel: 'Does the customer want to cancel?',
  bug: 'Does the user report a bug?',
  feature: 'Is this a feature request?',
  praise: 'Is the customer happy with us?',
  human: 'Does the customer want to talk to a human?',
  security: 'Is this a security issue?',
  legal: 'Is there a legal threat?',
  outage: 'Is there an outage?',
  sales: 'Is this a sales inquiry?',
  shipping: 'Is the message about shipping?',
  phish: 'Is this a phishing attempt?',
} as const;

interface Message {
  readonly state: string;
  /** Null where people would disagree. */
  readonly answers: Readonly<Record<keyof typeof questions, boolean | null>>;
}

/** 40 messages by an author who saw neither this repository nor the questions' answers; most answers are no. */
test('the same sixteen questions of forty messages: nine in ten are answered right, and of the yeses three in five', async (t) => {
  const engine = await openEncoderEngine({ openEncoder, isAuto: false });
  t.after(() => engine.close());
  const names = Object.keys(questions) as (keyof typeof questions)[];
  const asked = names.map((name) => normalizeQuestion({ type: 'noul', instructions: questions[name] }, name));
  const { signal } = new AbortController();
  const outcomes: { readonly answer: boolean; readonly isRight: boolean }[] = [];
  for (const line of readFileSync(new URL('triage.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')) {
    const { state, answers } = JSON.parse(line) as Message;
    const scored = await engine.score({ entry: state, text: state, images: [] }, asked, signal);
    for (const [at, name] of names.entries()) {
      const answer = answers[name];
      if (answer !== null) outcomes.push({ answer, isRight: (scored[at]?.[0] ?? 0.5) > 0.5 === answer });
    }
  }
  const rightOf = (some: typeof outcomes) => some.filter(({ isRight }) => isRight).length;
  const yeses = outcomes.filter(({ answer }) => answer);
  assert.equal(outcomes.length, 613);
  assert.ok(rightOf(outcomes) >= 549, `${rightOf(outcomes)} right`);
  assert.ok(rightOf(yeses) / yeses.length >= 0.6, `${rightOf(yeses)} of ${yeses.length} yeses`);
});
