/** A statement without its denial, and whether it was denied. Asking the one and turning it round answers the other. */
export interface Polarity {
  readonly statement: string;
  readonly denied: boolean;
}

/** How `negateQuestion` turns a question round. */
const turned = /^Is the opposite of the following the case\? /;
const denials = [
  /\b(is|are|was|were|am|does|do|did|has|have|had|can|could|will|would|should|must|may|might) not\b/i,
  /\b(is|are|was|were|does|do|did|has|have|had|could|would|should|must)n['’]t\b/i,
  /\b(can)(?:not|['’]t)\b/i,
  // Where the subject stands between: "Is the review not positive?"
  /^((?:is|are|was|were|does|do|did|has|have|had|can|could|will|would|should|must) (?:[\p{L}']+ ){1,4})not /iu,
] as const;

/** Takes "not" out of a statement. Two denials, or one that stands elsewhere ("nobody", "no longer"), are left. */
export function toPolarity(question: string): Polarity {
  const asked = question.replace(turned, '');
  const isTurned = asked !== question;
  for (const denial of denials) {
    const without = asked.replace(denial, '$1');
    if (without !== asked) return { statement: without, denied: !isTurned };
  }
  return { statement: asked, denied: isTurned };
}
