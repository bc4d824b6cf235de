import type { Distribution, NormalizedQuestion } from '../engine.ts';
import { feelingOf, feelingPositions, levelPositions, placeOnAxis } from './axis.ts';
import type { Model } from './model.ts';
import { createLikenesses, type Likenesses } from './features.ts';
import { toHypothesis } from './hypothesis.ts';
import { noulInput, optionInputs } from './inputs.ts';
import { withoutNamedOrder } from './named-orders.ts';
import type { Vocabulary } from './vocabulary.ts';
import { createLexemes, type Lexemes } from './lexeme.ts';
import { analyzeState } from './analyzed-state.ts';
import { choiceLogits, noulDistribution, noulLogit, scoreLogits, softmax } from './readout.ts';

/** Answers the questions about a state, in order. Yields between steps, so that it can run in slices. */
export function* decide(
  text: string,
  questions: readonly NormalizedQuestion[],
  vocabulary: Vocabulary,
): Generator<void, readonly Distribution[]> {
  const lexemes = createLexemes(vocabulary);
  const read = new Map<string, Likenesses>();
  const distributions: Distribution[] = [];
  for (const question of questions) {
    const own = withoutNamedOrder(text, question);
    const likenesses = read.get(own) ?? createLikenesses(yield* analyzeState(own, lexemes));
    read.set(own, likenesses);
    distributions.push(yield* answerQuestion(question, lexemes, likenesses, vocabulary.model));
    yield;
  }
  return distributions;
}

function* answerQuestion(
  question: NormalizedQuestion,
  lexemes: Lexemes,
  likenesses: Likenesses,
  model: Model,
): Generator<void, Distribution> {
  if (question.options.length === 1) return [1];
  if (question.kind === 'noul') {
    const input = yield* noulInput(question, lexemes, likenesses);
    return noulDistribution(question.options, noulLogit(input, model));
  }
  const inputs = yield* optionInputs(question, lexemes, likenesses);
  const asksYesNo = question.kind === 'score' || inputs.some(({ role }) => role === 'yes' || role === 'no');
  const statement: NormalizedQuestion = { kind: 'noul', question: question.question, options: [] };
  const logOddsOfYes =
    asksYesNo && question.question !== ''
      ? noulLogit(yield* noulInput(statement, lexemes, likenesses), model)
      : 0;
  if (question.kind === 'choice') {
    const feelings = feelingPositions(inputs);
    const logits =
      feelings === null
        ? choiceLogits(inputs, logOddsOfYes, model)
        : scoreLogits(inputs, feelings, feelingOf(likenesses.state).valence, model);
    return softmax(question.options, logits);
  }
  const positions = levelPositions(question);
  const asked = toHypothesis(question.question, lexemes);
  const place = placeOnAxis(likenesses.state, asked, inputs, positions, logOddsOfYes);
  return softmax(question.options, scoreLogits(inputs, positions, place, model));
}
