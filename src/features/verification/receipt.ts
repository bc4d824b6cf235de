import type { Fingerprint } from '../decisions/feature.ts';
import { withDigest } from './receipt-digest.ts';
import type { Receipt } from './receipt-schema.ts';
import type { ReadPassage } from './passages.ts';
import type { JudgedSentence } from './verifier.ts';

/** Raised by any change of how sentences are judged: receipts of before are not recomputed by another rule. */
export const rulesVersion = 1;

interface ReceiptParts {
  readonly id: string;
  readonly createdAtMs: number;
  readonly decider: Fingerprint | null;
  readonly passages: readonly ReadPassage[];
  readonly sentences: readonly JudgedSentence[];
}

/** Everything that a judgement rests on, so that it can be made again elsewhere. */
export function toReceipt({ id, createdAtMs, decider, passages, sentences }: ReceiptParts): Receipt {
  return withDigest({
    object: 'receipt',
    id,
    created_at: Math.floor(createdAtMs / 1_000),
    rules: rulesVersion,
    decider: decider === null ? null : { name: decider['engine'] ?? '', fingerprint: { ...decider } },
    passages: passages.map(({ id: source, url, title, sha256, text }) => ({
      source,
      url,
      title,
      sha256,
      text,
    })),
    sentences: sentences.map((one) => ({
      text: one.text,
      citations: [...one.citations],
      passages: one.cited.map((passage) => passages.indexOf(passage)),
      supported: one.isSupported,
      probability: one.probability,
      quoted: one.isQuote,
      decided: one.decided,
      reasons: [...one.reasons],
      place: placeOf(one, passages),
    })),
  });
}

/** Where the text that comes nearest stands: in which of the cited passages, and from which character. */
export function placeOf(
  { near, cited }: Pick<JudgedSentence, 'near' | 'cited'>,
  passages: readonly ReadPassage[],
): Receipt['sentences'][number]['place'] {
  const passage = cited.find(({ units }) => units.some(({ text }) => text === near));
  if (near === null || passage === undefined) return null;
  const start = passage.text.indexOf(near);
  return { passage: passages.indexOf(passage), start: start < 0 ? null : start, text: near };
}
