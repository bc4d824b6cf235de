import { Alert, NativeSelect, Stack, Table, Text } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { formatCompact, formatCount } from '../../parts/formats.ts';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';
import { formatRows } from '../decide/batch.ts';
import type { ChosenFile } from './chosen-file.ts';
import type { RowsPreview } from './read-rows.ts';

interface Props {
  readonly chosen: ChosenFile;
  readonly column: number | null;
  readonly onColumn: (column: number | null) => void;
}

const problemsShown = 5;

/** The first rows as they will be sent, and what is wrong with them. */
export function FilePreview({ chosen, column, onColumn }: Props): ReactNode {
  const preview = useMemo(() => chosen.preview(column), [chosen, column]);
  const { name, bytes, rowCount, columns } = chosen;
  return (
    <Stack gap="xs">
      <Text role="status" className="nestor-text">
        {name}, {formatCompact(bytes)}B{rowCount !== null && `, ${formatRows(rowCount)}`}
      </Text>
      {columns !== null && (
        <NativeSelect
          label="Column of the state"
          maw="24rem"
          data={[
            ...columns.map((label, at) => ({ value: String(at), label })),
            { value: 'all', label: 'All columns, with their names' },
          ]}
          value={column === null ? 'all' : String(column)}
          onChange={(event) => {
            const { value } = event.currentTarget;
            onColumn(value === 'all' ? null : Number(value));
          }}
        />
      )}
      <Problems problems={preview.problems} />
      <ScrollingTable caption="The first rows" headings={['Line', 'Id', 'State']}>
        {preview.rows.map(({ line, id, state }) => (
          <Table.Tr key={line}>
            <Table.Td>{formatCount(line)}</Table.Td>
            <Table.Td className="nestor-text">{id ?? ''}</Table.Td>
            <Table.Td miw="16rem">
              <Text size="sm" lineClamp={2} className="nestor-text">
                {typeof state === 'string' ? state : JSON.stringify(state)}
              </Text>
            </Table.Td>
          </Table.Tr>
        ))}
      </ScrollingTable>
    </Stack>
  );
}

function Problems({ problems }: Pick<RowsPreview, 'problems'>): ReactNode {
  if (problems.length === 0) return null;
  return (
    <Alert color="yellow" variant="outline" title="The server will refuse this file">
      {problems.slice(0, problemsShown).map(({ line, problem }) => (
        <Text key={line} size="sm">
          Line {formatCount(line)}: {problem}.
        </Text>
      ))}
      {problems.length > problemsShown && (
        <Text size="sm">and {formatCount(problems.length - problemsShown)} more at its beginning</Text>
      )}
    </Alert>
  );
}
