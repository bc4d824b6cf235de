import type { Distribution, NormalizedQuestion } from '../../normalized-question.ts';
import { feelingOf, feelingPositions, levelPositions, placeOnAxis } from './axis.ts';
import type { Model } from './model.ts';
import { createLikenesses, type Likenesses } from './features.ts';
import { toHypothesis } from './hypothesis.ts';
import { noulInput, optionInputs } from './inputs.ts';
import type { Knowledge } from './knowledge.ts';
import { createLexemes, type Lexemes } from './lexeme.ts';
import { readMaterial } from './material.ts';
import { choiceLogits, noulDistribution, noulLogit, scoreLogits, softmax } from './readout.ts';

/** Answers the views on a state, in order. Yields where it may pause; pausing changes no answer. */
export function* decide(
  text: string,
  views: readonly NormalizedQuestion[],
  knowledge: Knowledge,
): Generator<void, readonly Distribution[]> {
  const lexemes = createLexemes(knowledge);
  const likenesses = createLikenesses(yield* readMaterial(text, lexemes));
  const distributions: Distribution[] = [];
  for (const view of views) {
    distributions.push(yield* decideView(view, lexemes, likenesses, knowledge.model));
    yield;
  }
  return distributions;
}

function* decideView(
  view: NormalizedQuestion,
  lexemes: Lexemes,
  likenesses: Likenesses,
  model: Model,
): Generator<void, Distribution> {
  if (view.options.length === 1) return [1];
  if (view.kind === 'noul') {
    const input = yield* noulInput(view, lexemes, likenesses);
    return noulDistribution(view.options, noulLogit(input, model));
  }
  const inputs = yield* optionInputs(view, lexemes, likenesses);
  const asksYesNo = view.kind === 'score' || inputs.some(({ role }) => role === 'yes' || role === 'no');
  const statement: NormalizedQuestion = { kind: 'noul', question: view.question, options: [] };
  const answer =
    asksYesNo && view.question !== ''
      ? noulLogit(yield* noulInput(statement, lexemes, likenesses), model)
      : 0;
  if (view.kind === 'choice') {
    const feelings = feelingPositions(inputs);
    const logits =
      feelings === null
        ? choiceLogits(inputs, answer, model)
        : scoreLogits(inputs, feelings, feelingOf(likenesses.material).valence, model);
    return softmax(view.options, logits);
  }
  const positions = levelPositions(view);
  const question = toHypothesis(view.question, lexemes);
  const place = placeOnAxis(likenesses.material, question, inputs, positions, answer);
  return softmax(view.options, scoreLogits(inputs, positions, place, model));
}
