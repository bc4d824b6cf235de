import { Type, type Static } from 'typebox';
import { NextPage } from '../../../../kernel/http/page-query.ts';
import {
  Count,
  Literals,
  named,
  Open,
  orNull,
  Probability,
  Strict,
  withErrors,
} from '../../../../kernel/kit/schema.ts';
import { addedMax } from '../../deciders/decider-examples.ts';
import { Entry } from '../../entry.ts';
import { LooseQuestion } from '../../question.ts';
import { Instant } from '../instant.ts';

const Answer = Type.Union([Type.Boolean(), Type.String(), Type.Number()], {
  errorMessage: 'answer must be true or false, the name of an option or the index of a level',
});

const meanings = {
  state: 'What is judged, as in a request. Nothing can be learned from images.',
  question: 'As in a request. Examples of the same question are learned from together.',
  answer: 'The right one: `true` or `false` for a noul, the name of an option, or the index of a level.',
};

const GivenExample = Open(
  {
    state: withErrors(Entry, { errorMessage: 'state must be a string, object or array' }),
    question: withErrors(LooseQuestion, { errorCode: 'invalid_question' }),
    answer: Answer,
  },
  meanings,
);

export const NewExamples = Strict(
  {
    examples: Type.Array(GivenExample, {
      minItems: 1,
      maxItems: addedMax,
      errorMessage: `examples must be an array of 1 to ${addedMax} examples`,
    }),
  },
  { examples: 'As `nestor eval` reads them. Further fields of an example are passed over.' },
);

export const AddedExamples = Strict(
  { ids: Type.Array(Type.String()), total: Count },
  { ids: 'In the order of the examples.', total: 'Examples that the decider has now.' },
);

const ExampleBody = Strict(
  { id: Type.String(), state: Entry, question: LooseQuestion, answer: Answer, created_at: Instant },
  meanings,
);
export type ExampleBody = Static<typeof ExampleBody>;

export const ExampleList = Strict({
  examples: Type.Array(ExampleBody),
  total: Count,
  next_page_token: NextPage,
});

const Figures = named(
  'FitFigures',
  Strict(
    { examples: Count, accuracy: Probability, nll: Type.Number(), brier: Type.Number(), ece: Probability },
    {
      accuracy: 'Share that was answered rightly.',
      nll: 'Mean of the negative logarithm of the probability of the right answer.',
      brier: 'Mean squared distance from the right answer.',
      ece: 'How far confidence lies from accuracy, in the mean.',
    },
  ),
);

const LabelFigures = named(
  'LabelFigures',
  Strict(
    {
      name: Type.String(),
      examples: Count,
      answered: Count,
      precision: orNull(Probability),
      recall: orNull(Probability),
    },
    {
      name: '`true` or `false`, the name of an option, or the index of a level.',
      examples: 'Examples for which it is right.',
      answered: 'Examples that were answered with it.',
      precision:
        'Share of those that were answered with it for which it is right; null where there are none.',
      recall: 'Share of its examples that were answered with it; null where there are none.',
    },
  ),
);

const ConfusedPair = Strict(
  { right: Type.String(), answered: Type.String(), examples: Count },
  { examples: 'Examples for which the one is right and that were answered with the other.' },
);

const ReliabilityPoint = Strict(
  { confidence: Probability, accuracy: Probability, examples: Count },
  {
    confidence: 'Mean confidence of the answers in one of ten parts of the scale.',
    accuracy: 'Share of them that is right.',
  },
);

const Bound = named(
  'FitBound',
  Strict(
    {
      max_error: Probability,
      confidence: Probability,
      threshold: orNull(Probability),
      examples_needed: Count,
      answered: Count,
      wrong: Count,
    },
    {
      max_error: 'The bound that was asked for.',
      confidence: 'How sure it is, over the draw of the examples.',
      threshold:
        'The lowest confidence of an answer, as `abstain` takes it, from which on the error keeps to the bound; null where none does.',
      examples_needed: 'Fewest examples with which any threshold can.',
      answered: 'Examples that are answered at the threshold.',
      wrong: 'Those of them that are answered wrongly.',
    },
  ),
);

const QuestionReport = Strict(
  {
    question: Type.String(),
    kind: Literals(['noul', 'choice', 'score']),
    instructions: Type.String(),
    examples: Count,
    taken: orNull(Literals(['linear', 'nearest', 'blend'])),
    before: orNull(Figures),
    after: orNull(Figures),
    held_out: orNull(Figures),
    labels: orNull(Type.Array(LabelFigures)),
    confused: orNull(Type.Array(ConfusedPair)),
    reliability: orNull(Type.Array(ReliabilityPoint)),
    bound: orNull(Bound),
  },
  {
    question: 'Key of the question: the same however its options are ordered.',
    instructions: 'The beginning of its instructions.',
    taken: 'What was learned; null where nothing was surely better than before.',
    before:
      'What was answered to examples, up to 200, before they could have been learned from. Null with fewer than ten examples, or one answer to all.',
    after: 'The same examples, each answered by what the others teach.',
    held_out: 'All examples, each answered by what the others teach.',
    labels:
      'The same by answer, in the order of the question. Null where there are no figures, and in fits of earlier versions.',
    confused: 'The answers that were confused most often, ten at most.',
    reliability:
      'How often answers of about one confidence are right, over all examples; parts of the scale without an example are left out. Null as `labels` is.',
    bound:
      'What `max_error` comes to, over all examples, each answered by what the others teach. Null where none was asked for or nothing was taken.',
  },
);

const state = Literals(['running', 'taken', 'not_better', 'failed', 'cancelled', 'rolled_back']);

export const FitBody = named(
  'Fit',
  Strict(
    {
      id: Type.String(),
      decider: Type.String(),
      state,
      in_use: Type.Boolean(),
      created_at: Instant,
      ended_at: orNull(Instant),
      error: orNull(Type.String()),
      report: orNull(Strict({ examples: Count, questions: Type.Array(QuestionReport) })),
    },
    {
      state:
        '`taken`: something was learned, and is in use from then on. `not_better`: nothing was surely better, and all stays as it is.',
      in_use: 'Whether the decider answers with it: the newest that was taken and not rolled back.',
      error: 'Why it failed.',
      report: 'Null until it ends.',
    },
  ),
);
export type FitBody = Static<typeof FitBody>;

export const FitList = Strict({ fits: Type.Array(FitBody) });

export const FitRequest = Strict(
  {
    wait: Type.Optional(Type.Boolean()),
    max_error: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        exclusiveMaximum: 1,
        errorMessage: 'max_error must be a number between 0 and 1',
      }),
    ),
  },
  {
    wait: 'Answer when the fit has ended, or after five minutes. False by default.',
    max_error: 'Largest share of wrong answers, for which the report says the confidence.',
  },
);

export const InExample = Type.Object({ decider: Type.String(), example_id: Type.String() });
export const InFit = Type.Object({ decider: Type.String(), fit_id: Type.String() });
