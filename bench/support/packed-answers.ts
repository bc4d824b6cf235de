import { confidenceOf } from '../../src/features/decisions/answer.ts';
import type { Judged } from '../../src/features/decisions/guarantee/threshold.ts';
import type { StoredAnswer } from './stored-answers.ts';

export const toJudged = ({ kind, probabilities, right, chosen }: StoredAnswer): Judged => ({
  confidence: confidenceOf(kind, probabilities),
  isWrong: right !== chosen,
});

const steps = 32_767;

/** Two bytes an answer: 15 bits of how sure it is, one of whether it is wrong. */
export function pack(answers: readonly Judged[]): string {
  const numbers = Uint16Array.from(
    answers,
    ({ confidence, isWrong }) => (Math.floor(confidence * steps) << 1) | Number(isWrong),
  );
  return Buffer.from(numbers.buffer).toString('base64');
}

export function unpack(text: string): readonly Judged[] {
  const bytes = Buffer.from(text, 'base64');
  return Array.from({ length: bytes.length / 2 }, (_, row) => {
    const number = bytes.readUInt16LE(row * 2);
    return { confidence: (number >> 1) / steps, isWrong: (number & 1) === 1 };
  });
}
