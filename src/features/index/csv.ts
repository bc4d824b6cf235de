import { joinBlocks, rowsMax, writeTable } from './records.ts';

const separators = [',', ';', '\t', '|'] as const;
/** Rows by which a table is told from a text with commas. */
const judgedRows = 50;
const agreeingMin = 0.8;

/** The rows of a file of separated values, as Markdown in which each can be read alone; null for what is no table. */
export function csvToMarkdown(text: string): string | null {
  const separator = separatorOf(text);
  if (separator === null) return null;
  const rows = readRows(text, separator);
  const [first = [], ...others] = rows;
  const judged = rows.slice(0, judgedRows);
  const agreeing = judged.filter((row) => row.length === first.length).length;
  if (first.length < 2 || others.length === 0 || agreeing < agreeingMin * judged.length) return null;
  const table = isHead(first) ? { columns: first, rows: others } : { columns: [], rows };
  return joinBlocks(writeTable(table, 2));
}

/** The one that stands most often in the first line. */
function separatorOf(text: string): string | null {
  const line = (text.split('\n', 1)[0] ?? '').replaceAll(/"[^"]*"/g, '');
  const counted = separators.map((sign) => ({ sign, count: line.split(sign).length - 1 }));
  const most = counted.reduce((best, one) => (one.count > best.count ? one : best));
  return most.count > 0 ? most.sign : null;
}

/** Names differ and are no numbers. */
const isHead = (row: readonly string[]): boolean =>
  new Set(row).size === row.length &&
  row.every((cell) => cell.trim() !== '' && !/^[\d\s.,:%+/-]+$/.test(cell));

/** Cells may be quoted, and then hold separators, lines and quotes written twice (RFC 4180). */
function readRows(text: string, separator: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = 0; at <= text.length && rows.length < rowsMax;) {
    const { cell, endAt } = readCell(text, at, separator);
    row.push(cell);
    at = endAt + 1;
    if (text[endAt] === separator) continue;
    if (row.some((one) => one.trim() !== '')) rows.push(row);
    row = [];
  }
  return rows;
}

/** The cell that begins here, and where what ends it stands. */
function readCell(
  text: string,
  startAt: number,
  separator: string,
): { readonly cell: string; readonly endAt: number } {
  let cell = '';
  let at = startAt;
  if (text[at] === '"') {
    for (;;) {
      const closing = text.indexOf('"', at + 1);
      cell += text.slice(at + 1, closing < 0 ? text.length : closing);
      at = closing < 0 ? text.length : closing + 1;
      if (text[at] !== '"') break;
      cell += '"';
    }
  }
  const from = at;
  while (at < text.length && text[at] !== separator && text[at] !== '\n') at++;
  return { cell: (cell + text.slice(from, at)).trim(), endAt: at };
}
