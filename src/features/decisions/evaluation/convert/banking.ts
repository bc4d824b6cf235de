import type { Example } from '../examples.ts';
import { parseCsv } from './csv.ts';
import { intentQuestion, readableNames } from './names.ts';
import { ExampleError } from '../../../../kernel/commands/exit-codes.ts';

const columns = ['text', 'category'] as const;

/** Whether a text begins like the CSV of BANKING77. */
export function isBanking(text: string): boolean {
  return /^"?text"?,"?category"?\s*(?:[\r\n]|$)/.test(text);
}

/** One choice over all categories of the file for each row. Throws ExampleError. */
export function fromBanking(text: string, source: string): readonly Example[] {
  const [, ...records] = parseCsv(text, source);
  const rows = records.map(({ line, fields }) => {
    const [state, category] = fields;
    if (state === undefined || category === undefined || fields.length !== columns.length) {
      throw new ExampleError(
        `${source}:${line}: ${fields.length} fields; a row has ${columns.join(' and ')}`,
      );
    }
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
