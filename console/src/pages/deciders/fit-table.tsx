import { Button, Stack, Table, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { OutlinedBadge } from '../../parts/outlined-badge.tsx';
import { Failure } from '../../parts/failure.tsx';
import { formatCount, formatTime } from '../../parts/formats.ts';
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
            <Table.Td>{formatTime(fit.created_at)}</Table.Td>
            <Table.Td>
              {fitStates[fit.state]}{' '}
              {fit.in_use && (
                <OutlinedBadge color="teal" size="sm">
                  in use
                </OutlinedBadge>
              )}
            </Table.Td>
            <Table.Td ta="right">{formatCount(fit.report?.examples ?? 0)}</Table.Td>
            <Table.Td>
              <Button
                size="compact-sm"
                variant="default"
                aria-pressed={fit.id === open.id}
                aria-label={`Report of ${formatTime(fit.created_at)}`}
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
