import { Stack, Table, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { numbers, ScrollingTable } from '../../parts/scrolling-table.tsx';
import { formatPercent } from './about.ts';
import { CoverageCharts } from './coverage-charts.tsx';
import { kinds } from './draft.ts';
import type { Guarantee } from './wire.ts';

interface Props {
  /** Of the decider. */
  readonly name: string;
  readonly guarantees: readonly Guarantee[];
}

/** What was promised, and from which confidence on; nothing where nothing was. */
export function GuaranteeTable({ name, guarantees }: Props): ReactNode {
  if (guarantees.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Guarantees
      </Title>
      <ScrollingTable
        caption="Guarantees"
        headings={[
          ...numbers('At most wrong', 'Sure of that'),
          ...kinds.map((kind) => ({ ofNumbers: `${kind} answered from` })),
          ...numbers('Questions of their own'),
        ]}
      >
        {guarantees.map(({ max_error: bound, confidence, thresholds }, at) => (
          <Table.Tr key={at}>
            <Table.Td ta="right">{formatPercent(bound)}</Table.Td>
            <Table.Td ta="right">{formatPercent(confidence)}</Table.Td>
            {kinds.map((kind) => (
              <Table.Td key={kind} ta="right">
                {thresholds.by_kind[kind] ?? 'never'}
              </Table.Td>
            ))}
            <Table.Td ta="right">{Object.keys(thresholds.by_question).length}</Table.Td>
          </Table.Tr>
        ))}
      </ScrollingTable>
      <CoverageCharts name={name} guarantees={guarantees} />
    </Stack>
  );
}
