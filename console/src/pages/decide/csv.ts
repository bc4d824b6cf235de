import Papa from 'papaparse';
import type { Answer } from './answers.ts';
import { toBars, toHeadline } from './answers.ts';
import type { Outcome } from './batch.ts';
import { isToReview } from './review.ts';

export interface Table {
  /** One name per column; columns without one are called `column 3`. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** What the file has wrong, for people. Such rows are kept as they were read. */
  readonly problems: readonly string[];
}

/** Larger files are refused: the page would hold them several times. */
export const fileBytesMax = 32_000_000;
const problemsShown = 5;

/** Reads comma, semicolon, tab or pipe separated text; which of them is found out. Empty lines are left out. */
export function parseTable(text: string, hasHeader: boolean): Table {
  const { data, errors } = Papa.parse<string[]>(text, { skipEmptyLines: true });
  const given = hasHeader ? (data[0] ?? []) : [];
  const rows = hasHeader ? data.slice(1) : data;
  const width = data.reduce((most, row) => Math.max(most, row.length), 0);
  const columns = Array.from({ length: width }, (_, at) => {
    const name = given[at]?.trim() ?? '';
    return name === '' ? `column ${at + 1}` : name;
  });
  return { columns: toDistinct(columns), rows, problems: problemsOf(errors, hasHeader) };
}

function problemsOf(errors: readonly Papa.ParseError[], hasHeader: boolean): readonly string[] {
  // That only one column was found is no mistake.
  const real = errors.filter(({ type }) => type !== 'Delimiter');
  const shown = real.slice(0, problemsShown).map(({ row = 0, message }) => {
    const line = hasHeader ? row : row + 1;
    return line === 0 ? `Names of the columns: ${message}` : `Row ${line}: ${message}`;
  });
  return real.length > shown.length ? [...shown, `and ${real.length - shown.length} more`] : shown;
}

/** The text of a file: UTF-8 or UTF-16 by its mark, else UTF-8, else what older spreadsheets write (Windows-1252). */
export function decodeFile(bytes: Uint8Array): string {
  const mark = [...bytes.subarray(0, 2)].join(',');
  if (mark === '255,254') return new TextDecoder('utf-16le').decode(bytes);
  if (mark === '254,255') return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** What is asked about a row: the text of its one column, or a line `name: text` for each of several. */
export function stateOf({ columns }: Table, row: readonly string[], chosen: readonly number[]): string {
  const [only] = chosen;
  if (chosen.length === 1 && only !== undefined) return row[only] ?? '';
  return chosen.map((at) => `${columns[at] ?? ''}: ${row[at] ?? ''}`).join('\n');
}

/**
 * What a spreadsheet would run when it opens the file. A plain number with a sign is none, and stays a number. The
 * first letters may follow space, which some programs skip.
 */
const formulaPattern = /^\s*(?:[=@\t\r]|[+-](?!\d+(?:[.,]\d+)*(?:[eE][+-]?\d+)?\s*$))/;

export interface ResultOptions {
  /** Questions as they were sent. */
  readonly questions: Readonly<
    Record<string, { readonly type: Answer['type']; readonly criteria?: unknown }>
  >;
  /** By row; undefined where nothing was asked yet. */
  readonly outcomes: readonly (Outcome | undefined)[];
  /** Puts an apostrophe before what would run as a formula, and a mark before everything that says UTF-8. */
  readonly isForSpreadsheets: boolean;
  /** Confidence below which a row is marked in a column of its own. */
  readonly reviewBelow: number;
}

/** The table with the answers beside its columns. Numbers are not rounded. */
export function toResultCsv(
  table: Table,
  { questions, outcomes, isForSpreadsheets, reviewBelow }: ResultOptions,
): string {
  const asked = Object.entries(questions).map(([name, question]) => ({
    name,
    keys: keysOf(question),
    question,
  }));
  const added = asked.flatMap(({ name, question, keys }) => [
    name,
    ...(question.type === 'score' ? [`${name} likeliest`] : []),
    ...(question.type === 'noul' ? [] : [`${name} confidence`]),
    ...keys.map((key) => `${name} p(${key})`),
  ]);
  const columns = toDistinct([...table.columns, ...added, 'review', 'error']);
  const rows = table.rows.map((row, at) => {
    const outcome = outcomes[at];
    const cells = asked.flatMap(({ name, question, keys }) => {
      const answer = outcome?.decision?.answers[name];
      return answer === undefined ? emptyCells(question.type, keys) : cellsOf(answer, keys);
    });
    return [
      ...table.columns.map((_, column) => row[column] ?? ''),
      ...cells,
      isToReview(outcome, reviewBelow) ? 'yes' : '',
      outcome?.error ?? '',
    ];
  });
  const text = Papa.unparse([columns, ...rows], isForSpreadsheets ? { escapeFormulae: formulaPattern } : {});
  return `${isForSpreadsheets ? '\ufeff' : ''}${text}\r\n`;
}

function cellsOf(answer: Answer, keys: readonly string[]): readonly (string | number)[] {
  const { label, score, confidence } = toHeadline(answer);
  const byKey = new Map(toBars(answer).map(({ key, probability }) => [key, probability]));
  return [
    ...(score === null ? [label] : [score, label]),
    ...(confidence === null ? [] : [confidence]),
    ...keys.map((key) => byKey.get(key) ?? ''),
  ];
}

function emptyCells(type: Answer['type'], keys: readonly string[]): readonly string[] {
  const before = { noul: 1, choice: 2, score: 3 }[type];
  return Array.from({ length: before + keys.length }, () => '');
}

function keysOf({
  type,
  criteria,
}: {
  readonly type: Answer['type'];
  readonly criteria?: unknown;
}): readonly string[] {
  if (type === 'noul') return ['yes'];
  return typeof criteria === 'object' && criteria !== null ? Object.keys(criteria) : [];
}

/** A name that is already there gets a number, so that no program confuses two columns. */
function toDistinct(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let distinct = name;
    for (let round = 2; taken.has(distinct); round++) distinct = `${name} (${round})`;
    taken.add(distinct);
    return distinct;
  });
}

/** The column with the longest texts: most likely the one that is asked about. */
export function likelyColumn({ columns, rows }: Table): number {
  const sample = rows.slice(0, 100);
  const lengths = columns.map((_, at) => sample.reduce((sum, row) => sum + (row[at]?.length ?? 0), 0));
  return Math.max(0, lengths.indexOf(Math.max(...lengths)));
}
