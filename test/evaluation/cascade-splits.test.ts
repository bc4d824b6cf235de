import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { unpack } from '../../bench/support/packed-answers.ts';
import { shuffle } from '../../src/features/decisions/evaluation/sample.ts';
import { fitCascade, type JudgedRow } from '../../src/features/decisions/guarantee/cascade.ts';
import { roundsOf } from '../support/rounds.ts';

/** What `npm run bench guarantee DATA OUT words+encoder+large` stored: each row as each decider answered it. */
const stored = JSON.parse(
  readFileSync(join(import.meta.dirname, 'cascade-answers.json'), 'utf8'),
) as Readonly<Record<string, Readonly<Record<string, string>>>>;

const splits = roundsOf(10, 200);

suite('a cascade on halves of public rows', () => {
  for (const [name, stages] of Object.entries(stored)) {
    const answers = Object.values(stages).map(unpack);
    const rows = (answers[0] ?? []).map((_, row): JudgedRow => answers.map((stage) => stage[row] ?? null));
    for (const maxError of [0.01, 0.05, 0.1])
      test(`${name}: at most ${maxError} of what is answered of the other half is wrong, in 95 of 100 halvings`, () => {
        const kept = Array.from({ length: splits }, (_, seed) => isKept(shuffle(rows, seed + 1), maxError));
        assert.ok(kept.filter(Boolean).length >= splits * 0.95 - 1e-9, `${kept.filter(Boolean).length}`);
      });
  }

  test('at 5 and 10 % most of the rows are answered', () => {
    for (const stages of Object.values(stored)) {
      const answers = Object.values(stages).map(unpack);
      const rows = (answers[0] ?? []).map((_, row): JudgedRow => answers.map((stage) => stage[row] ?? null));
      for (const maxError of [0.05, 0.1]) {
        const { at } = fitCascade(rows, { maxError, confidence: 0.95 });
        assert.ok((at?.coverage ?? 0) > 0.5, `${maxError}: ${at?.coverage}`);
      }
    }
  });
});

function isKept(shuffled: readonly JudgedRow[], maxError: number): boolean {
  const middle = Math.floor(shuffled.length / 2);
  const { at } = fitCascade(shuffled.slice(0, middle), { maxError, confidence: 0.95 });
  let [answered, wrong] = [0, 0];
  for (const row of shuffled.slice(middle)) {
    const given = row.find((one, stage) => (one?.confidence ?? 0) >= (at?.thresholds[stage] ?? 2));
    if (given === undefined || given === null) continue;
    answered++;
    wrong += Number(given.isWrong);
  }
  return wrong <= answered * maxError;
}
