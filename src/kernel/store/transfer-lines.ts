import { StringDecoder } from 'node:string_decoder';
import { isJsonObject } from '../kit/json.ts';

export type Row = Readonly<Record<string, string | number | null>>;

export interface Header {
  readonly format: 'nestor-export';
  readonly version: 1;
  /** Last migration of the source. */
  readonly schema: string;
  readonly rows: Readonly<Record<string, number>>;
}

/** A job holds a request of up to 64 MiB as text, escaped again. */
const lineLengthMax = 268_435_456;

/** Splits a stream into lines of bounded length. */
export async function* linesOf(
  input: AsyncIterable<unknown>,
  lengthMax = lineLengthMax,
): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of input) {
    rest += Buffer.isBuffer(chunk) ? decoder.write(chunk) : String(chunk);
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > lengthMax) throw new Error('import: a line is too long');
    yield* lines;
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}

export function parseHeader(line: string, schema: string, tables: readonly string[]): Header {
  const header = parse(line, 1);
  if (!isJsonObject(header) || header['format'] !== 'nestor-export') {
    throw new Error('import: the first line is not the header of an export of Nestor');
  }
  if (header['version'] !== 1) throw new Error('import: the export is of a newer format');
  const stated: unknown = header['schema'];
  if (stated !== schema) {
    const theirs = String(stated).slice(0, 64);
    throw new Error(
      `import: the export has schema ${theirs}, this version ${schema}; export again with this version`,
    );
  }
  const { rows } = header;
  if (!isJsonObject(rows) || !tables.every((table) => Number.isSafeInteger(rows[table]))) {
    throw new Error('import: the header lacks the numbers of rows');
  }
  return { format: 'nestor-export', version: 1, schema, rows: rows as Record<string, number> };
}

export function parseRow<Table extends string>(
  line: string,
  lineNumber: number,
  tables: readonly Table[],
): { readonly table: Table; readonly row: Row } {
  const pair = parse(line, lineNumber);
  if (Array.isArray(pair) && pair.length === 2) {
    const [name, row] = pair as [unknown, unknown];
    const table = tables.find((known) => known === name);
    if (table !== undefined && isJsonObject(row)) return { table, row: row as Row };
  }
  throw new Error(`import: line ${lineNumber} is not a row of an export`);
}

/** The parser's own message would quote the line. */
function parse(line: string, lineNumber: number): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(`import: line ${lineNumber} is not JSON`);
  }
}
