import { Anchor, Button, Group, Progress, Skeleton, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useCall } from '../../api/use-call.ts';
import { useRefresh } from '../../api/use-refresh.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { formatCount, formatTime } from '../../parts/formats.ts';
import { Page } from '../../parts/page.tsx';
import { saveAs } from '../../parts/save-as.ts';
import { useSession } from '../../session.tsx';
import { aboutProgress, aboutWaiting } from './about.ts';
import { FirstResults } from './first-results.tsx';
import { BatchBadge } from './status-badge.tsx';
import { isOpen, lookAgainMs, pathOf, type Batch } from './wire.ts';

/** One batch: how far it is, and its results. */
export function BatchPage({ id }: { readonly id: string }): ReactNode {
  const { api } = useSession();
  const loaded = useCall<Batch>(api, { path: pathOf(id) });
  const { body: batch, failure, reload } = loaded;
  useRefresh(batch !== null && isOpen(batch), loaded, lookAgainMs);
  return (
    <Page title={batch?.name ?? 'Batch'} about="A batch of decisions. You may leave this page; it goes on.">
      <Anchor component={Link} href="/batches" underline="always">
        All batches
      </Anchor>
      <Failure of={failure} />
      {batch === null && failure === null && <Skeleton h={200} aria-label="Loading the batch" />}
      {batch !== null && (
        <Stack gap="md">
          <BatchProgress batch={batch} />
          <BatchButtons batch={batch} onChange={reload} />
          <FirstResults batch={batch} />
        </Stack>
      )}
    </Page>
  );
}

function BatchProgress({ batch }: { readonly batch: Batch }): ReactNode {
  const { id, status, model, progress, usage, created_at: created, expires_at: expires } = batch;
  const waiting = aboutWaiting(batch);
  const { input_tokens: input, output_tokens: output } = usage;
  return (
    <Stack gap="xs">
      <Group gap="xs" role="status">
        <BatchBadge status={status} />
        {waiting !== null && <Text size="sm">{waiting}</Text>}
      </Group>
      <Progress value={progress * 100} aria-label="Rows with a result" />
      <Text>{aboutProgress(batch)}</Text>
      <Text size="sm" c="dimmed" className="nestor-text">
        {id} · {model} · {formatCount(input)} tokens in, {formatCount(output)} out · sent{' '}
        {formatTime(created)} · deleted {formatTime(expires)}
      </Text>
    </Stack>
  );
}

interface ButtonsProps {
  readonly batch: Batch;
  readonly onChange: () => void;
}

function BatchButtons({ batch, onChange }: ButtonsProps): ReactNode {
  const { api } = useSession();
  const [, go] = useLocation();
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const { id, name, rows } = batch;
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setFailure(null);
    await work().catch(setFailure);
  };
  const download = async (): Promise<void> => {
    setBusy(true);
    await attempt(async () => {
      const results = await api.download({ path: `${pathOf(id)}/results` });
      saveAs(results, `${(name ?? id).replace(/\.\w+$/, '')}-results.jsonl`);
    });
    setBusy(false);
  };
  const cancel = () =>
    attempt(async () => {
      await api.call({ method: 'POST', path: `${pathOf(id)}/cancel` });
      onChange();
    });
  const remove = () =>
    attempt(async () => {
      await api.call({ method: 'DELETE', path: pathOf(id) });
      go('/batches');
    });
  return (
    <>
      <Group>
        <Button loading={isBusy} disabled={rows.answered + rows.failed === 0} onClick={() => void download()}>
          Download the results
        </Button>
        {isOpen(batch) && <ConfirmButton verb="Cancel" label="the batch" onConfirm={cancel} />}
        <ConfirmButton verb="Delete" label="the batch with its results" onConfirm={remove} />
      </Group>
      <Failure of={failure} />
    </>
  );
}
