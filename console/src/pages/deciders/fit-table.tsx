import { Badge, Button, Stack, Table, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { formatCount } from '../../parts/formats.ts';
import { numbers, ScrollingTable } from '../../parts/scrolling-table.tsx';
import { fitStates } from './about.ts';
import { FitReport } from './fit-report.tsx';
import type { Fit } from './wire.ts';

/** What was learned so far, newest first; each with its report. */
export function FitTable({ fits }: { readonly fits: readonly Fit[] }): ReactNode {
  const ended = fits.filter(({ state }) => state !== 'running');
  const [chosen, setChosen] = useState<string | null>(null);
  const open = ended.find(({ id }) => id === chosen) ?? ended[0];
  if (open === undefined) return <Text c="dimmed">Nothing was learned yet.</Text>;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        Versions
      </Title>
      <ScrollingTable
        caption="What was learned"
        headings={['Learned', 'Outcome', ...numbers('Examples'), 'Report']}
      >
        {ended.map((fit) => (
          <Table.Tr key={fit.id} aria-current={fit.id === open.id ? 'true' : undefined}>
            <Table.Td>{new Date(fit.created_at).toLocaleString('en')}</Table.Td>
            <Table.Td>
              {fitStates[fit.state]}{' '}
              {fit.in_use && (
                <Badge variant="outline" color="teal" size="sm" c="var(--mantine-color-text)">
                  in use
                </Badge>
              )}
            </Table.Td>
            <Table.Td ta="right">{formatCount(fit.report?.examples ?? 0)}</Table.Td>
            <Table.Td>
              <Button
                size="compact-sm"
                variant="default"
                aria-pressed={fit.id === open.id}
                aria-label={`Report of ${new Date(fit.created_at).toLocaleString('en')}`}
                onClick={() => {
                  setChosen(fit.id);
                }}
              >
                Report
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </ScrollingTable>
      {open.error !== null && <Failure of={new Error(open.error)} />}
      {open.report !== null && <FitReport report={open.report} />}
    </Stack>
  );
}
