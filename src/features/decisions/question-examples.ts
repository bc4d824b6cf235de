import { Type, type Static } from 'typebox';
import { Fault } from '../../kernel/faults.ts';
import { described, Nullable } from '../../kernel/kit/schema.ts';
import type { NormalizedQuestion, QuestionExample } from './engine.ts';
import { refuseImagesInSteps } from './images.ts';
import { renderStateInSteps } from './prompt.ts';
import { Entry as EntrySchema } from './entry.ts';

/** Most examples of one question. */
const examplesMax = 64;

const example = Type.Refine(
  Type.Object(
    described(
      {
        text: Type.Optional(Type.String()),
        state: Type.Optional(EntrySchema),
        answer: Type.Union([Type.Boolean(), Type.String(), Type.Number()], {
          errorMessage: 'answer must be true or false, an option or the index of a level',
        }),
      },
      {
        text: 'What the answer is about.',
        state: 'In place of `text`: whatever a state may be, without images.',
      },
    ),
    { errorMessage: 'An example must be an object with text or state, and answer' },
  ),
  ({ text, state }) => (text === undefined) !== (state === undefined),
  () => 'An example must have either text or state',
);

/** Texts whose answer is known, as part of a question. */
export const QuestionExamples = Nullable(
  Type.Array(example, {
    maxItems: examplesMax,
    errorMessage: `examples must be an array of at most ${examplesMax}`,
  }),
  { errorMessage: `examples must be an array of at most ${examplesMax}` },
);
export type QuestionExamples = Static<typeof QuestionExamples>;

type Answer = Static<typeof example>['answer'];

/** A question with its examples. `nameOf` finds the option that an answer names. Throws Fault `invalid_question`. */
export function* withExamplesInSteps(
  question: NormalizedQuestion,
  examples: QuestionExamples | undefined,
  param: string,
  nameOf: (answer: Answer) => string | undefined,
): Generator<void, NormalizedQuestion> {
  if (examples === null || examples === undefined || examples.length === 0) return question;
  const read: QuestionExample[] = [];
  for (const [index, { text, state = text ?? '', answer }] of examples.entries()) {
    const place = `${param}.examples.${index}`;
    const name = nameOf(answer);
    if (name === undefined || !question.options.some((option) => option.name === name))
      throw new Fault('invalid_question', allowed(question), { param: `${place}.answer` });
    yield* refuseImagesInSteps(state, `${place}.state`);
    read.push({ text: yield* renderStateInSteps(state), answer: name });
  }
  return { ...question, examples: read };
}

/** The option that answers in the native form name: true or false, a name, an index. */
export const nativeName =
  ({ kind }: NormalizedQuestion) =>
  (answer: Answer): string | undefined =>
    typeof answer === { noul: 'boolean', choice: 'string', score: 'number' }[kind]
      ? String(answer)
      : undefined;

function allowed({ kind, options }: NormalizedQuestion): string {
  const names = {
    noul: 'true or false',
    choice: 'one of the options',
    score: `the index of a level, 0 to ${options.length - 1}`,
  };
  return `The answer of an example must be ${names[kind]}`;
}

/** The same question without examples, for an engine that reads none. */
export function withoutExamples(question: NormalizedQuestion): NormalizedQuestion {
  if (question.examples === undefined) return question;
  const { examples: _examples, ...rest } = question;
  return rest;
}
