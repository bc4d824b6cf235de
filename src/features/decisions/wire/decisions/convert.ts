import { choiceConfidence, choiceOf, scoreConfidence, scoreOf } from '../../answer.ts';
import type { NamedDecision } from '../../deciders/ask.ts';
import { fromVerdict, nameOf } from '../deciders.ts';
import type { Question } from '../../question.ts';
import { normalizeQuestionInSteps } from '../../normalize-question.ts';
import type { Distribution, NormalizedQuestion } from '../../engine.ts';
import type { Answer, DecisionsRequest, DecisionsResponse } from './schema.ts';

/** Throws Fault `invalid_image`. Questions come before images, as contract 6.3 orders the checks. */
export function* toQuestionsInSteps({
  questions,
}: Pick<DecisionsRequest, 'questions'>): Generator<void, NormalizedQuestion[]> {
  const normalized: NormalizedQuestion[] = [];
  for (const [name, asked] of Object.entries(questions))
    normalized.push(yield* normalizeQuestionInSteps(asked, `questions.${name}`));
  return normalized;
}

export function fromDecision(
  { model, questions: asked }: DecisionsRequest,
  questions: readonly NormalizedQuestion[],
  { distributions, verdicts, inputTokens }: NamedDecision,
): DecisionsResponse {
  const named = Object.entries(asked).map(([name, raw], index) => {
    const question = questions[index];
    const distribution = distributions[index];
    if (question === undefined || distribution === undefined)
      throw new Error(`question ${index} has no answer`);
    const answer = toAnswer(raw, question, distribution);
    const verdict = verdicts?.[index];
    return [name, verdict === undefined ? answer : { ...answer, ...fromVerdict(verdict) }] as const;
  });
  return {
    model: nameOf(model),
    answers: toRecord(named),
    usage: { input_tokens: inputTokens, output_tokens: named.length },
  };
}

function toAnswer(asked: Question, question: NormalizedQuestion, distribution: Distribution): Answer {
  switch (asked.type) {
    case 'noul':
      return { type: 'noul', noul: distribution[0] ?? 0 };
    case 'choice': {
      const names = question.options.map(({ name }) => name);
      return {
        type: 'choice',
        choice: names[choiceOf(names, distribution)] ?? '',
        confidence: choiceConfidence(distribution),
        probabilities: toProbabilities(question, distribution),
      };
    }
    case 'score':
      return {
        type: 'score',
        score: scoreOf(distribution),
        confidence: scoreConfidence(distribution),
        legend: toRecord(asked.criteria.map((level, index) => [String(index), level])),
        probabilities: toProbabilities(question, distribution),
      };
  }
}

function toProbabilities(question: NormalizedQuestion, distribution: Distribution): Record<string, number> {
  return toRecord(question.options.map((option, index) => [option.name, distribution[index] ?? 0]));
}

/** Names are the caller's: `__proto__` has to become a name like any other, which `fromEntries` sees to. */
function toRecord<Value>(entries: readonly (readonly [string, Value])[]): Record<string, Value> {
  return Object.fromEntries(entries);
}
