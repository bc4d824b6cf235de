import { isRecord } from '../../api/failure.ts';
import type { Table } from '../decide/csv.ts';

/** What the beginning of a file holds. */
export interface RowsPreview {
  readonly rows: readonly PreviewRow[];
  /** By line, of what was read. The server checks every line before it takes the file. */
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
  /** Whether every row that was read has questions of its own. */
  readonly haveQuestions: boolean;
}

export interface PreviewRow {
  readonly line: number;
  readonly id: string | null;
  readonly state: unknown;
}

/** Bytes of a file that are read before it is sent. */
export const previewBytes = 262_144;
const rowsShown = 5;

/** The first lines of a file of JSON lines. `isWhole` is false where the text was cut, mostly within a line. */
export function previewRows(text: string, isWhole: boolean): RowsPreview {
  const lines = text.split('\n');
  if (!isWhole && lines.length > 1) lines.pop();
  const rows: (PreviewRow & { readonly hasQuestions: boolean })[] = [];
  const problems: { line: number; problem: string }[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const read = readRow(line);
    if (typeof read === 'string') problems.push({ line: index + 1, problem: read });
    else rows.push({ line: index + 1, ...read });
  }
  return {
    rows: rows.slice(0, rowsShown).map(({ line, id, state }) => ({ line, id, state })),
    problems,
    haveQuestions: rows.length > 0 && rows.every(({ hasQuestions }) => hasQuestions),
  };
}

function readRow(
  line: string,
): { readonly id: string | null; readonly state: unknown; readonly hasQuestions: boolean } | string {
  let value: unknown;
  try {
    value = JSON.parse(line) as unknown;
  } catch {
    return 'not valid JSON';
  }
  if (!isRecord(value)) return 'not an object';
  const { state, questions } = value;
  const id = value['id'] ?? value['custom_id'];
  if (typeof state !== 'string' && (typeof state !== 'object' || state === null))
    return 'state must be a string, object or array';
  return { id: typeof id === 'string' ? id : null, state, hasQuestions: isRecord(questions) };
}

/** The rows of a table as JSON lines: the text of one column, or where `column` is null an object of all of them. */
export function toJsonLines({ columns, rows }: Table, column: number | null): readonly string[] {
  return rows.map((cells, at) => {
    const all = () => Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? '']));
    return `${JSON.stringify({ id: String(at + 1), state: column === null ? all() : (cells[column] ?? '') })}\n`;
  });
}
