import { Type } from 'typebox';
import type { Verdict } from '../deciders/ask.ts';
import { described } from '../../../kernel/kit/schema.ts';

/** What answers carry of a decider with a policy, and of no other. */
export const verdictFields = described(
  { abstained: Type.Optional(Type.Boolean()), decided_by: Type.Optional(Type.String()) },
  {
    abstained: 'Only of a decider with a policy: whether this is no more than its best guess.',
    decided_by: 'Only of a decider with a policy: the decider whose answer it is.',
  },
);

export function fromVerdict(verdict: Verdict | undefined) {
  return verdict === undefined ? {} : { abstained: verdict.isAbstained, decided_by: verdict.decidedBy };
}
