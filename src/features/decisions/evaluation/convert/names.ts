import { optionsMax, type ChoiceQuestion } from '../../question.ts';
import { splitName } from '../../../../kernel/kit/words.ts';
import { ExampleError } from '../../../../kernel/commands/exit-codes.ts';

/**
 * Names of options by label, sorted: `card_not_working` becomes "card not working". Labels that would become the
 * same name stay as they are.
 */
export function readableNames(labels: readonly string[]): ReadonlyMap<string, string> {
  const all = [...new Set(labels)].sort();
  const byName = Map.groupBy(all, (label) => splitName(label));
  return new Map(
    all.map((label) => {
      const name = splitName(label);
      return [label, name !== '' && byName.get(name)?.length === 1 ? name : label];
    }),
  );
}

/** The choice that a set of intents is: names alone, as its users know them. Throws ExampleError for too many. */
export function intentQuestion(names: readonly string[], source: string): ChoiceQuestion {
  if (names.length > optionsMax) {
    throw new ExampleError(
      `${source}: ${names.length} categories; a choice has at most ${optionsMax} options`,
    );
  }
  return {
    type: 'choice',
    instructions: 'What is the message about?',
    criteria: Object.fromEntries(names.map((name) => [name, null])),
  };
}
