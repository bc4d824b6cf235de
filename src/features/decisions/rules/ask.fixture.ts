import assert from 'node:assert/strict';
import type { Json } from '../../../kernel/kit/json.ts';
import type { NormalizedQuestion } from '../engine.ts';
import { createRules } from './index.ts';

const rulesOf = (entry: Json) =>
  createRules({ entry: entry as string, text: JSON.stringify(entry), images: [] });

/** What rules say of a statement; null where they leave it to the engine. */
export function holds(entry: Json, question: string): boolean | null {
  const options = ['true', 'false'].map((name) => ({ name, description: '' }));
  const [yes] = rulesOf(entry)({ kind: 'noul', question, options }) ?? [];
  return yes === undefined ? null : yes > 0.5;
}

export type Case = readonly [question: string, expected: boolean | null];

export function check(entry: Json, ...cases: readonly Case[]): void {
  for (const [question, expected] of cases)
    assert.equal(holds(entry, question), expected, `${question} of ${JSON.stringify(entry)}`);
}

/** The option or level that rules choose; null where they leave it. */
export function chosen(
  entry: Json,
  kind: 'choice' | 'score',
  question: string,
  names: readonly string[],
): string | null {
  const options = names.map((name, at) =>
    kind === 'score' ? { name: String(at), description: name } : { name, description: '' },
  );
  const asked: NormalizedQuestion = { kind, question, options };
  const found = rulesOf(entry)(asked);
  return found === null ? null : (names[found.indexOf(Math.max(...found))] ?? null);
}
