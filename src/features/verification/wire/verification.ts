import { Type, type Static } from 'typebox';
import { Count, Literals, named, orNull, Probability, Strict } from '../../../kernel/kit/schema.ts';
import type { Verified } from '../run-verifier.ts';

const Unsupported = Strict(
  {
    text: Type.String(),
    citations: Type.Array(Count),
    probability: Probability,
    reasons: Type.Array(Type.String()),
    closest: orNull(Type.String()),
  },
  {
    text: 'As it stands in the answer, or stood before it was left out.',
    probability: 'That the sources it cites support it.',
    reasons: 'What differs: `number`, `date`, `name`, `denial`, `words`, `meaning`.',
    closest: 'What comes nearest in these sources; null where nothing does.',
  },
);

/** What a response tells of its verification. */
export const WireVerification = named(
  'Verification',
  Strict(
    {
      mode: Literals(['mark', 'remove']),
      receipt: orNull(Type.String()),
      decider: orNull(Type.String()),
      sentences: Count,
      unsupported: Type.Array(Unsupported),
    },
    {
      mode: '`mark` leaves the answer as it is, `remove` leaves out what is unsupported.',
      receipt: 'For `GET /v1/receipts/{receipt_id}`; null where none was kept.',
      decider: 'Null where the words of the sources were enough.',
      sentences: 'How many were judged: those that cite a source.',
    },
  ),
  'Whether the sources say what the sentences that cite them say.',
);
export type WireVerification = Static<typeof WireVerification>;

export function toWireVerification({ unsupported, ...verified }: Verified): WireVerification {
  return {
    ...verified,
    unsupported: unsupported.map(({ text, citations, probability, reasons, near }) => ({
      text,
      citations: [...citations],
      probability,
      reasons: [...reasons],
      closest: near,
    })),
  };
}
