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

interface Props {
  readonly days: readonly DaySum[];
  readonly withCosts: boolean;
}

/** Requests by day, and their cost or tokens, as charts, and as a table for screen readers. */
export function DayCharts({ days, withCosts }: Props): ReactNode {
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
            {withCosts ? 'Cost by day' : 'Tokens by day'}
          </Title>
          <BarChart
            {...common}
            aria-hidden
            data={data}
            valueFormatter={withCosts ? formatUsd : formatCompact}
            // A decision costs a millionth of a dollar, and its label has to fit.
            yAxisProps={{ width: 96 }}
            series={
              withCosts
                ? [{ name: 'cost_usd', label: 'Cost', color: 'teal.6' }]
                : [
                    { name: 'input_tokens', label: 'Tokens in', color: 'teal.6' },
                    { name: 'output_tokens', label: 'Tokens out', color: 'grape.6' },
                  ]
            }
          />
        </Stack>
      </SimpleGrid>
      <VisuallyHidden>
        <TotalsTable
          caption={withCosts ? 'Requests and cost by day' : 'Requests and tokens by day'}
          totals={days}
          columns={['day']}
          withCosts={withCosts}
        />
      </VisuallyHidden>
    </>
  );
}
