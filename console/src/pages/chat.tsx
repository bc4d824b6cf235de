import { Loader, Stack, Text } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { useCall } from '../api/use-call.ts';
import { useOpenapi } from '../api/openapi.ts';
import { readChatModels } from '../parts/answers/chat-models.ts';
import { Failure } from '../parts/failure.tsx';
import { Page } from '../parts/page.tsx';
import { useSession } from '../session.tsx';
import { ConversationBar } from './chat/conversation-bar.tsx';
import type { Conversation } from './chat/kept.ts';
import { QuestionForm } from './chat/question-form.tsx';
import { firstSettings, type ChatSettings } from './chat/request.ts';
import { TurnView } from './chat/turn-view.tsx';
import { useConversation } from './chat/use-conversation.ts';
import { useKeeping, useKept } from './chat/use-kept.ts';

export function ChatPage(): ReactNode {
  const { api } = useSession();
  const { body, failure } = useCall<{ readonly id: string }>(api, { path: '/v1/account' });
  return (
    <Page title="Chat" about="A conversation that is answered from what a search finds, with its sources.">
      {body === null && failure === null && <Loader aria-label="Loading the conversations" />}
      {/* A key that may not read its account has conversations of its own. */}
      {(body !== null || failure !== null) && <Conversations account={body?.id ?? 'unknown'} />}
    </Page>
  );
}

/** The conversations of an account, one of which is open. The address names it. */
function Conversations({ account }: { readonly account: string }): ReactNode {
  const { conversations, keep, remove } = useKept(account);
  const [params, setParams] = useSearchParams();
  const find = (id: string | null) => conversations.find((one) => one.id === id) ?? createConversation();
  const [open, setOpen] = useState(() => find(params.get('conversation')));
  const removed = useRef<string | null>(null);
  const current = conversations.find(({ id }) => id === open.id) ?? open;
  const show = (id: string | null) => {
    const next = find(id);
    setOpen(next);
    setParams(next.turns.length === 0 ? {} : { conversation: next.id }, { replace: true });
  };
  // The address names a conversation from its first kept answer on.
  const isKept = conversations.some(({ id }) => id === open.id);
  const isNamed = params.get('conversation') === open.id;
  useEffect(() => {
    if (isKept && !isNamed) setParams({ conversation: open.id }, { replace: true });
  }, [isKept, isNamed, open.id, setParams]);
  return (
    <>
      <ConversationBar
        conversations={conversations}
        open={current}
        onOpen={show}
        onRename={(name) => {
          keep({ ...current, name });
        }}
        onDelete={() => {
          removed.current = current.id;
          remove(current.id);
          show(null);
        }}
      />
      <OpenConversation
        key={open.id}
        first={open}
        onTurns={(turns) => {
          // An answer that was still coming when it was deleted brings nothing back.
          if (removed.current === open.id) return;
          keep({ ...current, turns, changedAtMs: Date.now() });
        }}
        onNew={() => {
          show(null);
        }}
      />
    </>
  );
}

interface OpenProps {
  readonly first: Conversation;
  readonly onTurns: (turns: Conversation['turns']) => void;
  readonly onNew: () => void;
}

function OpenConversation({ first, onTurns, onNew }: OpenProps): ReactNode {
  const { api } = useSession();
  const openapi = useOpenapi(api);
  const models = useMemo(() => readChatModels(openapi.body), [openapi.body]);
  const [chosen, setChosen] = useState<ChatSettings>(firstSettings);
  const settings = chosen.model === '' ? { ...chosen, model: models[0] ?? '' } : chosen;
  const [params] = useSearchParams();
  const { turns, isBusy, ask, stop } = useConversation(first.turns);
  useKeeping(turns, isBusy, onTurns);
  // The turns are not drawn again when a setting changes.
  const latest = useRef({ ask, settings });
  useEffect(() => {
    latest.current = { ask, settings };
  });
  const askOn = useCallback((question: string) => {
    latest.current.ask(question, latest.current.settings);
  }, []);
  return (
    <>
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
        first={params.get('ask') ?? ''}
        models={models}
        settings={settings}
        onSettings={(changed) => {
          setChosen({ ...settings, ...changed });
        }}
        isBusy={isBusy}
        hasTurns={turns.length > 0}
        onAsk={askOn}
        onStop={stop}
        onClear={onNew}
      />
    </>
  );
}

function createConversation(): Conversation {
  const id = crypto.getRandomValues(new Uint32Array(2)).join('-');
  return { id, name: null, changedAtMs: 0, turns: [] };
}
