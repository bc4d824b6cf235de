import { BarChart } from '@mantine/charts';
import { SimpleGrid, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCompact, formatUsd } from '../../parts/formats.ts';
import { chartColors, commonChart } from './chart-style.ts';
import { TotalsTable } from './totals-table.tsx';
import { byDay, others, splitByModel, type Split, type Total } from './totals.ts';

const common = {
  ...commonChart,
  type: 'stacked',
  barProps: { isAnimationActive: false, maxBarSize: 48 },
  barChartProps: { accessibilityLayer: false },
} as const;

interface Props {
  /** By day and model. */
  readonly totals: readonly Total[];
  readonly days: readonly string[];
  readonly withCosts: boolean;
}

/** Requests by day and model, and what they cost or their tokens, as charts, and as a table for screen readers. */
export function DayCharts({ totals, days, withCosts }: Props): ReactNode {
  const requests = splitByModel(totals, days, (total) => total.requests);
  const spent = withCosts
    ? splitByModel(totals, days, (total) => total.cost_usd)
    : splitByModel(totals, days, (total) => total.input_tokens + total.output_tokens);
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Chart title="Requests by day and model" split={requests} format={formatCompact} />
        <Chart
          title={withCosts ? 'Cost by day and model' : 'Tokens by day and model'}
          split={spent}
          format={withCosts ? formatUsd : formatCompact}
        />
      </SimpleGrid>
      <TotalsTable
        isHidden
        caption={withCosts ? 'Requests and cost by day' : 'Requests and tokens by day'}
        totals={byDay(totals, days)}
        columns={['day']}
        withCosts={withCosts}
      />
    </>
  );
}

interface ChartProps {
  readonly title: string;
  readonly split: Split;
  readonly format: (value: number) => string;
}

function Chart({ title, split: { models, days }, format }: ChartProps): ReactNode {
  // Recharts takes a dot in a name for a path, so models are called by their place.
  const data = days.map(({ day, figures }) => ({
    day,
    ...Object.fromEntries(figures.map((figure, place) => [`model${place}`, figure])),
  }));
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {title}
      </Title>
      <BarChart
        {...common}
        aria-hidden
        data={data}
        valueFormatter={format}
        // A decision costs a millionth of a dollar, and its label has to fit.
        yAxisProps={{ allowDecimals: format === formatUsd, width: format === formatUsd ? 96 : 48 }}
        series={models.map((model, place) => ({
          name: `model${place}`,
          label: model,
          color: model === others ? 'gray.6' : (chartColors[place] ?? 'gray.6'),
        }))}
      />
    </Stack>
  );
}
