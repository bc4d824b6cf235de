import type { State, NormalizedQuestion } from '../../engine.ts';
import { letterLabels, type Candidate } from './labels.ts';
import { readLabels } from './readout.ts';
import { toPrompt } from './request.ts';

const state: State = { entry: 'The sky is blue.', text: 'The sky is blue.', images: [] };
const question: NormalizedQuestion = {
  kind: 'noul',
  question: 'Is the sky blue?',
  options: [
    { name: 'true', description: '' },
    { name: 'false', description: '' },
  ],
};
/** A real question, so that a server that answers it answers others. */
export const prompt = toPrompt(state, question, letterLabels);
const twoLabels = letterLabels.slice(0, 2);

/** A grey square of 64 x 64 pixels: larger than the patches of any vision model. */
const square =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PMQ0AAAwDoEqv9ErYvQQckD4XAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAYHLAB8+AWnmfUycAAAAAElFTkSuQmCC';
export const picture = {
  format: 'png',
  bytes: Buffer.from(square, 'base64'),
  width: 64,
  height: 64,
  tokens: 4,
} as const;

/** Whether the model answers with a label, and not with prose or reasoning. */
export function showsLabels(candidates: readonly Candidate[]): boolean {
  return readLabels(candidates, twoLabels).missing < twoLabels.length;
}
