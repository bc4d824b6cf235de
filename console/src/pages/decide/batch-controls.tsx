import { Anchor, Button, Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatCount } from '../../parts/formats.ts';
import { formatDuration, formatRows, secondsLeft } from './batch.ts';
import { formatRate } from '../batches/about.ts';
import { rowByRowMax } from './server-batch.ts';
import type { Batch } from './use-batch.ts';

interface BatchButtonsProps {
  readonly batch: Batch;
  readonly rows: readonly number[];
  readonly unasked: readonly number[];
  /** Whether what is there belongs to the questions as they are now: only then can it be gone on with. */
  readonly canGoOn: boolean;
  readonly onBegin: (rows: readonly number[]) => void;
  readonly onStop: () => void;
}

export function BatchButtons({
  batch,
  rows,
  unasked,
  canGoOn,
  onBegin,
  onStop,
}: BatchButtonsProps): ReactNode {
  if (batch.isRunning)
    return (
      <Group>
        <Button onClick={onStop}>Stop</Button>
      </Group>
    );
  const failed = rows.filter((row) => batch.outcomes[row]?.error !== undefined);
  return (
    <Group>
      {canGoOn && batch.answered > 0 && unasked.length > 0 && (
        <Button
          onClick={() => {
            onBegin(unasked);
          }}
        >
          Go on with {formatRows(unasked.length)}
        </Button>
      )}
      {canGoOn && failed.length > 0 && (
        <Button
          variant="default"
          onClick={() => {
            onBegin(failed);
          }}
        >
          Ask {formatRows(failed.length)} with errors again
        </Button>
      )}
      <Button
        variant={batch.answered > 0 ? 'default' : 'filled'}
        onClick={() => {
          onBegin(rows);
        }}
      >
        Ask {rows.length > 1 && 'all '}
        {formatRows(rows.length)}
      </Button>
    </Group>
  );
}

interface BatchProgressProps {
  readonly batch: Batch;
  readonly rowCount: number;
  readonly unasked: number;
}

export function BatchProgress({ batch, rowCount, unasked }: BatchProgressProps): ReactNode {
  const { isRunning, answered, errors, run, waitMs } = batch;
  if (!isRunning && answered === 0) return null;
  const seconds = isRunning ? secondsLeft(run.rows, unasked, run.tookMs) : null;
  const parts = [
    `${formatCount(answered)} of ${formatRows(rowCount)}`,
    ...(errors > 0 ? [`${formatCount(errors)} with errors`] : []),
    ...(waitMs > 0 ? [`the server asks for a pause of ${formatDuration(Math.ceil(waitMs / 1_000))}`] : []),
    ...(seconds === null
      ? []
      : [formatRate((run.rows * 1_000) / run.tookMs), `about ${formatDuration(seconds)} left`]),
  ];
  return (
    <Stack gap={4} flex="1 1 16rem">
      <Progress value={(answered / Math.max(1, rowCount)) * 100} aria-label="Rows asked" />
      <Text size="sm">{parts.join(' · ')}</Text>
      <Text size="sm" role="status">
        {statusOf(isRunning, unasked)}
      </Text>
    </Stack>
  );
}

function statusOf(isRunning: boolean, unasked: number): string {
  if (isRunning) return 'Asking…';
  return unasked === 0 ? 'All rows are asked.' : 'Stopped.';
}

/** What becomes of a table that is too large to be asked row by row. */
export function AboutServerBatch({
  batch,
  rowCount,
}: Pick<BatchProgressProps, 'batch' | 'rowCount'>): ReactNode {
  if (batch.serverBatch !== null)
    return (
      <Text size="sm">
        These rows are{' '}
        <Anchor component={Link} href={`/batches/${batch.serverBatch}`} underline="always" inherit>
          a batch of the server
        </Anchor>
        , which goes on when you leave this page.
      </Text>
    );
  if (rowCount <= rowByRowMax) return null;
  return (
    <Text size="sm" c="dimmed">
      More than {formatCount(rowByRowMax)} rows go to the server as one batch: no rate limit slows it down,
      and it goes on when you leave this page.
    </Text>
  );
}
