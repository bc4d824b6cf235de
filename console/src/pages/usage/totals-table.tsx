import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount, formatUsd } from '../../parts/formats.ts';
import { numbers, ScrollingTable } from '../../parts/scrolling-table.tsx';
import { formatDuration } from './latency.ts';
import type { Total } from './totals.ts';

type Column = 'account_id' | 'key_id' | 'model' | 'operation' | 'day';

const headings: Readonly<Record<Column, string>> = {
  account_id: 'Account',
  key_id: 'Key',
  model: 'Model',
  operation: 'Operation',
  day: 'Day',
};

interface Props {
  readonly caption: string;
  readonly totals: readonly Total[];
  readonly columns: readonly Column[];
  readonly withCosts: boolean;
  readonly withDurations?: boolean;
  /** For screen readers alone. */
  readonly isHidden?: boolean;
}

export function TotalsTable({
  caption,
  totals,
  columns,
  withCosts,
  withDurations = false,
  isHidden = false,
}: Props): ReactNode {
  if (totals.length === 0) return <Text c="dimmed">Nothing was asked in this time.</Text>;
  const ordered = totals.toSorted((a, b) => b.cost_usd - a.cost_usd || b.requests - a.requests);
  return (
    <ScrollingTable
      caption={caption}
      isHidden={isHidden}
      headings={[
        ...columns.map((column) => headings[column]),
        ...numbers('Requests', 'Tokens in', 'Tokens out', ...(withCosts ? ['Cost'] : [])),
        ...numbers(...(withDurations ? ['p50', 'p95'] : [])),
      ]}
    >
      {ordered.map((total) => (
        <Table.Tr key={columns.map((column) => total[column]).join('\0')}>
          {columns.map((column) => (
            <Table.Td key={column}>{total[column] ?? '–'}</Table.Td>
          ))}
          <Table.Td ta="right">{formatCount(total.requests)}</Table.Td>
          <Table.Td ta="right">{formatCount(total.input_tokens)}</Table.Td>
          <Table.Td ta="right">{formatCount(total.output_tokens)}</Table.Td>
          {withCosts && <Table.Td ta="right">{formatUsd(total.cost_usd)}</Table.Td>}
          {withDurations &&
            [total.p50_ms, total.p95_ms].map((ms, at) => (
              <Table.Td key={at} ta="right">
                {ms === null || ms === undefined ? '–' : formatDuration(ms)}
              </Table.Td>
            ))}
        </Table.Tr>
      ))}
    </ScrollingTable>
  );
}
