import { Button, Group, Loader, Skeleton, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useCall } from '../../api/use-call.ts';
import { useRefresh } from '../../api/use-refresh.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { formatCount } from '../../parts/formats.ts';
import { useSession } from '../../session.tsx';
import { DriftTable } from './drift-table.tsx';
import { FitTable } from './fit-table.tsx';
import { pathOf, type Decider, type ExamplePage, type Fit, type FitList } from './wire.ts';

interface Props {
  readonly decider: Decider;
  /** What answers has changed. */
  readonly onChange: () => void;
}

/** How often a fit that runs is looked at, in ms. */
const lookAgainMs = 2_000;

/** Learns from the examples, and goes back to what was learned before. */
export function Learning({ decider, onChange }: Props): ReactNode {
  const { api } = useSession();
  const path = pathOf(decider.name);
  const loaded = useCall<FitList>(api, { path: `${path}/fits` });
  const examples = useCall<ExamplePage>(api, { path: `${path}/examples`, query: { limit: 1 } });
  const [refused, setRefused] = useState<unknown>(null);
  const fits = loaded.body?.fits ?? [];
  const running = fits.find(({ state }) => state === 'running');
  useRefresh(running !== undefined, loaded, lookAgainMs);
  useEnds(loaded.body?.fits ?? null, onChange);
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    setRefused(null);
    await work().catch(setRefused);
    loaded.reload();
  };
  if (loaded.body === null || examples.body === null) {
    const failure = loaded.failure ?? examples.failure;
    return failure === null ? (
      <Skeleton h={200} aria-label="Loading what was learned" />
    ) : (
      <Failure of={failure} />
    );
  }
  const { total } = examples.body;
  return (
    <Stack gap="md">
      <Text maw="46rem">
        {total === 0
          ? 'There is nothing to learn from yet: add examples first.'
          : `Each question is learned by itself, and what was learned is used where it is surely better than what was answered before.`}
      </Text>
      <Failure of={loaded.failure ?? refused} />
      {running === undefined ? (
        <Group>
          <Button
            disabled={total === 0}
            onClick={() => void attempt(() => api.call({ path: `${path}/fit`, body: {} }))}
          >
            Learn from {formatCount(total)} {total === 1 ? 'example' : 'examples'}
          </Button>
          {decider.fit !== null && (
            <ConfirmButton
              verb="Roll back"
              label="to what was learned before"
              onConfirm={() =>
                attempt(async () => {
                  await api.call({ method: 'POST', path: `${path}/rollback` });
                  onChange();
                })
              }
            />
          )}
        </Group>
      ) : (
        <Running
          fit={running}
          onCancel={() =>
            void attempt(() => api.call({ method: 'DELETE', path: `${path}/fits/${running.id}` }))
          }
        />
      )}
      <DriftTable drift={decider.drift ?? []} fit={fits.find(({ id }) => id === decider.fit)} />
      <FitTable fits={fits} />
    </Stack>
  );
}

function Running({ fit, onCancel }: { readonly fit: Fit; readonly onCancel: () => void }): ReactNode {
  const seconds = useSecondsSince(fit.created_at);
  return (
    <Group>
      <Group gap="xs" role="status">
        <Loader size="xs" aria-hidden />
        <Text>Learning …</Text>
      </Group>
      <Text c="dimmed">{seconds} s so far; ten examples of 77 answers each take less than a minute</Text>
      <Button variant="default" size="compact-sm" onClick={onCancel}>
        Cancel
      </Button>
    </Group>
  );
}

function useSecondsSince(instant: string): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      setNowMs(Date.now());
    }, 1_000);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return Math.max(0, Math.round((nowMs - Date.parse(instant)) / 1_000));
}

/** Tells when a fit has ended, also one that was over before it was seen to run. */
function useEnds(fits: readonly Fit[] | null, onEnd: () => void): void {
  const ended = fits?.filter(({ state }) => state !== 'running').map(({ id }) => id);
  const now = ended?.join() ?? null;
  const was = useRef<string | null>(null);
  useEffect(() => {
    if (now === null) return;
    if (was.current !== null && was.current !== now) onEnd();
    was.current = now;
  }, [now, onEnd]);
}
