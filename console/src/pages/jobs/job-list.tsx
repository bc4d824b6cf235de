import { Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { useCall } from '../../api/use-call.ts';
import { useRefresh } from '../../api/use-refresh.ts';
import { Failure } from '../../parts/failure.tsx';
import { formatTime } from '../../parts/formats.ts';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';
import { OutlinedBadge } from '../../parts/outlined-badge.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useSession } from '../../session.tsx';
import { questionOf } from './questions.ts';
import { durationOf, isUnderWay, lookAgainMs, statusNames, type JobPage, type JobSummary } from './wire.ts';

interface Props {
  /** Of the job that is open; '' when none is. */
  readonly openId: string;
  /** Incremented when a job was created, which the first page then shows. */
  readonly made: number;
  readonly onOpen: (id: string) => void;
}

/** Jobs, newest first; polled while one of them is running. */
export function JobList({ openId, made, onOpen }: Props): ReactNode {
  const { api } = useSession();
  // Tokens of the pages up to this one; the first has none.
  const [tokens, setTokens] = useState<readonly string[]>([]);
  const loaded = useCall<JobPage>(api, {
    path: '/async/chat/completions',
    query: { limit: 20, next_token: tokens.at(-1) },
  });
  const { body, failure, isLoading, reload } = loaded;
  useEffect(() => {
    if (made === 0) return;
    setTokens([]);
    reload();
  }, [made, reload]);
  const jobs = body?.requests ?? [];
  const waiting = jobs.filter(isUnderWay).length;
  useRefresh(waiting > 0, loaded, lookAgainMs);
  const next = body?.next_token ?? '';
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        All jobs
      </Title>
      <Failure of={failure} />
      <Text size="sm" c="dimmed" role="status">
        {stateOf(body, waiting)}
      </Text>
      {jobs.length > 0 && <JobTable jobs={jobs} openId={openId} onOpen={onOpen} />}
      <Group>
        <Button variant="default" size="compact-md" onClick={reload} loading={isLoading && body === null}>
          Refresh
        </Button>
        <Pager tokens={tokens} onTokens={setTokens} next={next} />
      </Group>
    </Stack>
  );
}

function stateOf(page: JobPage | null, waiting: number): string {
  if (page === null) return 'Loading …';
  if (page.requests.length === 0) return 'No jobs yet. Create one above; it is kept for some days.';
  return waiting === 0 ? 'None is under way.' : `${waiting} under way; this list is kept up to date.`;
}

const colors: Readonly<Record<JobSummary['status'], string>> = {
  CREATED: 'gray',
  IN_PROGRESS: 'blue',
  COMPLETED: 'green',
  FAILED: 'red',
};

interface TableProps extends Omit<Props, 'made'> {
  readonly jobs: readonly JobSummary[];
}

function JobTable({ jobs, openId, onOpen }: TableProps): ReactNode {
  return (
    <ScrollingTable caption="Jobs" headings={['Job', 'Question', 'Status', 'Model', 'Created', 'Ran for']}>
      {jobs.map((job) => (
        <Table.Tr key={job.id} aria-current={job.id === openId ? 'true' : undefined}>
          <Table.Td>
            <Button
              variant="default"
              size="compact-sm"
              onClick={() => {
                onOpen(job.id);
              }}
            >
              Open {job.id.slice(0, 8)}
            </Button>
          </Table.Td>
          <Table.Td miw="14rem">
            <Text size="sm" className="nestor-text" lineClamp={2}>
              {questionOf(localStorage, job.id) ?? '–'}
            </Text>
          </Table.Td>
          <Table.Td>
            <StatusBadge status={job.status} />
          </Table.Td>
          <Table.Td>{job.model}</Table.Td>
          <Table.Td>{formatTime(job.created_at)}</Table.Td>
          <Table.Td>{durationOf(job)}</Table.Td>
        </Table.Tr>
      ))}
    </ScrollingTable>
  );
}

export function StatusBadge({ status }: Pick<JobSummary, 'status'>): ReactNode {
  return <OutlinedBadge color={colors[status]}>{statusNames[status]}</OutlinedBadge>;
}
