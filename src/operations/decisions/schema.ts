import { Type, type Static } from 'typebox';
import { Entry, LooseQuestion, Question, questionsByName } from '../../decisions/question.ts';
import { Dictionary, Probability, withErrors } from '../../kit/schema.ts';
import type { Settings } from '../services.ts';
import { DeciderName } from '../deciders.ts';

const stateMessage = { errorMessage: 'state must be a string, object or array' };

export function DecisionsRequest(settings: Settings) {
  return Type.Object(
    {
      model: DeciderName(settings, 'decisions'),
      state: withErrors(Entry, stateMessage),
      questions: questionsByName(Question),
    },
    { additionalProperties: false },
  );
}

/** What System One takes beside the native request. */
export function SystemOneRequest(settings: Settings) {
  return Type.Object(
    {
      model: DeciderName(settings, 'systemone'),
      state: Type.Union([Entry, Type.Null()], stateMessage),
      questions: questionsByName(LooseQuestion),
      provider: Type.Optional(Type.Unknown()),
      session_id: Type.Optional(Type.Unknown()),
      trace: Type.Optional(Type.Unknown()),
      user: Type.Optional(Type.Unknown()),
    },
    { additionalProperties: false },
  );
}

export type DecisionsRequest = Static<ReturnType<typeof SystemOneRequest>>;

const Probabilities = Dictionary(Probability, { minProperties: 1 });

const NoulAnswer = Type.Object(
  { type: Type.Literal('noul'), noul: Probability },
  { additionalProperties: false },
);
const ChoiceAnswer = Type.Object(
  {
    type: Type.Literal('choice'),
    choice: Type.String(),
    confidence: Probability,
    probabilities: Probabilities,
  },
  { additionalProperties: false },
);
const ScoreAnswer = Type.Object(
  {
    type: Type.Literal('score'),
    score: Type.Number({ minimum: 0 }),
    confidence: Probability,
    legend: Dictionary(Type.Union([Entry, Type.Null()])),
    probabilities: Probabilities,
  },
  { additionalProperties: false },
);
export const Answer = Type.Union([NoulAnswer, ChoiceAnswer, ScoreAnswer]);
export type Answer = Static<typeof Answer>;

const Count = Type.Integer({ minimum: 0 });

export const DecisionsResponse = Type.Object(
  {
    model: Type.String(),
    answers: Dictionary(Answer, { minProperties: 1 }),
    usage: Type.Object({ input_tokens: Count, output_tokens: Count }, { additionalProperties: false }),
  },
  { additionalProperties: false },
);
export type DecisionsResponse = Static<typeof DecisionsResponse>;
