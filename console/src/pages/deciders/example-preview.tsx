import { Alert, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from '../../parts/formats.ts';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';
import { textOf } from './example-table.tsx';
import type { ReadRow } from './read-examples.ts';

const rowsShown = 5;
const problemsShown = 10;
const answersShown = 8;

/** The first examples as they were read, how many there are of each answer, and every row that is none. */
export function ExamplePreview({ rows }: { readonly rows: readonly ReadRow[] }): ReactNode {
  const good = rows.flatMap(({ row, example }) => (example === undefined ? [] : [{ row, example }]));
  const bad = rows.flatMap(({ row, problem }) => (problem === undefined ? [] : [{ row, problem }]));
  const counts = Map.groupBy(good, ({ example }) => String(example.answer));
  const most = [...counts]
    .map(([answer, { length }]) => ({ answer, length }))
    .sort((one, other) => other.length - one.length);
  return (
    <Stack gap="xs">
      <Text size="sm" role="status" className="nestor-text">
        {formatCount(good.length)} {good.length === 1 ? 'example' : 'examples'}
        {bad.length > 0 && `, ${formatCount(bad.length)} rows that are none`}
        {most.length > 0 &&
          `: ${most
            .slice(0, answersShown)
            .map(({ answer, length }) => `${answer} ${formatCount(length)}`)
            .join(', ')}`}
        {most.length > answersShown && ` and ${most.length - answersShown} answers more`}
      </Text>
      {bad.length > 0 && (
        <Alert color="yellow" variant="outline" title="These rows are left out">
          {bad.slice(0, problemsShown).map(({ row, problem }) => (
            <Text key={row} size="sm" className="nestor-text">
              Row {formatCount(row)}: {problem}.
            </Text>
          ))}
          {bad.length > problemsShown && (
            <Text size="sm">and {formatCount(bad.length - problemsShown)} more</Text>
          )}
        </Alert>
      )}
      {good.length > 0 && (
        <ScrollingTable caption="The first examples as they were read" headings={['Row', 'State', 'Answer']}>
          {good.slice(0, rowsShown).map(({ row, example }) => (
            <Table.Tr key={row}>
              <Table.Td>{formatCount(row)}</Table.Td>
              <Table.Td>
                <Text size="sm" className="nestor-text" lineClamp={2}>
                  {textOf(example.state)}
                </Text>
              </Table.Td>
              <Table.Td className="nestor-text">{String(example.answer)}</Table.Td>
            </Table.Tr>
          ))}
        </ScrollingTable>
      )}
    </Stack>
  );
}
