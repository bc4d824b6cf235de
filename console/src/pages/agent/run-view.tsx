import { Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { usePrices } from '../../api/use-prices.ts';
import { Announcement, CitedAnswer } from '../../parts/answers/cited-answer.tsx';
import { Details } from '../../parts/answers/details.tsx';
import { requestExamples } from '../../parts/answers/request-examples.ts';
import { CodeExamples } from '../../parts/code-examples.tsx';
import { Failure } from '../../parts/failure.tsx';
import { formatCount, formatTime, formatUsd } from '../../parts/formats.ts';
import { useSession } from '../../session.tsx';
import { CallsForm } from './calls-form.tsx';
import { SharedFiles } from './files.tsx';
import type { FunctionOutput } from './request.ts';
import { readOutput, type Run } from './run.ts';
import { StepTimeline } from './timeline.tsx';
import type { RunEntry } from './use-runs.ts';

interface Props {
  readonly entry: RunEntry;
  readonly isBusy: boolean;
  /** Another run follows this one, so that its calls are answered already. */
  readonly isFollowed: boolean;
  readonly onStop: () => void;
  readonly onDelete: () => void;
  readonly onAnswer: (outputs: readonly FunctionOutput[]) => void;
}

/** One response: its steps, its answer with sources, and what it asks for. */
export function RunView({ entry, isBusy, isFollowed, onStop, onDelete, onAnswer }: Props): ReactNode {
  const { run, key, isOver, failure } = entry;
  const { response } = run;
  const error = response?.error ?? null;
  const { steps, answer, sources, calls } = readOutput(run);
  const files = steps.filter((step) => step.type === 'share_file');
  const title =
    run.input ?? (response === null ? 'Response' : `Response of ${formatTime(response.created_at)}`);
  return (
    <Paper component="section" withBorder p="md" aria-label={`Run ${key}`}>
      <Stack gap="md">
        <Title order={2} size="h4" className="nestor-text">
          {title}
        </Title>
        <StepTimeline steps={steps} progress={run.progress} />
        <CitedAnswer
          text={answer}
          sources={sources}
          after={
            <>
              <Announcement>{stateOf(entry)}</Announcement>
              {error !== null && <Failure of={new Error(error.message)} />}
              <Failure of={failure} />
              {calls.length > 0 && !isFollowed && (
                <CallsForm calls={calls} isBusy={isBusy} onAnswer={onAnswer} />
              )}
              {response !== null && <SharedFiles responseId={response.id} files={files} />}
              <Facts run={run} />
              <Group>
                {!isOver && (
                  <Button variant="default" onClick={onStop}>
                    Stop
                  </Button>
                )}
                {isOver && response?.store === true && <DeleteButton onDelete={onDelete} />}
              </Group>
              <RequestCode entry={entry} />
            </>
          }
        />
      </Stack>
    </Paper>
  );
}

function stateOf({ run: { response, items, progress }, isOver }: RunEntry): string {
  if (isOver && (response === null || response.status === 'in_progress')) {
    return response?.background === true
      ? 'It goes on in the background.'
      : 'Stopped. What came until then is above.';
  }
  switch (response?.status) {
    case undefined:
      return 'Waiting for the first event …';
    case 'in_progress':
      return items.length + progress.length === 0 ? 'Working …' : `Working: ${items.length} items so far …`;
    case 'completed':
      return response.incomplete_details === null
        ? 'Complete.'
        : 'The answer was cut at its limit of tokens.';
    case 'requires_action':
      return 'Waits for your functions.';
    case 'failed':
      return 'The run has failed. What it had finished is above.';
  }
}

function Facts({ run: { response, sequence } }: { readonly run: Run }): ReactNode {
  const { api } = useSession();
  const withCosts = usePrices(api);
  if (response === null) return null;
  const { id, model, usage, background } = response;
  const place = sequence < 0 ? '' : `, event ${sequence}`;
  return (
    <Text size="xs" c="dimmed" className="nestor-text">
      <Code fz="xs">{id}</Code> · {model}
      {background ? ` · in the background${place}` : ''}
      {usage !== null &&
        ` · ${formatCount(usage.input_tokens)} tokens in, ${formatCount(usage.output_tokens)} out${withCosts ? ` · ${formatUsd(usage.cost.total_cost)}` : ''}`}
    </Text>
  );
}

function DeleteButton({ onDelete }: { readonly onDelete: () => void }): ReactNode {
  const [isAsked, setAsked] = useState(false);
  if (!isAsked)
    return (
      <Button
        variant="default"
        onClick={() => {
          setAsked(true);
        }}
      >
        Delete
      </Button>
    );
  return (
    <>
      <Button color="red" onClick={onDelete}>
        Delete the response and its files
      </Button>
      <Button
        variant="default"
        autoFocus
        onClick={() => {
          setAsked(false);
        }}
      >
        Keep it
      </Button>
    </>
  );
}

function RequestCode({ entry: { request } }: { readonly entry: RunEntry }): ReactNode {
  if (request === null) return null;
  return (
    <Details summary="This request in code">
      <CodeExamples
        examples={requestExamples({ origin: location.origin, path: '/v1/agent', body: request })}
      />
    </Details>
  );
}
