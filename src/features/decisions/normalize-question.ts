import { runAtOnce } from '../../kernel/kit/slices.ts';
import { renderEntryInSteps } from './prompt.ts';
import type { Question } from './question.ts';
import { nativeName, withExamplesInSteps } from './question-examples.ts';
import { refuseImagesInSteps } from './images.ts';
import type { Entry, NormalizedQuestion } from './engine.ts';

/** Puts a valid question into the normal form. Throws Fault `invalid_image` and `invalid_question`; `param` names the question. */
export function normalizeQuestion(question: Question, param: string): NormalizedQuestion {
  return runAtOnce(normalizeQuestionInSteps(question, param));
}

/** A question may have as many values as a request: they take up to 0.3 s (measured). */
export function* normalizeQuestionInSteps(
  question: Question,
  param: string,
): Generator<void, NormalizedQuestion> {
  const instructions = question.instructions as Entry | null | undefined;
  yield* refuseImagesInSteps(instructions, `${param}.instructions`);
  yield* refuseImagesInSteps(question.criteria, `${param}.criteria`);
  const text = yield* renderEntryInSteps(instructions);
  const options: NormalizedQuestion['options'][number][] = [];
  for (const [name, description] of optionsOf(question)) {
    options.push({ name, description: yield* renderEntryInSteps(description as Entry | null | undefined) });
    yield;
  }
  const normalized: NormalizedQuestion = { kind: question.type, question: text, options };
  return yield* withExamplesInSteps(normalized, question.examples, param, nativeName(normalized));
}

function optionsOf(question: Question): readonly (readonly [name: string, description: unknown])[] {
  switch (question.type) {
    case 'noul':
      return (['true', 'false'] as const).map((name) => [name, question.criteria?.[name]]);
    case 'choice':
      return Object.entries(question.criteria);
    case 'score':
      return question.criteria.map((level, index) => [String(index), level]);
  }
}
