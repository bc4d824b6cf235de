import { LineChart } from '@mantine/charts';
import { SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { numbers, ScrollingTable } from '../../parts/scrolling-table.tsx';
import { chartColors, commonChart } from './chart-style.ts';
import { formatDuration, formatStep, latencyByModel, scaleOf, type Latency } from './latency.ts';
import type { Total } from './totals.ts';

interface Props {
  /** By day and model, with durations. */
  readonly totals: readonly Total[];
  readonly days: readonly string[];
}

/** How long requests took by day and model, as two charts, and as a table for screen readers. */
export function LatencyCharts({ totals, days }: Props): ReactNode {
  const latency = latencyByModel(totals, days);
  if (latency.models.length === 0) return null;
  return (
    <>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Chart title="Time to answer: median (p50)" of={latency} share="p50" />
        <Chart title="Time to answer: 95 % (p95)" of={latency} share="p95" />
      </SimpleGrid>
      <Text size="sm" c="dimmed" maw="46rem">
        From the arrival of a request to the end of its answer, streams and jobs included; estimated from
        counts in steps. Each line of the grid is ten times the one below.
      </Text>
      <LatencyTable of={latency} />
    </>
  );
}

interface ChartProps {
  readonly title: string;
  readonly of: Latency;
  readonly share: 'p50' | 'p95';
}

function Chart({ title, of: { models, days }, share }: ChartProps): ReactNode {
  const data = days.map((one) => ({
    day: one.day,
    ...Object.fromEntries(one[share].map((ms, place) => [`model${place}`, ms])),
  }));
  const ticks = scaleOf(days.flatMap((one) => one[share]));
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {title}
      </Title>
      <LineChart
        {...commonChart}
        aria-hidden
        data={data}
        valueFormatter={formatDuration}
        curveType="linear"
        connectNulls
        lineProps={{ isAnimationActive: false }}
        lineChartProps={{ accessibilityLayer: false }}
        // A decision takes milliseconds and a report minutes.
        yAxisProps={{
          scale: 'log',
          domain: [ticks[0] ?? 1, ticks.at(-1) ?? 10],
          ticks: [...ticks],
          tickFormatter: formatStep,
          width: 60,
        }}
        series={models.map((model, place) => ({
          name: `model${place}`,
          label: model,
          color: chartColors[place] ?? 'gray.6',
        }))}
      />
    </Stack>
  );
}

function LatencyTable({ of: { models, days } }: { readonly of: Latency }): ReactNode {
  const rows = days.flatMap(({ day, p50, p95 }) =>
    models.flatMap((model, place) => {
      const [half, most] = [p50[place] ?? null, p95[place] ?? null];
      return half === null || most === null ? [] : [{ day, model, half, most }];
    }),
  );
  return (
    <ScrollingTable
      isHidden
      caption="Time to answer by day and model"
      headings={['Day', 'Model', ...numbers('p50', 'p95')]}
    >
      {rows.map(({ day, model, half, most }) => (
        <Table.Tr key={`${day} ${model}`}>
          <Table.Td>{day}</Table.Td>
          <Table.Td>{model}</Table.Td>
          <Table.Td ta="right">{formatDuration(half)}</Table.Td>
          <Table.Td ta="right">{formatDuration(most)}</Table.Td>
        </Table.Tr>
      ))}
    </ScrollingTable>
  );
}
