/** A table of text; the first row is the heading. */
export type Table = readonly (readonly string[])[];

/** Columns side by side, the first one left, the others right. */
export function toPlain(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => (row[column] ?? '').length)),
  );
  return table
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0, column))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function toMarkdownTable(table: Table): string {
  const [heading = [], ...rows] = table;
  const rule = heading.map((_, column) => (column === 0 ? '---' : '---:'));
  return [heading, rule, ...rows]
    .map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}

/** Stands where there is no figure. */
export const none = '–';

export function share(value: number | null | undefined): string {
  return value === null || value === undefined || !Number.isFinite(value) ? none : value.toFixed(3);
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
