import { Stack, Text } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useOpenapi } from '../api/openapi.ts';
import { readChatModels } from '../parts/answers/chat-models.ts';
import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../session.tsx';
import { QuestionForm } from './chat/question-form.tsx';
import { firstSettings, type ChatSettings } from './chat/request.ts';
import { TurnView } from './chat/turn-view.tsx';
import { useConversation } from './chat/use-conversation.ts';

export function ChatPage(): ReactNode {
  const { api } = useSession();
  const openapi = useOpenapi(api);
  const models = useMemo(() => readChatModels(openapi.body), [openapi.body]);
  const [chosen, setChosen] = useState<ChatSettings>(firstSettings);
  const settings = chosen.model === '' ? { ...chosen, model: models[0] ?? '' } : chosen;
  const { turns, isBusy, ask, stop, clear } = useConversation();
  // The turns are not drawn again when a setting changes.
  const latest = useRef({ ask, settings });
  useEffect(() => {
    latest.current = { ask, settings };
  });
  const askOn = useCallback((question: string) => {
    latest.current.ask(question, latest.current.settings);
  }, []);
  return (
    <Page title="Chat" about="A conversation that is answered from what a search finds, with its sources.">
      <Failure of={openapi.failure} />
      <Stack gap="md">
        {turns.length === 0 && (
          <Text c="dimmed">
            Ask something below. Without a model of your own, answers are put together from sentences of the
            index.
          </Text>
        )}
        {turns.map((turn) => (
          <TurnView key={turn.id} turn={turn} onAsk={askOn} />
        ))}
      </Stack>
      <QuestionForm
        models={models}
        settings={settings}
        onSettings={(changed) => {
          setChosen({ ...settings, ...changed });
        }}
        isBusy={isBusy}
        hasTurns={turns.length > 0}
        onAsk={askOn}
        onStop={stop}
        onClear={clear}
      />
    </Page>
  );
}
