import { parseExact } from '../../../kernel/kit/json-exact.ts';
import type { NormalizedQuestion } from '../engine.ts';
import { toCaseInSteps, type Case, type Example } from '../evaluation/examples.ts';
import { questionKey } from '../policy.ts';
import type { Question } from '../question.ts';

/** An example as it is stored. */
export interface KeptExample {
  readonly ordinal: number;
  readonly id: string;
  /** JSON of `Example`. */
  readonly example: string;
}

export interface KeptCase extends Case {
  readonly ordinal: number;
  readonly id: string;
}

/** Cases by the key of their question, in order. Yields within a case and between two. */
export function* toLessons(
  kept: readonly KeptExample[],
): Generator<void, ReadonlyMap<string, readonly KeptCase[]>> {
  /** Most examples share their question: it is put into the normal form once, and hashed once. */
  const questions = new Map<string, Question>();
  const prepared = new Map<Question, NormalizedQuestion>();
  const keys = new Map<Question, string>();
  const lessons = new Map<string, KeptCase[]>();
  for (const { ordinal, id, example } of kept) {
    const { question, ...rest } = parseExact(example) as unknown as Omit<Example, 'source'>;
    const text = JSON.stringify(question);
    const asked = questions.get(text) ?? question;
    questions.set(text, asked);
    const one = yield* toCaseInSteps({ ...rest, question: asked, source: '' }, prepared);
    const key = keys.get(asked) ?? questionKey(one.question);
    keys.set(asked, key);
    const lesson = lessons.get(key) ?? [];
    lessons.set(key, lesson);
    lesson.push({ ...one, ordinal, id });
    yield;
  }
  return lessons;
}
