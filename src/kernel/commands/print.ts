import { toWireEntry } from '../kit/wire-names.ts';
import type { Terminal } from './progress.ts';

export interface Column<Item> {
  readonly heading: string;
  readonly isNumber?: boolean;
  of(item: Item): string | number | null;
}

/** Writes records as JSON or as a table. */
export function printRecords<Item extends object>(
  out: Terminal,
  items: readonly Item[],
  columns: readonly Column<Item>[],
  isJson: boolean,
): void {
  if (isJson) printJson(out, items);
  else printTable(out, items, columns);
}

export function printTable<Item>(
  out: Terminal,
  items: readonly Item[],
  columns: readonly Column<Item>[],
): void {
  out.write(`${toTable(items, columns)}\n`);
}

/** Writes JSON with wire names: snake case, and times in seconds since the epoch. */
export function printJson(out: Terminal, value: object): void {
  out.write(`${JSON.stringify(toDeepWire(value), null, 2)}\n`);
}

/** Writes a result as JSON or as text. */
export function printResult(out: Terminal, wire: object, text: string, isJson: boolean): void {
  if (isJson) printJson(out, wire);
  else out.write(`${text}\n`);
}

function toTable<Item>(items: readonly Item[], columns: readonly Column<Item>[]): string {
  const rows = [
    columns.map(({ heading }) => heading),
    ...items.map((item) => columns.map((column) => oneLine(String(column.of(item) ?? '-')))),
  ];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => (row[index] ?? '').length)));
  const pad = (cell: string, index: number) =>
    columns[index]?.isNumber === true ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0);
  return rows.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

/** What callers and pages wrote, on one line: a terminal obeys what stands in it. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
}

/** `2026-11-20 16:13:27Z`. */
export function toTime(ms: number | null): string | null {
  return ms === null ? null : `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

/** All of a value, also what lies in its fields. */
function toDeepWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toDeepWire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => toWireEntry(name, toDeepWire(inner))),
  );
}

/**
 * Bytes in decimal units, as tools for files write them.
 *
 * @example
 * toSize(23_100_000); // '23.1 MB'
 */
export function toSize(bytes: number): string {
  const at = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${(bytes / 1_000 ** at).toFixed(at === 0 ? 0 : 1)} ${units[at] ?? ''}`;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
