import { ExampleError } from './exit-codes.ts';

/** One record with the line of the file that it begins at, from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

const lineEnd = /\r\n|\n|\r/g;
/** A field with what ends it. The parts of a quoted one share no character, so that a match takes linear time. */
const field = /(?:"(?<quoted>[^"]*(?:""[^"]*)*)"|(?<plain>(?!")[^,\r\n]*))(?<end>,|\r\n|\n|\r|$)/y;

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
    let end = ',';
    while (end === ',') {
      field.lastIndex = at;
      const found = field.exec(text);
      if (found === null) throw new ExampleError(`${source}:${start.line}: ${quoteError(text.slice(at))}`);
      fields.push(found.groups?.['quoted']?.replaceAll('""', '"') ?? found.groups?.['plain'] ?? '');
      end = found.groups?.['end'] ?? '';
      line += found[0].match(lineEnd)?.length ?? 0;
      at = field.lastIndex;
    }
    if (at > start.at + end.length) records.push({ line: start.line, fields });
  }
  return records;
}

function quoteError(text: string): string {
  return /^"[^"]*(?:""[^"]*)*"(?!")/.test(text)
    ? 'text after a closing quote'
    : 'a quoted field is never closed';
}
