import { Button, Code, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { useCall } from '../../api/use-call.ts';
import { usePrices } from '../../api/use-prices.ts';
import { useRefresh } from '../../api/use-refresh.ts';
import { CitedAnswer, toSources } from '../../parts/answers/cited-answer.tsx';
import { formatUsage } from '../../parts/answers/chat-wire.ts';
import { Steps } from '../../parts/answers/steps.tsx';
import { splitThinking } from '../../parts/answers/thinking.ts';
import { Failure } from '../../parts/failure.tsx';
import { formatTime } from '../../parts/formats.ts';
import { useSession } from '../../session.tsx';
import { StatusBadge } from './job-list.tsx';
import { questionOf } from './questions.ts';
import { durationOf, isUnderWay, lookAgainMs, type Job } from './wire.ts';

/** One job with its result; polled until it has ended. */
export function JobView({ id, onClose }: { readonly id: string; readonly onClose: () => void }): ReactNode {
  const { api } = useSession();
  const loaded = useCall<Job>(api, { path: `/async/chat/completions/${encodeURIComponent(id)}` });
  const { body: job, failure } = loaded;
  const response = job?.response ?? null;
  useRefresh(job !== null && isUnderWay(job), loaded, lookAgainMs);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
  }, []);
  return (
    <Paper component="section" withBorder p="md" aria-label="The open job">
      <Stack gap="sm">
        <Group justify="space-between">
          <Title ref={heading} tabIndex={-1} order={2} size="h4">
            Job <Code fz="inherit">{id.slice(0, 8)}</Code>
          </Title>
          <Button variant="default" size="compact-md" onClick={onClose}>
            Close
          </Button>
        </Group>
        <Failure of={failure} />
        {job === null && failure === null && <Loader aria-label="Loading the job" />}
        <Question id={id} />
        {job !== null && <JobFacts job={job} />}
        {response !== null && <JobAnswer response={response} />}
      </Stack>
    </Paper>
  );
}

function Question({ id }: { readonly id: string }): ReactNode {
  const question = questionOf(localStorage, id);
  return question === null ? null : <Text className="nestor-text">{question}</Text>;
}

function JobFacts({ job }: { readonly job: Job }): ReactNode {
  const { id, model, status, created_at: created, error_message: error } = job;
  const duration = durationOf(job);
  return (
    <>
      <Group gap="xs" role="status">
        <StatusBadge status={status} />
        {isUnderWay(job) && (
          <Text size="sm">
            {status === 'CREATED' ? 'It waits for a worker' : 'It is being worked on'}; you may leave this
            page.
          </Text>
        )}
      </Group>
      <Text size="xs" c="dimmed" className="nestor-text">
        <Code fz="xs">{id}</Code> · {model} · created {formatTime(created)}
        {duration === '' ? '' : ` · ran for ${duration}`}
      </Text>
      {error !== null && <Failure of={new Error(error)} />}
    </>
  );
}

function JobAnswer({ response }: { readonly response: NonNullable<Job['response']> }): ReactNode {
  const { api } = useSession();
  const withCosts = usePrices(api);
  const message = response.choices[0]?.message;
  const { thinking, answer } = splitThinking(message?.content ?? '');
  return (
    <CitedAnswer
      text={answer}
      sources={toSources(response.search_results ?? [])}
      before={<Steps steps={message?.reasoning_steps ?? []} thinking={thinking} />}
      after={
        response.usage === undefined ? null : (
          <Text size="xs" c="dimmed">
            {formatUsage(response.usage, withCosts)}
          </Text>
        )
      }
    />
  );
}
