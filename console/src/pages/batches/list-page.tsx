import { Anchor, Group, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { formatTime } from '../../parts/formats.ts';
import { useCall } from '../../api/use-call.ts';
import { useRefresh } from '../../api/use-refresh.ts';
import { Failure } from '../../parts/failure.tsx';
import { Page } from '../../parts/page.tsx';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useSession } from '../../session.tsx';
import { aboutProgress } from './about.ts';
import { NewBatchForm } from './new-batch-form.tsx';
import { BatchBadge } from './status-badge.tsx';
import { batchesPath, isOpen, lookAgainMs, type Batch, type BatchList } from './wire.ts';

export function BatchListPage(): ReactNode {
  const [, go] = useLocation();
  return (
    <Page
      title="Batches"
      about="The same questions about every row of a file, up to a million. It runs on the server: close this page, and come back for the results."
    >
      <NewBatchForm
        onCreated={({ id }) => {
          go(`/batches/${id}`);
        }}
      />
      <AllBatches />
    </Page>
  );
}

/** Batches, newest first; looked at again while one of them is open. */
function AllBatches(): ReactNode {
  const { api } = useSession();
  const [tokens, setTokens] = useState<readonly string[]>([]);
  const query = { limit: 20, page_token: tokens.at(-1) };
  const loaded = useCall<BatchList>(api, { path: batchesPath, query });
  const { body, failure } = loaded;
  useRefresh((body?.data ?? []).some(isOpen), loaded, lookAgainMs);
  const next = body?.next_page_token ?? null;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        All batches
      </Title>
      <Failure of={failure} />
      {body === null && failure === null && <Skeleton h={120} aria-label="Loading the batches" />}
      {body?.data.length === 0 && (
        <Text c="dimmed">None yet. Choose a file above: a table, or JSON lines with a state each.</Text>
      )}
      {body !== null && body.data.length > 0 && <BatchRows batches={body.data} />}
      <Group>
        <Pager tokens={tokens} onTokens={setTokens} next={next} />
      </Group>
    </Stack>
  );
}

function BatchRows({ batches }: { readonly batches: readonly Batch[] }): ReactNode {
  return (
    <ScrollingTable caption="Batches" headings={['File', 'Status', 'How far', 'Model', 'Sent']}>
      {batches.map((batch) => (
        <Table.Tr key={batch.id}>
          <Table.Td>
            <Anchor component={Link} href={`/batches/${batch.id}`} underline="always" inherit>
              {batch.name ?? batch.id}
            </Anchor>
          </Table.Td>
          <Table.Td>
            <BatchBadge status={batch.status} />
          </Table.Td>
          <Table.Td>{aboutProgress(batch)}</Table.Td>
          <Table.Td>{batch.model}</Table.Td>
          <Table.Td>{formatTime(batch.created_at)}</Table.Td>
        </Table.Tr>
      ))}
    </ScrollingTable>
  );
}
