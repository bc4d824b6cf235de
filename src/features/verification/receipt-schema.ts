import { Type, type Static } from 'typebox';
import { Count, Dictionary, named, orNull, Probability, Strict } from '../../kernel/kit/schema.ts';

const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });

const ReceiptPassage = Strict(
  { source: Count, url: Type.String(), title: Type.String(), sha256: Sha256, text: Type.String() },
  { source: 'The number by which the answer cites it.', sha256: 'Of `text` in UTF-8.' },
);

const ReceiptSentence = Strict(
  {
    text: Type.String(),
    citations: Type.Array(Count),
    passages: Type.Array(Count),
    supported: Type.Boolean(),
    probability: Probability,
    quoted: Type.Boolean(),
    decided: orNull(Probability),
    reasons: Type.Array(Type.String()),
    place: orNull(
      Strict(
        { passage: Type.Integer(), start: orNull(Count), text: Type.String() },
        {
          passage: 'Index into `passages`.',
          start: 'Character of the passage; null where its text has markup in between.',
        },
      ),
    ),
  },
  {
    text: 'As it stood in the answer.',
    passages: 'What it was judged against: indices into `passages`.',
    probability: 'That the passages support it.',
    quoted: 'It stands in a passage as it is.',
    decided: "The decider's own probability; null where it was not asked.",
    reasons: 'Of a sentence that is not supported: `number`, `date`, `name`, `denial`, `words`, `meaning`.',
    place: 'The place that comes nearest; null for quotes, and where nothing comes near.',
  },
);

/** The proof of one answer's verification, on the wire and in files. */
export const Receipt = named(
  'Receipt',
  Strict(
    {
      object: Type.Literal('receipt'),
      id: Type.String(),
      created_at: Type.Integer({ description: 'Unix seconds.' }),
      rules: Count,
      decider: orNull(Strict({ name: Type.String(), fingerprint: Dictionary(Type.String()) })),
      passages: Type.Array(ReceiptPassage),
      sentences: Type.Array(ReceiptSentence),
      sha256: Sha256,
    },
    {
      rules: 'Version of the rules of judgement.',
      decider: 'What was asked, and what its answers depend on; null where nothing was asked.',
      sha256: 'Of everything else.',
    },
  ),
);
export type Receipt = Static<typeof Receipt>;
