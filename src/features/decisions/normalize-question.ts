import type { Json } from '../../kernel/kit/json.ts';
import { renderEntry } from './prompt.ts';
import type { Question } from './question.ts';
import { nativeName, withExamples } from './question-examples.ts';
import { refuseImages } from './images.ts';
import type { Entry, NormalizedQuestion } from './engine.ts';

/** Puts a valid question into the normal form. Throws Fault `invalid_image` and `invalid_question`; `param` names the question. */
export function normalizeQuestion(question: Question, param: string): NormalizedQuestion {
  const instructions = question.instructions as Entry | null | undefined;
  refuseImages(instructions, `${param}.instructions`);
  refuseImages(question.criteria, `${param}.criteria`);
  const normalized: NormalizedQuestion = {
    kind: question.type,
    question: renderEntry(instructions),
    options: optionsOf(question),
  };
  return withExamples(normalized, question.examples, param, nativeName(normalized));
}

function optionsOf(question: Question): NormalizedQuestion['options'] {
  switch (question.type) {
    case 'noul':
      return ['true', 'false'].map((name) => ({
        name,
        description: renderEntry(question.criteria?.[name as 'true' | 'false'] as Entry | null | undefined),
      }));
    case 'choice':
      return Object.entries(question.criteria).map(([name, description]) => ({
        name,
        description: renderEntry(description as Entry | null),
      }));
    case 'score':
      return question.criteria.map((level: Json, index) => ({
        name: String(index),
        description: renderEntry(level as Entry | null),
      }));
  }
}
