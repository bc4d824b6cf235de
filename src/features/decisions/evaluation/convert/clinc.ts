import type { ChoiceQuestion } from '../../question.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../kernel/kit/json.ts';
import type { Example } from '../examples.ts';
import { intentQuestion, readableNames } from './names.ts';
import { ExampleError } from '../../../../kernel/commands/exit-codes.ts';

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
