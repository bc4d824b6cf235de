import { decodeFile, fileBytesMax, likelyColumn, parseTable } from '../decide/csv.ts';
import { previewBytes, previewRows, toJsonLines, type RowsPreview } from './read-rows.ts';

/** A file that somebody chose: JSON lines as they are, or a table that becomes some. */
export interface ChosenFile {
  readonly name: string;
  readonly bytes: number;
  /** Of a table; null for JSON lines. */
  readonly columns: readonly string[] | null;
  readonly rowCount: number | null;
  readonly likelyColumn: number | null;
  /** `column` null takes all of them. */
  readonly preview: (column: number | null) => RowsPreview;
  readonly rows: (column: number | null) => Blob;
}

/** Reads as much of a file as is shown: of JSON lines the beginning, of a table all. */
export async function openFile(
  file: File,
): Promise<{ readonly chosen: ChosenFile } | { readonly message: string }> {
  const { name, size: bytes } = file;
  const head = await file.slice(0, previewBytes).text();
  if (head.trim() === '') return { message: 'This file is empty.' };
  if (head.trimStart().startsWith('{')) {
    const preview = previewRows(head, bytes <= previewBytes);
    const lines = { columns: null, rowCount: null, likelyColumn: null };
    return { chosen: { name, bytes, ...lines, preview: () => preview, rows: () => file } };
  }
  if (bytes > fileBytesMax)
    return { message: `A table may have ${fileBytesMax / 1e6} MB; send a larger one as JSON lines.` };
  const table = parseTable(decodeFile(new Uint8Array(await file.arrayBuffer())), true);
  const first = { ...table, rows: table.rows.slice(0, previewTableRows) };
  return {
    chosen: {
      name,
      bytes,
      columns: table.columns,
      rowCount: table.rows.length,
      likelyColumn: likelyColumn(table),
      preview: (column) => previewRows(toJsonLines(first, column).join(''), true),
      rows: (column) => new Blob([...toJsonLines(table, column)]),
    },
  };
}

const previewTableRows = 20;
