import { ExampleError } from '../../../../kernel/commands/exit-codes.ts';

/** One record with the line of the file that it begins at, from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

const lineEnd = /\r\n|\n|\r/g;

/**
 * Reads CSV as RFC 4180 has it: fields in quotes may hold commas, line ends and doubled quotes. Line ends may be of
 * any kind, the last one may be missing, empty lines are left out. A quote inside a field that does not begin with
 * one is text. Throws ExampleError for a quote that is never closed or has text after it.
 */
export function parseCsv(text: string, source: string): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const start = { line, at };
    const fields: string[] = [];
    for (;;) {
      const field = readField(text, at, () => `${source}:${start.line}`);
      fields.push(field.value);
      line += field.lines;
      at = field.end;
      if (text[at] !== ',') break;
      at++;
    }
    const blank = at === start.at;
    if (at < text.length) {
      at += text.startsWith('\r\n', at) ? 2 : 1;
      line++;
    }
    if (!blank) records.push({ line: start.line, fields });
  }
  return records;
}

interface Field {
  readonly value: string;
  /** Position after it: a comma, a line end or the end of the text. */
  readonly end: number;
  /** Line ends inside. */
  readonly lines: number;
}

function readField(text: string, at: number, place: () => string): Field {
  if (text[at] === '"') return readQuoted(text, at, place);
  let end = at;
  while (end < text.length && !/[,\r\n]/.test(text[end] ?? '')) end++;
  return { value: text.slice(at, end), end, lines: 0 };
}

function readQuoted(text: string, at: number, place: () => string): Field {
  let close = text.indexOf('"', at + 1);
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close < 0) throw new ExampleError(`${place()}: a quoted field is never closed`);
  const next = text[close + 1];
  if (next !== undefined && !/[,\r\n]/.test(next)) {
    throw new ExampleError(`${place()}: text after a closing quote`);
  }
  const raw = text.slice(at + 1, close);
  return { value: raw.replaceAll('""', '"'), end: close + 1, lines: raw.match(lineEnd)?.length ?? 0 };
}
