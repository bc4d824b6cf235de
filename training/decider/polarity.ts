/** A statement without its denial, and whether it was denied. Asking the one and turning it round answers the other. */
export interface Polarity {
  readonly statement: string;
  readonly denied: boolean;
}

const verbs = 'is|are|was|were|am|does|do|did|has|have|had|can|could|will|would|should|must|may|might';
const denials = [
  new RegExp(`\\b(${verbs}) not\\b`, 'i'),
  new RegExp(`\\b(is|are|was|were|does|do|did|has|have|had|could|would|should|must)n['’]t\\b`, 'i'),
  /\b(can)(?:not|['’]t)\b/i,
] as const;

/** Takes "not" out of a statement. Two denials, or one that stands elsewhere ("nobody", "no longer"), are left. */
export function toPolarity(statement: string): Polarity {
  for (const denial of denials) {
    const without = statement.replace(denial, '$1');
    if (without !== statement) return { statement: without, denied: true };
  }
  return { statement, denied: false };
}
