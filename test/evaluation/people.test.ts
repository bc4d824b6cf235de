import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { openEncoderEngine } from '../../src/features/decisions/engines/encoder/index.ts';
import { normalizeQuestion } from '../../src/features/decisions/normalize-question.ts';
import { parseJsonl, toCases } from '../../src/features/decisions/evaluation/examples.ts';
import { auroc } from '../../src/features/decisions/evaluation/metrics.ts';
import { holdEncoder } from '../support/held-encoder.ts';
import { keepVectors } from '../support/kept-vectors.ts';
import { isLongRun, variationsOf } from '../support/rounds.ts';

/**
 * Questions as people ask them, written down before any was answered. Single answers of `kept` are not to be looked at:
 * what is mended there is mended by the row.
 */
const { open: openEncoder, keep } = keepVectors(holdEncoder());
const engine = await openEncoderEngine({ openEncoder, isAuto: false });
after(async () => {
  await engine.close();
  await keep();
});

async function answered(half: 'seen' | 'kept' | 'aspects' | 'third' | 'fourth' | 'fifth' | 'sixth') {
  const text = readFileSync(new URL(`people-${half}.jsonl`, import.meta.url), 'utf8');
  const { signal } = new AbortController();
  const outcomes = [];
  for (const { state, question, right } of toCases(parseJsonl(text, half))) {
    const [probabilities = []] = await engine.score(state, [question], signal);
    const highest = Math.max(...probabilities);
    const isRight =
      probabilities.filter((p) => p === highest).length === 1 && probabilities[right] === highest;
    outcomes.push({ kind: question.kind, probabilities, right, isRight });
  }
  const nouls = outcomes.filter(({ kind }) => kind === 'noul');
  return {
    count: outcomes.length,
    right: outcomes.filter(({ isRight }) => isRight).length,
    unlikely: outcomes.filter(({ probabilities, right }) => (probabilities[right] ?? 0) < 0.2).length,
    auroc: auroc(
      nouls.map(({ probabilities }) => probabilities[0] ?? 0.5),
      nouls.map(({ right }) => right === 0),
    ),
  };
}

void test(
  'of the questions that were looked at, three in four are answered right and few surely wrong',
  { skip: !isLongRun && 'in the long run' },
  async () => {
    const { count, right, unlikely, auroc: ranked } = await answered('seen');
    assert.equal(count, 99);
    assert.ok(right >= 81, `${right} right`);
    assert.ok(unlikely <= 7, `${unlikely} surely wrong`);
    assert.ok(ranked >= 0.88, `AUROC ${ranked}`);
  },
);

void test('of the questions that were only counted, two in three are answered right and few surely wrong', async () => {
  const { count, right, unlikely, auroc: ranked } = await answered('kept');
  assert.equal(count, 72);
  assert.ok(right >= 56, `${right} right`);
  assert.ok(unlikely <= 6, `${unlikely} surely wrong`);
  assert.ok(ranked >= 0.9, `AUROC ${ranked}`);
});

void test(
  'one thing among several is judged by what is said of it',
  { skip: !isLongRun && 'in the long run' },
  async () => {
    const { count, right, unlikely, auroc: ranked } = await answered('aspects');
    assert.equal(count, 53);
    assert.ok(right >= 43, `${right} right`);
    assert.ok(unlikely <= 3, `${unlikely} surely wrong`);
    assert.ok(ranked >= 0.9, `AUROC ${ranked}`);
  },
);

void test(
  'of the questions of a third author, two in three are answered right',
  { skip: !isLongRun && 'in the long run' },
  async () => {
    const { count, right, unlikely, auroc: ranked } = await answered('third');
    assert.equal(count, 62);
    assert.ok(right >= 42, `${right} right`);
    assert.ok(unlikely <= 7, `${unlikely} surely wrong`);
    assert.ok(ranked >= 0.8, `AUROC ${ranked}`);
  },
);

void test(
  'of questions about facts in other words, which likeness turns round, three in five are answered right',
  { skip: !isLongRun && 'in the long run' },
  async () => {
    const { count, right, unlikely, auroc: ranked } = await answered('fourth');
    assert.equal(count, 60);
    assert.ok(right >= 38, `${right} right`);
    assert.ok(unlikely <= 8, `${unlikely} surely wrong`);
    assert.ok(ranked >= 0.71, `AUROC ${ranked}`);
  },
);

void test(
  'of questions that were written before the reader was trained, half are answered right',
  { skip: !isLongRun && 'in the long run' },
  async () => {
    const { count, right, unlikely, auroc: ranked } = await answered('fifth');
    assert.equal(count, 100);
    assert.ok(right >= 54, `${right} right`);
    assert.ok(unlikely <= 17, `${unlikely} surely wrong`);
    assert.ok(ranked >= 0.65, `AUROC ${ranked}`);
  },
);

void test(
  'of questions of a sixth author, in which texts are as short and plain as in products, three in five are answered right',
  { skip: !isLongRun && 'in the long run' },
  async () => {
    const { count, right, unlikely, auroc: ranked } = await answered('sixth');
    assert.equal(count, 120);
    assert.ok(right >= 88, `${right} right`);
    assert.ok(unlikely <= 12, `${unlikely} surely wrong`);
    assert.ok(ranked >= 0.8, `AUROC ${ranked}`);
  },
);

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
void test('the same sixteen questions of forty messages: nine in ten are answered right, and of the yeses three in five', async () => {
  const names = Object.keys(questions) as (keyof typeof questions)[];
  const asked = names.map((name) => normalizeQuestion({ type: 'noul', instructions: questions[name] }, name));
  const { signal } = new AbortController();
  const outcomes: { readonly answer: boolean; readonly isRight: boolean }[] = [];
  const lines = readFileSync(new URL('triage.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  // In the usual run every second message: 274 of 304 were right when it was counted.
  for (const line of variationsOf(lines, 2)) {
    const { state, answers } = JSON.parse(line) as Message;
    const scored = await engine.score({ entry: state, text: state, images: [] }, asked, signal);
    for (const [at, name] of names.entries()) {
      const answer = answers[name];
      if (answer !== null) outcomes.push({ answer, isRight: (scored[at]?.[0] ?? 0.5) > 0.5 === answer });
    }
  }
  const rightOf = (some: typeof outcomes) => some.filter(({ isRight }) => isRight).length;
  const yeses = outcomes.filter(({ answer }) => answer);
  assert.equal(outcomes.length, isLongRun ? 613 : 304);
  assert.ok(rightOf(outcomes) >= (isLongRun ? 549 : 267), `${rightOf(outcomes)} right`);
  assert.ok(rightOf(yeses) / yeses.length >= 0.6, `${rightOf(yeses)} of ${yeses.length} yeses`);
});
