import { Button, Group, Loader, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { lazy, Suspense, useCallback, useRef, useState, type ReactNode } from 'react';
import { useSession } from '../../session.tsx';
import { EnginePicker } from './engine-picker.tsx';
import { NotAsked } from './not-asked.tsx';
import { QuestionsInput } from './questions-input.tsx';
import { toRequest } from './request.ts';
import { StateInput } from './state-input.tsx';
import { useAsk } from './use-ask.ts';
import type { UsedWork } from './use-work.ts';

const loadAnswersView = async () => ({ default: (await import('./answers-view.tsx')).AnswersView });
/** Loaded while the first answer is awaited. */
const AnswersView = lazy(loadAnswersView);

/** One state, its questions and their answers, side by side where there is room. */
export function OneState({ work, change }: Pick<UsedWork, 'work' | 'change'>): ReactNode {
  const { api } = useSession();
  const { asked, isAsking, ask, stop } = useAsk(api);
  const [message, setMessage] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const showAnswers = useCallback(() => {
    // In a narrow window they stand below the questions.
    const top = heading.current?.getBoundingClientRect().top ?? 0;
    if (top > innerHeight / 2) heading.current?.scrollIntoView();
  }, []);
  const submit = () => {
    const read = toRequest(work);
    setMessage('message' in read ? read.message : null);
    if ('message' in read) return;
    void loadAnswersView();
    ask(read.request, work.otherEngine);
  };
  const buttons = (
    <>
      <Button onClick={submit}>Ask</Button>
      {isAsking && (
        <Button variant="default" onClick={stop}>
          Stop
        </Button>
      )}
    </>
  );
  return (
    <Stack gap={0}>
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl" verticalSpacing="lg">
        <Stack gap="lg" miw={0}>
          <StateInput
            state={work.state}
            onChange={(state) => {
              change({ state });
            }}
            onSubmit={submit}
          />
          <QuestionsInput work={work} change={change} />
          <EnginePicker api={api} work={work} change={change} canCompare />
        </Stack>
        <Stack gap="xs" miw={0} component="section" aria-labelledby="decide-answers">
          <Group justify="space-between">
            <Title ref={heading} order={2} size="h4" id="decide-answers" className="nestor-target">
              Answers
            </Title>
            <Group gap="xs" visibleFrom="lg">
              {buttons}
            </Group>
          </Group>
          <NotAsked message={message} below={asked === null ? null : 'answers'} />
          <Suspense fallback={<Status isAsking isAsked={false} />}>
            <Status isAsking={isAsking} isAsked={asked !== null} />
            {asked !== null && <AnswersView api={api} asked={asked} onShown={showAnswers} />}
          </Suspense>
        </Stack>
      </SimpleGrid>
      <Group gap="xs" hiddenFrom="lg" className="nestor-bar">
        {buttons}
      </Group>
    </Stack>
  );
}

interface StatusProps {
  readonly isAsking: boolean;
  readonly isAsked: boolean;
}

function Status({ isAsking, isAsked }: StatusProps): ReactNode {
  return (
    <Group gap="xs" role="status" mih={24}>
      {isAsking && <Loader size="xs" aria-hidden />}
      <Text size="sm" c="dimmed">
        {statusOf(isAsking, isAsked)}
      </Text>
    </Group>
  );
}

function statusOf(isAsking: boolean, isAsked: boolean): string {
  if (isAsking) return 'Asking…';
  return isAsked ? 'Answered.' : 'Press Ask, and every possible answer stands here with its probability.';
}
