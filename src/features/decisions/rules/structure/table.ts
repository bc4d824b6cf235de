import type { Json } from '../../../../kernel/kit/json.ts';

/** Text and lines that are looked at for a table. */
const charsMax = 200_000;
const headCharsMax = 40;

/** Rows of a table in Markdown, or of values between commas, semicolons or tabs, by their columns; null for any other text. */
export function parseTable(text: string): Json | null {
  if (text.length > charsMax) return null;
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const rows = markdownRows(lines) ?? separatedRows(lines);
  const [head, ...body] = rows ?? [];
  if (head === undefined || body.length === 0 || new Set(head).size < head.length) return null;
  if (!head.every((cell) => /\p{L}/u.test(cell) && cell.length <= headCharsMax)) return null;
  return body.map((cells) => Object.fromEntries(cells.map((cell, at) => [head[at] ?? '', toValue(cell)])));
}

function markdownRows(lines: readonly string[]): readonly (readonly string[])[] | null {
  if (lines.length < 3 || !lines.every((line) => line.trimStart().startsWith('|'))) return null;
  const rows = lines.map((line) => {
    const cells = line.trim().slice(1).split('|');
    if (cells.at(-1)?.trim() === '') cells.pop();
    return cells.map((cell) => cell.trim());
  });
  if (rows[1]?.every((cell) => /^:?-+:?$/.test(cell)) !== true) return null;
  return sameWidth(rows.toSpliced(1, 1));
}

function separatedRows(lines: readonly string[]): readonly (readonly string[])[] | null {
  if (lines.length < 3) return null;
  for (const mark of ['\t', ';', ',']) {
    const rows = sameWidth(lines.map((line) => line.split(mark).map((cell) => cell.trim())));
    // Behind the commas of prose there are blanks.
    if (lines[0]?.includes(`${mark} `) === true) continue;
    if (rows !== null && rows[0]?.every((cell) => cell.split(' ').length <= 3) === true) return rows;
  }
  return null;
}

function sameWidth(rows: readonly (readonly string[])[]): readonly (readonly string[])[] | null {
  const width = rows[0]?.length ?? 0;
  return width > 1 && rows.every((row) => row.length === width) ? rows : null;
}

function toValue(cell: string): Json {
  const text = /^".*"$/.test(cell) ? cell.slice(1, -1) : cell;
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text === '' ? null : text;
}
