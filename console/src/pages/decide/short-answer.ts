import { formatProbability } from '../../parts/formats.ts';
import { toHeadline, type Answer } from './answers.ts';

/** An answer in the cell of a table. */
export function shortAnswer(answer: Answer | undefined): string {
  if (answer === undefined) return '';
  const { label, score, confidence } = toHeadline(answer);
  if (answer.type === 'noul') return `${label} (${formatProbability(answer.noul)})`;
  return `${score === null ? label : score.toFixed(2)} (confidence ${formatProbability(confidence ?? 0)})`;
}
