import { optionsMax, type ChoiceQuestion } from '../../question.ts';
import { ExampleError } from '../../../../kernel/commands/exit-codes.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import { splitName } from '../../../../kernel/kit/words.ts';
import type { Example } from '../examples.ts';
import { readCsv } from '../../../../kernel/kit/csv.ts';

const columns = ['text', 'category'] as const;

/** Whether a text begins like the CSV of BANKING77. */
export function isBanking(text: string): boolean {
  return /^"?text"?,"?category"?\s*(?:[\r\n]|$)/.test(text);
}

/** One choice over all categories of the file for each row. Throws ExampleError. */
export function fromBanking(text: string, source: string): readonly Example[] {
  const [, ...records] = readCsv(text, ExampleError.in(source));
  const rows = records.map(({ line, fields }) => {
    const [state, category] = fields;
    if (state === undefined || category === undefined || fields.length !== columns.length) {
      throw new ExampleError(
        `${source}:${line}: ${fields.length} fields; a row has ${columns.join(' and ')}`,
      );
    }
    if (category.trim() === '') throw new ExampleError(`${source}:${line}: the category is empty`);
    return { state, category, source: `${source}:${line}` };
  });
  const names = readableNames(rows.map(({ category }) => category));
  const question = intentQuestion([...names.values()], source);
  return rows.map(({ state, category, source }) => ({
    state,
    question,
    answer: names.get(category) ?? category,
    source,
  }));
}

export interface ClincOptions {
  /** Part of the file: `test`, `val` or `train`. */
  readonly split: string;
  /** Whether texts that fit no intent are asked too, with an option of their own. Left out otherwise. */
  readonly outside: boolean;
}

const outsideLabel = 'oos';
const outsideName = 'none of these';

/** Whether JSON has the form of CLINC150: parts by name, each a list of `[text, intent]`. */
export function isClinc(value: Json): value is JsonObject {
  return isJsonObject(value) && ['test', 'val', 'train'].some((name) => isPart(value[name]));
}

/** One choice over all intents of the file for each text of a part. Throws ExampleError. */
export function fromClinc(
  value: JsonObject,
  { split, outside }: ClincOptions,
  source: string,
): readonly Example[] {
  const part = value[split];
  if (!isPart(part) || split.startsWith(outsideLabel)) {
    const names = Object.keys(value).filter((name) => isPart(value[name]) && !name.startsWith(outsideLabel));
    throw new ExampleError(`${source}: no part "${split}"; there are ${names.join(', ')}`);
  }
  const extra = value[`${outsideLabel}_${split}`];
  const rows = [...part, ...(isPart(extra) ? extra : [])].map(([text, label], index) => ({
    text,
    label,
    source: `${source}:${split}[${index}]`,
  }));
  const labels = part.map(([, label]) => label).filter((label) => label !== outsideLabel);
  const names = readableNames(labels);
  const criteria = [...names.values(), ...(outside ? [outsideName] : [])];
  const question: ChoiceQuestion = intentQuestion(criteria, source);
  return rows.flatMap(({ text, label, source }) => {
    const answer = names.get(label) ?? outsideName;
    return label !== outsideLabel || outside ? [{ state: text, question, answer, source }] : [];
  });
}

type Part = readonly (readonly [text: string, label: string])[];

function isPart(value: Json | undefined): value is Json & Part {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (row: Json) => Array.isArray(row) && row.length === 2 && row.every((cell) => typeof cell === 'string'),
    )
  );
}

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

/** One choice over all intents, by their names alone. Throws ExampleError for too many. */
function intentQuestion(names: readonly string[], source: string): ChoiceQuestion {
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
