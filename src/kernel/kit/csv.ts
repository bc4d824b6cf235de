/** One record with the line of the file that it begins at, from 1. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

export const separators = [',', ';', '\t', '|'] as const;
export type Separator = (typeof separators)[number];

const lineEnd = /\r\n|\n|\r/g;
/** A field with what ends it. The parts of a quoted one share no character, so that a match takes linear time. */
const fieldBefore = (separator: Separator): RegExp =>
  new RegExp(
    `(?:"(?<quoted>[^"]*(?:""[^"]*)*)"|(?<plain>(?!")[^${separator}\\r\\n]*))(?<end>[${separator}]|\\r\\n|\\n|\\r|$)`,
    'y',
  );

/**
 * Reads CSV as RFC 4180 has it: fields in quotes may hold separators, line ends and doubled quotes. Line ends may be of
 * any kind, the last one may be missing, empty lines are left out. A quote inside a field that does not begin with
 * one is text. Throws what `fail` makes of
 * the line of a record, from 1, in which a quote is never closed or has text after it.
 */
export function* readCsv(
  text: string,
  fail: (line: number, problem: string) => Error,
  separator: Separator = ',',
): Generator<CsvRecord> {
  const field = fieldBefore(separator);
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const start = { line, at };
    const fields: string[] = [];
    let end: string = separator;
    while (end === separator) {
      field.lastIndex = at;
      const found = field.exec(text);
      if (found === null) throw fail(start.line, quoteError(text.slice(at)));
      fields.push(found.groups?.['quoted']?.replaceAll('""', '"') ?? found.groups?.['plain'] ?? '');
      end = found.groups?.['end'] ?? '';
      line += found[0].match(lineEnd)?.length ?? 0;
      at = field.lastIndex;
    }
    if (at > start.at + end.length) yield { line: start.line, fields };
  }
}

function quoteError(text: string): string {
  return /^"[^"]*(?:""[^"]*)*"(?!")/.test(text)
    ? 'text after a closing quote'
    : 'a quoted field is never closed';
}
