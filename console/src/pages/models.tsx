import { Stack, Table, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCall } from '../api/use-call.ts';
import { usePrices } from '../api/use-prices.ts';
import { ApiFailure } from '../api/failure.ts';
import { Failure } from '../parts/failure.tsx';
import { formatTime } from '../parts/formats.ts';
import { Page } from '../parts/page.tsx';
import { ScrollingTable } from '../parts/scrolling-table.tsx';
import { useSession } from '../session.tsx';
import { Engines } from './models/engines.tsx';
import { Health } from './models/health.tsx';
import { ModelFiles } from './models/model-files.tsx';
import { ModelTable, type ModelList } from './models/model-table.tsx';

interface ProcessList {
  readonly data: readonly { readonly id: string; readonly started_at: number; readonly seen_at: number }[];
}

/** Health, engines, and models with their prices. */
export function ModelsPage(): ReactNode {
  const { api, adminApi } = useSession();
  const models = useCall<ModelList>(api, { path: '/v1/models' });
  const withPrices = usePrices(api);
  const router = useCall<ModelList>(api, { path: '/router/v1/models' });
  const processes = useCall<ProcessList>(
    adminApi ?? api,
    adminApi === null ? null : { path: '/admin/v1/processes' },
  );
  return (
    <Page title="Models and health" about="What this server answers with, and whether it can.">
      <Health />
      <Engines />
      <Failure of={models.failure ?? withoutDenied(router.failure) ?? processes.failure} />
      <Stack gap="xs">
        <Title order={2} size="h4">
          Models
        </Title>
        <ModelTable
          models={models.body?.data ?? []}
          withPrices={withPrices}
          routed={new Set(router.body?.data.map(({ id }) => id))}
        />
      </Stack>
      {adminApi !== null && <ModelFiles api={adminApi} />}
      {processes.body !== null && (
        <Stack gap="xs">
          <Title order={2} size="h4">
            Server processes
          </Title>
          <ScrollingTable
            caption="Server processes on this store"
            headings={['Process', 'Started', 'Heard of']}
          >
            {processes.body.data.map(({ id, started_at: started, seen_at: seen }) => (
              <Table.Tr key={id}>
                <Table.Td>{id}</Table.Td>
                <Table.Td>{formatTime(started)}</Table.Td>
                <Table.Td>{formatTime(seen)}</Table.Td>
              </Table.Tr>
            ))}
          </ScrollingTable>
        </Stack>
      )}
    </Page>
  );
}

/** A key that may not use the router sees the models all the same. */
function withoutDenied(failure: unknown): unknown {
  return failure instanceof ApiFailure && failure.status === 403 ? null : failure;
}
