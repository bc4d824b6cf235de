import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatUsd } from '../../parts/formats.ts';
import { numbers, ScrollingTable } from '../../parts/scrolling-table.tsx';

interface Model {
  readonly id: string;
  readonly owned_by: string;
  /** Unit: USD per million tokens. */
  readonly pricing: { readonly input: number; readonly output: number };
  /** Whether a model answers it now. */
  readonly available: boolean;
}

export interface ModelList {
  readonly data: readonly Model[];
}

interface Props {
  readonly models: readonly Model[];
  /** Whether somebody has set a price. */
  readonly withPrices: boolean;
  /** Models that the router serves as well. */
  readonly routed: ReadonlySet<string>;
}

export function ModelTable({ models, withPrices, routed }: Props): ReactNode {
  if (models.length === 0) return <Text c="dimmed">No models yet.</Text>;
  return (
    <ScrollingTable
      caption="Models"
      headings={[
        'Model',
        'Owner',
        'Served by',
        'State',
        ...(withPrices ? numbers('In, per million tokens', 'Out, per million tokens') : []),
      ]}
    >
      {models.map(({ id, owned_by: owner, pricing, available }) => (
        <Table.Tr key={id}>
          <Table.Td>{id}</Table.Td>
          <Table.Td>{owner}</Table.Td>
          <Table.Td>{routed.has(id) ? 'agent and router' : 'agent'}</Table.Td>
          <Table.Td>{available ? 'answers' : 'unavailable: no model behind it'}</Table.Td>
          {withPrices && (
            <>
              <Table.Td ta="right">{formatUsd(pricing.input)}</Table.Td>
              <Table.Td ta="right">{formatUsd(pricing.output)}</Table.Td>
            </>
          )}
        </Table.Tr>
      ))}
    </ScrollingTable>
  );
}
