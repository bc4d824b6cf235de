import { BarChart } from '@mantine/charts';
import { SimpleGrid, Stack, Title, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCompact, formatUsd } from '../../parts/formats.ts';
import { TotalsTable } from './totals-table.tsx';
import type { DaySum } from './totals.ts';

// Recharts would make a drawing that nobody can read a stop of the keyboard; the table below says the same.
const common = {
  h: 220,
  dataKey: 'day',
  withLegend: false,
  barProps: { isAnimationActive: false },
  barChartProps: { accessibilityLayer: false },
} as const;

/** Requests and cost by day as charts, and as a table for screen readers. */
export function DayCharts({ days }: { readonly days: readonly DaySum[] }): ReactNode {
  const data = days.map((day) => ({ ...day }));
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Stack gap="xs">
          <Title order={2} size="h4">
            Requests by day
          </Title>
          <BarChart
            {...common}
            aria-hidden
            data={data}
            valueFormatter={formatCompact}
            yAxisProps={{ allowDecimals: false }}
            series={[{ name: 'requests', label: 'Requests', color: 'blue.6' }]}
          />
        </Stack>
        <Stack gap="xs">
          <Title order={2} size="h4">
            Cost by day
          </Title>
          <BarChart
            {...common}
            aria-hidden
            data={data}
            valueFormatter={formatUsd}
            // A decision costs a millionth of a dollar, and its label has to fit.
            yAxisProps={{ width: 96 }}
            series={[{ name: 'cost_usd', label: 'Cost', color: 'teal.6' }]}
          />
        </Stack>
      </SimpleGrid>
      <VisuallyHidden>
        <TotalsTable caption="Requests and cost by day" totals={days} columns={['day']} />
      </VisuallyHidden>
    </>
  );
}
