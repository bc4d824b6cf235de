import { Type, type Static } from 'typebox';
import { Dictionary, Nullable, Strict, withErrors } from '../../kernel/kit/schema.ts';
import { Entry, isBlank, NullableEntry } from './entry.ts';
import { QuestionExamples } from './question-examples.ts';

/** Bounds of the interface. */
export const questionsMax = 128;
export const optionsMax = 255;
export const levelsMax = 10;

const Instructions = Nullable(Entry, {
  errorMessage: 'instructions must be a string, object, array or null',
});

const NoulCriteria = Strict({ true: Type.Optional(NullableEntry), false: Type.Optional(NullableEntry) });

/** Yes or no, or whether a statement holds. */
export const NoulQuestion = Type.Refine(
  Type.Object({
    type: Type.Literal('noul'),
    instructions: Instructions,
    criteria: Nullable(NoulCriteria, {
      errorMessage: 'Noul criteria must be an object with the keys true and false',
    }),
    examples: QuestionExamples,
  }),
  (question) => !isBlank(question.instructions) || !Object.values(question.criteria ?? {}).every(isBlank),
  () => 'Noul question must have criteria or instructions',
);

const optionsMessage = `Choice question must have 1 to ${optionsMax} options`;

/** One of several options. */
export const ChoiceQuestion = Type.Object({
  type: Type.Literal('choice'),
  instructions: Instructions,
  criteria: Dictionary(NullableEntry, {
    minProperties: 1,
    maxProperties: optionsMax,
    propertyNames: Type.String({ minLength: 1, errorMessage: 'Option names must not be empty' }),
    errorMessage: optionsMessage,
  }),
  examples: QuestionExamples,
});

const levelsMessage = `Score question must have 1 to ${levelsMax} levels`;

function scoreQuestion<Level extends typeof Entry | typeof NullableEntry>(level: Level) {
  return Type.Object({
    type: Type.Literal('score'),
    instructions: Instructions,
    criteria: Type.Array(level, { minItems: 1, maxItems: levelsMax, errorMessage: levelsMessage }),
    examples: QuestionExamples,
  });
}

/** A place on an ordered rubric. */
export const ScoreQuestion = scoreQuestion(
  withErrors(Entry, { errorMessage: 'A level must be a string, object or array' }),
);
/** System One also takes levels without a description. */
export const LooseScoreQuestion = scoreQuestion(NullableEntry);

/** A type of clients of other services. */
const boxMessage = 'Question type box is not answered: no engine here tells where in an image something is';
const kindMessage = {
  errorMessage: 'Question type must be noul, choice or score',
  unknownMessages: { box: boxMessage },
};
export const Question = Type.Union([NoulQuestion, ChoiceQuestion, ScoreQuestion], kindMessage);
export const LooseQuestion = Type.Union([NoulQuestion, ChoiceQuestion, LooseScoreQuestion], kindMessage);

export type NoulQuestion = Static<typeof NoulQuestion>;
export type ChoiceQuestion = Static<typeof ChoiceQuestion>;
export type ScoreQuestion = Static<typeof LooseScoreQuestion>;
export type Question = NoulQuestion | ChoiceQuestion | ScoreQuestion;

/** Questions of one request by name; `loose` as System One reads them. */
export function questionsByName<Kind extends typeof Question | typeof LooseQuestion>(question: Kind) {
  return Dictionary(withErrors(question, { errorCode: 'invalid_question' }), {
    minProperties: 1,
    maxProperties: questionsMax,
    propertyNames: Type.String({
      minLength: 1,
      errorMessage: 'Question names must not be empty',
      errorCode: 'invalid_question',
    }),
    errorMessage: `questions must be an object with 1 to ${questionsMax} entries`,
  });
}
