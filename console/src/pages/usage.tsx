import '@mantine/charts/styles.css';
import { Anchor, Code, Group, Select, SimpleGrid, Stack, Switch, Text, Title } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useList } from '../api/use-call.ts';
import { usePrices } from '../api/use-prices.ts';
import { Failure } from '../parts/failure.tsx';
import { formatCount, formatUsd } from '../parts/formats.ts';
import { Page } from '../parts/page.tsx';
import { useSession } from '../session.tsx';
import { DayCharts } from './usage/day-charts.tsx';
import { Figure } from './usage/figure.tsx';
import { LatencyCharts } from './usage/latency-charts.tsx';
import { rangeOf, ranges, sumOf, type RangeName, type Total } from './usage/totals.ts';
import { TotalsTable } from './usage/totals-table.tsx';

/** Usage and cost by day, model and key; of all accounts with the admin key. */
export function UsagePage(): ReactNode {
  const { api, adminApi } = useSession();
  const withCosts = usePrices(api);
  const [range, setRange] = useState<RangeName>('30 days');
  const [isAll, setAll] = useState(false);
  // Once per choice: a range that moved with the clock would ask again for ever.
  const { from, days } = useMemo(() => rangeOf(range, Date.now()), [range]);
  const source = isAll && adminApi !== null ? adminApi : api;
  const path = isAll && adminApi !== null ? '/admin/v1/usage/totals' : '/v1/account/usage/totals';
  const ask = (by: string) => ({ path, query: { by, from, durations: true } });
  const daily = useList<Total>(source, ask('day,model'));
  const models = useList<Total>(source, ask('model,operation'));
  const keys = useList<Total>(source, ask(isAll ? 'account,key' : 'key'));
  const sum = sumOf(daily.body?.data ?? []);
  return (
    <Page
      title="Usage"
      about="Every billed request is in the ledger before its answer leaves. Days are those of UTC."
    >
      <Group align="flex-end">
        <Select
          label="Time"
          data={Object.keys(ranges)}
          value={range}
          allowDeselect={false}
          onChange={(value) => {
            if (value !== null) setRange(value as RangeName);
          }}
        />
        {adminApi !== null && (
          <Switch
            label="All accounts"
            pb={6}
            checked={isAll}
            onChange={(event) => {
              setAll(event.currentTarget.checked);
            }}
          />
        )}
      </Group>
      <Failure of={daily.failure ?? models.failure ?? keys.failure} />
      <SimpleGrid cols={{ base: 2, xs: withCosts ? 2 : 3, md: withCosts ? 4 : 3 }}>
        <Figure label="Requests" value={formatCount(sum.requests)} />
        {withCosts && <Figure label="Cost" value={formatUsd(sum.cost_usd)} />}
        <Figure label="Tokens in" value={formatCount(sum.input_tokens)} />
        <Figure label="Tokens out" value={formatCount(sum.output_tokens)} />
      </SimpleGrid>
      <DayCharts totals={daily.body?.data ?? []} days={days} withCosts={withCosts} />
      {!withCosts && <NoCosts />}
      <LatencyCharts totals={daily.body?.data ?? []} days={days} />
      <Totals
        withCosts={withCosts}
        title="By model and operation"
        of={models.body?.data}
        columns={['model', 'operation']}
        withDurations
      />
      <Totals
        withCosts={withCosts}
        title={isAll ? 'By account and key' : 'By key'}
        of={keys.body?.data}
        columns={isAll ? ['account_id', 'key_id'] : ['key_id']}
      />
    </Page>
  );
}

/** Nobody is billed for what a server of one's own answers; until somebody sets a price, sums of money would be made up. */
function NoCosts(): ReactNode {
  return (
    <Text size="sm" c="dimmed" maw="46rem">
      Costs are shown once prices matter: when the operator has set <Code>prices</Code>, or a model of a
      provider has one.{' '}
      <Anchor component={Link} href="/docs/guide/accounts" inherit underline="always">
        How costs are recorded
      </Anchor>
    </Text>
  );
}

interface TotalsProps {
  readonly withCosts: boolean;
  readonly withDurations?: boolean;
  readonly title: string;
  readonly of: readonly Total[] | undefined;
  readonly columns: readonly ('model' | 'operation' | 'key_id' | 'account_id')[];
}

function Totals({ title, of: totals = [], ...table }: TotalsProps): ReactNode {
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {title}
      </Title>
      <TotalsTable caption={title} totals={totals} {...table} />
    </Stack>
  );
}
