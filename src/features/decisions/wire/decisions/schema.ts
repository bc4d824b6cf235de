import { Type, type Static } from 'typebox';
import { Entry } from '../../entry.ts';
import { LooseQuestion, Question, questionsByName } from '../../question.ts';
import {
  Count,
  described,
  Dictionary,
  named,
  orNull,
  Probability,
  Strict,
  withErrors,
} from '../../../../kernel/kit/schema.ts';
import type { Settings } from '../../../../kernel/feature.ts';
import { DeciderName, verdictFields } from '../deciders.ts';

const stateMessage = { errorMessage: 'state must be a string, object or array' };

const meanings = {
  state:
    'What is judged: a text or structured content. Images stand in arrays, as parts of type `image_url` with a data URI.',
  questions:
    'Questions by names of your choice: `noul` asks for yes or no, `choice` for one of the options, `score` for a level. `instructions` says what to judge; `criteria` says what yes and no, each option, or each level from the lowest means. A `noul` needs one of the two.',
};
/** The shape that OpenAI's clients send has `input` in place of `state`. */
const otherShape = 'Unknown field "input": a body of this shape is answered at /openai/v1/decisions';
const noEffect = 'Has no effect.';

export function DecisionsRequest(settings: Settings) {
  return Type.Object(
    described(
      {
        model: DeciderName(settings, 'decisions'),
        state: withErrors(Entry, stateMessage),
        questions: questionsByName(Question),
      },
      meanings,
    ),
    { unknownMessages: { input: otherShape }, additionalProperties: false },
  );
}

/** What System One takes beside the native request. */
export function SystemOneRequest(settings: Settings) {
  return Strict(
    {
      model: DeciderName(settings, 'systemone'),
      state: Type.Union([Entry, Type.Null()], stateMessage),
      questions: questionsByName(LooseQuestion),
      provider: Type.Optional(Type.Unknown()),
      session_id: Type.Optional(Type.Unknown()),
      trace: Type.Optional(Type.Unknown()),
      user: Type.Optional(Type.Unknown()),
    },
    {
      ...meanings,
      state: `${meanings.state} Null is read as an empty text.`,
      provider: noEffect,
      session_id: noEffect,
      trace: noEffect,
      user: noEffect,
    },
  );
}

export type DecisionsRequest = Static<ReturnType<typeof SystemOneRequest>>;

const Probabilities = Dictionary(Probability, { minProperties: 1 });

const confidence = '1 when one answer is certain, 0 when nothing is known.';

const NoulAnswer = Strict({
  ...described({ type: Type.Literal('noul'), noul: Probability }, { noul: 'Probability of yes.' }),
  ...verdictFields,
});
const ChoiceAnswer = Strict(
  {
    type: Type.Literal('choice'),
    choice: Type.String(),
    confidence: Probability,
    probabilities: Probabilities,
    ...verdictFields,
  },
  {
    choice: 'The option with the highest probability.',
    confidence,
    probabilities: 'Of each option. They add up to 1.',
  },
);
const ScoreAnswer = Strict(
  {
    type: Type.Literal('score'),
    score: Type.Number({ minimum: 0 }),
    confidence: Probability,
    legend: Dictionary(orNull(Entry)),
    probabilities: Probabilities,
    ...verdictFields,
  },
  {
    score: 'Mean of the levels, counted from 0 and weighted by their probabilities.',
    confidence,
    legend: 'The levels as they were sent, by their index.',
    probabilities: 'Of each level, by its index. They add up to 1.',
  },
);
export const Answer = Type.Union([NoulAnswer, ChoiceAnswer, ScoreAnswer]);
export type Answer = Static<typeof Answer>;

const Usage = Strict(
  { input_tokens: Count, output_tokens: Count },
  { input_tokens: 'What was evaluated; the state counts once.', output_tokens: 'One for each question.' },
);

export const DecisionsResponse = named(
  'Decisions',
  Strict(
    { model: Type.String(), answers: Dictionary(Answer, { minProperties: 1 }), usage: Usage },
    { model: 'As it was sent.', answers: 'One for each question, under its name.' },
  ),
);
export type DecisionsResponse = Static<typeof DecisionsResponse>;
