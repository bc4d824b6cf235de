import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';
import { stateOf, type Table as TableOfRows } from './csv.ts';

interface Props {
  readonly table: TableOfRows;
  readonly chosen: readonly number[];
}

const rowsShown = 3;

/** The first rows as they will be asked about. */
export function RowsPreview({ table, chosen }: Props): ReactNode {
  if (chosen.length === 0 || table.rows.length === 0) return null;
  return (
    <ScrollingTable caption="The first rows as they will be asked about" headings={['Row', 'State']}>
      {table.rows.slice(0, rowsShown).map((row, at) => (
        <Table.Tr key={at}>
          <Table.Td>{at + 1}</Table.Td>
          <Table.Td>
            <Text size="sm" className="nestor-text" lineClamp={2}>
              {stateOf(table, row, chosen)}
            </Text>
          </Table.Td>
        </Table.Tr>
      ))}
    </ScrollingTable>
  );
}
