import { tidyLine, tidyText } from '../search/feature.ts';
import { tokensOf } from './split.ts';

/** Rows of cells below the names of their columns, of which there may be none. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A name and what stands for it. */
export type Field = readonly [name: string, value: string];

/** Of a table with its head, so that it is one passage. */
const tableTokensMax = 300;
/** Of what is read as one line; longer rows are told a field at a time, and longer fields as paragraphs. */
const rowUnitsMax = 500;
const fieldUnitsMax = 300;
const titleUnitsMax = 100;
const nameUnitsMax = 200;
export const levelMax = 6;
/** Of a file; about as many of the shortest as the passages of a document hold. */
export const rowsMax = 100_000;

/** As much as passages of a document may hold: short rows below long names are many times what was read. */
const unitsMax = 2_000_000;

/** The blocks as one text. */
export function joinBlocks(blocks: Iterable<string>): string {
  const kept: string[] = [];
  let units = 0;
  for (const block of blocks) {
    kept.push(block);
    units += block.length;
    if (units > unitsMax) break;
  }
  return kept.join('\n\n');
}

/**
 * Blocks of Markdown in which each row can be read alone: tables that are a passage each, all with the names of the columns,
 * and behind them, as sections of their own, rows that are too long for one.
 */
export function* writeTable({ columns, rows }: Table, level: number): Generator<string> {
  const isNarrow = columns.join('').length <= rowUnitsMax;
  const head = columns.length === 0 || !isNarrow ? [] : [toRow(columns), toRow(columns.map(() => '---'))];
  const headTokens = tokensIn(head.join('\n'));
  const long: (readonly string[])[] = [];
  let lines: string[] = [];
  let tokens = headTokens;
  for (const row of rows) {
    const line = isNarrow && isOneLine(columns, row) ? toRow(row) : '';
    const own = tokensIn(line) + 1;
    if (line === '' || headTokens + own > tableTokensMax) {
      long.push(row);
      continue;
    }
    if (tokens + own > tableTokensMax) {
      yield [...head, ...lines].join('\n');
      [lines, tokens] = [[], headTokens];
    }
    lines.push(line);
    tokens += own;
  }
  if (lines.length > 0) yield [...head, ...lines].join('\n');
  for (const row of long) {
    const fields = row.map((value, at): Field => [columns[at] ?? '', value]);
    yield* writeRecord(fields, level);
  }
}

/** A section under its first value. */
export function* writeRecord(fields: readonly Field[], level: number): Generator<string> {
  const told = fields.filter(([, value]) => value.trim() !== '');
  const first = told[0]?.[1] ?? '';
  yield toHeading(tidyLine(first, titleUnitsMax), level);
  yield* writeFields(told.length > 1 && first.length <= titleUnitsMax ? told.slice(1) : told);
}

/** Short ones as items of a list, and long ones behind it. */
export function* writeFields(fields: readonly Field[]): Generator<string> {
  const isLong = ([, value]: Field): boolean => value.length > fieldUnitsMax || value.includes('\n');
  const items = fields.filter((field) => !isLong(field)).map(([name, value]) => `- ${toLine(name, value)}`);
  if (items.length > 0) yield items.join('\n');
  for (const [name, value] of fields.filter(isLong)) {
    const title = tidyLine(name, nameUnitsMax);
    yield title === '' ? tidyText(value) : `${title}: ${tidyText(value)}`;
  }
}

export const toHeading = (title: string, level: number): string =>
  `${'#'.repeat(Math.min(level, levelMax))} ${title}`;

const toLine = (name: string, value: string): string =>
  [tidyLine(name, nameUnitsMax), tidyLine(value)].filter((part) => part !== '').join(': ');

const toRow = (cells: readonly string[]): string => `| ${cells.map((cell) => tidyLine(cell)).join(' | ')} |`;

/** Whether a row of a table can say it: its cells are told apart, and none holds several sentences. */
function isOneLine(columns: readonly string[], row: readonly string[]): boolean {
  const units = row.reduce((sum, cell, at) => sum + cell.length + (columns[at]?.length ?? 0) + 4, 0);
  return units <= rowUnitsMax && row.every((cell) => cell.length <= fieldUnitsMax && !/[|`\n]/.test(cell));
}

const tokensIn = (text: string): number => tokensOf(text, 0, text.length);
