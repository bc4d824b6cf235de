import type { DeciderFigures } from '../../../kernel/http/metrics.ts';
import type { NamedDecision } from './ask.ts';
import type { Definitions } from './definition.ts';

/** Stands for all deciders of accounts, whose names are the callers'. */
const ofAccounts = 'account';

/** What each decider did for a request; `operators` are the names that may be told. */
export function toFigures(
  { uses, verdicts = [] }: NamedDecision,
  operators: Definitions,
): readonly DeciderFigures[] {
  return uses.map(({ name, questions, passedOn, inputTokens }) => {
    const abstained = verdicts.filter((one) => one.isAbstained && one.decidedBy === name).length;
    return {
      decider: operators.has(name) ? name : ofAccounts,
      inputTokens,
      answered: questions - passedOn - abstained,
      abstained,
      passed: passedOn,
    };
  });
}

/** Counts and costs by decider, for the ledger; nothing where one decider answered, which is named there already. */
export function toLedger({ uses }: NamedDecision, priceUsdPerMillion: number) {
  if (uses.length < 2) return null;
  const units = uses.flatMap(({ name, questions, passedOn }) => [
    [`questions:${name}`, questions] as const,
    [`passed_on:${name}`, passedOn] as const,
  ]);
  const costs = uses.map(
    ({ name, inputTokens }) => [`input:${name}`, (inputTokens * priceUsdPerMillion) / 1e6] as const,
  );
  return { otherUnits: Object.fromEntries(units), costParts: Object.fromEntries(costs) };
}
