import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import { memo, useMemo, type ReactNode } from 'react';
import { usePrices } from '../../api/use-prices.ts';
import { Announcement, CitedAnswer, toSources } from '../../parts/answers/cited-answer.tsx';
import { Details } from '../../parts/answers/details.tsx';
import { formatUsage } from '../../parts/answers/chat-wire.ts';
import { requestExamples } from '../../parts/answers/request-examples.ts';
import { Steps } from '../../parts/answers/steps.tsx';
import { splitThinking } from '../../parts/answers/thinking.ts';
import { CodeExamples } from '../../parts/code-examples.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';
import type { Turn } from './turn.ts';

interface Props {
  readonly turn: Turn;
  /** Asks a related question. */
  readonly onAsk: (question: string) => void;
}

/** One question and its answer. Turns that do not change are not drawn again. */
export const TurnView = memo(function TurnView({ turn, onAsk }: Props): ReactNode {
  const { thinking, answer } = splitThinking(turn.text);
  const sources = useMemo(() => toSources(turn.sources), [turn.sources]);
  return (
    <Paper component="section" withBorder p="md" aria-label={`Question ${turn.id}`}>
      <Stack gap="sm">
        <Title order={2} size="h4" className="nestor-text">
          {turn.question}
        </Title>
        <CitedAnswer
          text={answer}
          sources={sources}
          before={<Steps steps={turn.steps} thinking={thinking} />}
          after={
            <>
              <Announcement>{stateOf(turn)}</Announcement>
              <Failure of={turn.failure} />
              <Related questions={turn.related} onAsk={onAsk} />
              <UsageLine turn={turn} />
              <Details summary="This request in code">
                <CodeExamples
                  examples={requestExamples({
                    origin: location.origin,
                    path: '/chat/completions',
                    body: turn.request,
                  })}
                />
              </Details>
            </>
          }
        />
      </Stack>
    </Paper>
  );
});

function stateOf({ status, sources, isCut, steps }: Turn): string {
  switch (status) {
    case 'waiting':
      return steps.length === 0 ? 'Waiting for the answer …' : `Step ${steps.length} is done …`;
    case 'answering':
      return 'Answering …';
    case 'stopped':
      return 'Stopped. What came until then is above.';
    case 'failed':
      return 'The answer is not complete.';
    case 'complete':
      if (isCut) return 'The answer was cut at its limit of tokens.';
      return `Complete, with ${sources.length === 1 ? '1 source' : `${sources.length} sources`}.`;
  }
}

function Related({
  questions,
  onAsk,
}: {
  readonly questions: readonly string[];
  readonly onAsk: Props['onAsk'];
}): ReactNode {
  if (questions.length === 0) return null;
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={3} size="h5">
        Ask on
      </Title>
      {questions.map((question) => (
        <Button
          key={question}
          variant="default"
          size="compact-sm"
          h="auto"
          py={4}
          styles={{ label: { whiteSpace: 'normal', textAlign: 'left' } }}
          onClick={() => {
            onAsk(question);
          }}
        >
          {question}
        </Button>
      ))}
    </Stack>
  );
}

function UsageLine({ turn: { usage, request } }: { readonly turn: Turn }): ReactNode {
  const { api } = useSession();
  const withCosts = usePrices(api);
  if (usage === null) return null;
  return (
    <Text size="xs" c="dimmed">
      {String(request['model'])} · {formatUsage(usage, withCosts)}
    </Text>
  );
}
