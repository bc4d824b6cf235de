import { readCsv, separators, type Separator } from '../../kernel/kit/csv.ts';
import { joinBlocks, rowsMax, writeTable } from './records.ts';

/** Rows by which a table is told from a text with commas. */
const judgedRows = 50;
const agreeingMin = 0.8;

/** The rows of a file of separated values, as Markdown in which each can be read alone; null for what is no table. */
export function csvToMarkdown(text: string): string | null {
  const separator = separatorOf(text);
  const rows = separator === null ? null : rowsOf(text, separator);
  if (rows === null) return null;
  const [first = [], ...others] = rows;
  const judged = rows.slice(0, judgedRows);
  const agreeing = judged.filter((row) => row.length === first.length).length;
  if (first.length < 2 || others.length === 0 || agreeing < agreeingMin * judged.length) return null;
  const table = isHead(first) ? { columns: first, rows: others } : { columns: [], rows };
  return joinBlocks(writeTable(table, 2));
}

/** The one that stands most often in the first line. */
function separatorOf(text: string): Separator | null {
  const line = (text.split('\n', 1)[0] ?? '').replaceAll(/"[^"]*"/g, '');
  const counted = separators.map((sign) => ({ sign, count: line.split(sign).length - 1 }));
  const most = counted.reduce((best, one) => (one.count > best.count ? one : best));
  return most.count > 0 ? most.sign : null;
}

/** Names differ and are no numbers. */
const isHead = (row: readonly string[]): boolean =>
  new Set(row).size === row.length &&
  row.every((cell) => cell.trim() !== '' && !/^[\d\s.,:%+/-]+$/.test(cell));

const noTable = new Error('The quotes do not go together.');

/** Null where its quotes do not go together. */
function rowsOf(text: string, separator: Separator): readonly (readonly string[])[] | null {
  const rows: string[][] = [];
  try {
    for (const { fields } of readCsv(text, () => noTable, separator)) {
      const row = fields.map((field) => field.trim());
      if (row.some((cell) => cell !== '')) rows.push(row);
      if (rows.length >= rowsMax) break;
    }
  } catch (error) {
    if (error === noTable) return null;
    throw error;
  }
  return rows;
}
