import { Type, type Static } from 'typebox';
import { QuestionExamples } from '../../question-examples.ts';
import { isBlank } from '../../entry.ts';
import { levelsMax, optionsMax, questionsMax } from '../../question.ts';
import type { Json } from '../../../../kernel/kit/json.ts';
import {
  Count,
  described,
  Dictionary,
  named,
  Nullable,
  Open,
  Probability,
  Strict,
  withErrors,
} from '../../../../kernel/kit/schema.ts';
import { DeciderName, verdictFields } from '../deciders.ts';
import type { Settings } from '../../../../kernel/feature.ts';

const noEffect = 'Has no effect.';

const Structure = Dictionary(Type.Unsafe<Json>({}));
const Data = Type.Union([Structure, Type.Array(Structure)], {
  errorMessage: 'data must be an object or an array of objects',
});

const Part = Type.Union([
  Type.Object({ type: Type.Literal('input_text'), text: Type.String() }),
  Type.Object({ type: Type.Literal('output_text'), text: Type.String() }),
  Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }),
  Type.Object({ type: Type.Literal('input_image'), image_url: Type.String() }),
  Type.Object({ type: Type.Literal('input_json'), data: Data }),
]);
const Content = named(
  'DecisionContent',
  Type.Union([Type.String(), Type.Array(Part)], {
    errorMessage: 'content must be a string or an array of parts',
  }),
  'A text or parts. `image_url` is a data URI with a PNG, JPEG or WebP; addresses are not fetched.',
);
export type Part = Static<typeof Part>;
export type Content = Static<typeof Content>;

const Role = Type.Union(['user', 'system', 'developer', 'assistant'].map((role) => Type.Literal(role)));

function toolCall<Kind extends string>(kind: Kind) {
  return Type.Object({
    type: Type.Literal(kind),
    call_id: Type.String(),
    name: Type.String(),
    arguments: Type.Optional(Type.String()),
    input: Type.Optional(Type.String()),
  });
}

function toolOutput<Kind extends string>(kind: Kind) {
  return Type.Object({ type: Type.Literal(kind), call_id: Type.String(), output: Content });
}

const Item = Type.Union(
  [
    Type.Object({ type: Type.Optional(Type.Literal('message')), role: Role, content: Content }),
    toolCall('function_call'),
    toolCall('custom_tool_call'),
    toolOutput('function_call_output'),
    toolOutput('custom_tool_call_output'),
  ],
  { errorMessage: 'Unknown input item type' },
);
const NamedItem = named(
  'DecisionInputItem',
  Item,
  'Everything in the input is data to be judged, messages of the system too. An output needs an earlier call with its `call_id`.',
);
export type Item = Static<typeof Item>;

const Instructions = withErrors(Content, {
  errorMessage: 'instructions must be a string or an array of parts',
});

const Choice = Open(
  {
    value: Type.Union([Type.String({ minLength: 1 }), Type.Boolean()], {
      errorMessage: 'value must be a non-empty string or a boolean',
    }),
    description: Type.Optional(Type.String()),
  },
  { value: 'Different from those of the other choices; `true` and `"true"` are two.' },
);

const distinct = (choices: readonly Static<typeof Choice>[]) =>
  new Set(choices.map(({ value }) => JSON.stringify(value))).size === choices.length;

const Choices = Type.Refine(
  Type.Array(Choice, {
    minItems: 2,
    maxItems: optionsMax,
    errorMessage: `Choice question must have 2 to ${optionsMax} choices`,
  }),
  distinct,
  () => 'Choices must be unique',
);

const question = described(
  { name: Type.Optional(Type.String()), instructions: Instructions, examples: QuestionExamples },
  { name: 'Comes back in the answer; need not be unique.' },
);

const isSaid = (content: Content) =>
  typeof content === 'string'
    ? !isBlank(content)
    : content.some((part) => !('text' in part && isBlank(part.text)));

const Predicate = Type.Refine(
  Type.Object({ type: Type.Literal('predicate'), ...question }),
  ({ instructions }) => isSaid(instructions),
  () => 'Predicate question must have instructions',
);

export const OpenAiQuestion = Type.Union(
  [
    Predicate,
    Type.Object({ type: Type.Literal('choice'), ...question, choices: Choices }),
    Type.Object({
      type: Type.Literal('score'),
      ...question,
      levels: Type.Array(Type.Object({ label: Type.String(), description: Type.Optional(Type.String()) }), {
        minItems: 1,
        maxItems: levelsMax,
        errorMessage: `Score question must have 1 to ${levelsMax} levels`,
      }),
    }),
  ],
  { errorMessage: 'Question type must be predicate, choice or score', errorCode: 'invalid_question' },
);
export type OpenAiQuestion = Static<typeof OpenAiQuestion>;
const NamedQuestion = named('DecisionQuestion', OpenAiQuestion);

/** OpenAI's shape of a decision request. The last three fields are accepted and have no effect. */
export function OpenAiDecisionRequest(settings: Settings) {
  return Strict(
    {
      model: DeciderName(settings, 'decisions'),
      input: Type.Union([Type.String(), Type.Array(NamedItem, { minItems: 1 })], {
        errorMessage: 'input must be a string or a non-empty array of items',
      }),
      questions: Type.Array(NamedQuestion, {
        minItems: 1,
        maxItems: questionsMax,
        errorMessage: `questions must be an array with 1 to ${questionsMax} entries`,
      }),
      prompt_cache_key: Nullable(Type.String()),
      prompt_cache_options: Nullable(
        Type.Object({ mode: Nullable(Type.String()), ttl: Nullable(Type.String()) }),
      ),
      safety_identifier: Nullable(Type.String()),
    },
    {
      input: 'What is judged.',
      questions: 'Answered in this order.',
      prompt_cache_key: noEffect,
      prompt_cache_options: noEffect,
      safety_identifier: noEffect,
    },
  );
}
export type OpenAiDecisionRequest = Static<ReturnType<typeof OpenAiDecisionRequest>>;

const Name = Type.Union([Type.String(), Type.Null()], { description: 'As it was sent.' });
const ChoiceValue = Type.Union([Type.String(), Type.Boolean()]);

const confidence = '1 when one answer is certain, 0 when nothing is known.';

export const OpenAiAnswer = Type.Union([
  Strict(
    { type: Type.Literal('predicate'), name: Name, probability: Probability, ...verdictFields },
    { probability: 'Of yes.' },
  ),
  Strict(
    {
      type: Type.Literal('choice'),
      name: Name,
      choice: ChoiceValue,
      confidence: Probability,
      probabilities: Type.Array(Strict({ value: ChoiceValue, probability: Probability })),
      ...verdictFields,
    },
    {
      choice: 'The value with the highest probability.',
      confidence,
      probabilities: 'In the order of the choices.',
    },
  ),
  Strict(
    {
      type: Type.Literal('score'),
      name: Name,
      score: Type.Number({ minimum: 0 }),
      confidence: Probability,
      probabilities: Type.Array(Strict({ label: Type.String(), value: Count, probability: Probability })),
      ...verdictFields,
    },
    {
      score: 'Mean of the levels, counted from 0 and weighted by their probabilities.',
      confidence,
      probabilities: 'In the order of the levels; `value` is the index.',
    },
  ),
]);
export type OpenAiAnswer = Static<typeof OpenAiAnswer>;

export const OpenAiDecisionResponse = Strict({
  model: Type.String(),
  answers: Type.Array(OpenAiAnswer, { minItems: 1 }),
  usage: Strict({
    input_tokens: Count,
    input_tokens_details: Strict({ cached_tokens: Count, cache_write_tokens: Count }),
    output_tokens: Count,
    output_tokens_details: Strict({ reasoning_tokens: Count }),
    total_tokens: Count,
  }),
});
export type OpenAiDecisionResponse = Static<typeof OpenAiDecisionResponse>;
