export type Row = readonly (string | number)[];

/** Prints rows in columns as wide as they need; numbers keep three significant digits. */
export function printTable(title: string, head: readonly string[], rows: readonly Row[]): void {
  const cells = [head, ...rows.map((row) => row.map(format))];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  console.log(`\n${title}\n`);
  console.log(line(head));
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const row of cells.slice(1)) console.log(line(row));
}

function format(cell: string | number): string {
  if (typeof cell === 'string') return cell;
  if (!Number.isFinite(cell)) return '-';
  return Math.abs(cell) >= 100 ? String(Math.round(cell)) : cell.toPrecision(3);
}
