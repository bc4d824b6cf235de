import { parseExact } from '../../../kernel/kit/json-exact.ts';
import { toCases, type Case, type Example } from '../evaluation/examples.ts';
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

/** Examples that become cases in one step. */
const together = 16;

/** Cases by the key of their question, in order. Yields between steps. */
export function* toLessons(
  kept: readonly KeptExample[],
): Generator<void, ReadonlyMap<string, readonly KeptCase[]>> {
  /** Most examples share their question: it is put into the normal form once a step, and hashed once. */
  const questions = new Map<string, Question>();
  const keys = new Map<Question, string>();
  const lessons = new Map<string, KeptCase[]>();
  for (let from = 0; from < kept.length; from += together) {
    const rows = kept.slice(from, from + together);
    const examples = rows.map(({ example }): Example => {
      const { question, ...rest } = parseExact(example) as unknown as Omit<Example, 'source'>;
      const text = JSON.stringify(question);
      const known = questions.get(text) ?? question;
      questions.set(text, known);
      return { ...rest, question: known, source: '' };
    });
    for (const [place, one] of toCases(examples).entries()) {
      const asked = examples[place]?.question;
      const key = (asked && keys.get(asked)) ?? questionKey(one.question);
      if (asked) keys.set(asked, key);
      const lesson = lessons.get(key) ?? [];
      lessons.set(key, lesson);
      const { ordinal = 0, id = '' } = rows[place] ?? {};
      lesson.push({ ...one, ordinal, id });
    }
    yield;
  }
  return lessons;
}
