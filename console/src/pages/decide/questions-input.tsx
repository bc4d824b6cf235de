import { Alert, Button, Group, SegmentedControl, Stack, Textarea, Title } from '@mantine/core';
import { useCallback, useRef, useState, type ReactNode } from 'react';
import { AddButton } from './criteria-fields.tsx';
import { moved, newQuestion, nextId, questionsMax, type QuestionDraft } from './draft.ts';
import { QuestionFields } from './question-fields.tsx';
import { fromWholeRequest, readQuestions, toFormMode, toJsonMode } from './request.ts';
import type { UsedWork } from './use-work.ts';

/** Questions, as a form or as JSON; each can be turned into the other. */
export function QuestionsInput({ work, change }: Pick<UsedWork, 'work' | 'change'>): ReactNode {
  const [message, setMessage] = useState<string | null>(null);
  const { questions, questionsJson } = work;
  const switchTo = (mode: string) => {
    const next = mode === 'json' ? toJsonMode({ questions }) : toFormMode(questionsJson ?? '');
    setMessage('message' in next ? next.message : null);
    if (!('message' in next)) change(next);
  };
  return (
    <Stack gap="xs" component="section" aria-labelledby="decide-questions">
      <Group justify="space-between">
        <Title order={2} size="h4" id="decide-questions">
          Questions
        </Title>
        <SegmentedControl
          aria-label="How questions are written"
          size="xs"
          data={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
          value={questionsJson === null ? 'form' : 'json'}
          onChange={switchTo}
        />
      </Group>
      {message !== null && (
        <Alert color="red" variant="outline" role="alert">
          {message}
        </Alert>
      )}
      {questionsJson === null ? (
        <QuestionForm questions={questions} change={change} />
      ) : (
        <QuestionsJson text={questionsJson} change={change} />
      )}
    </Stack>
  );
}

interface QuestionFormProps extends Pick<UsedWork, 'change'> {
  readonly questions: readonly QuestionDraft[];
}

function QuestionForm({ questions, change }: QuestionFormProps): ReactNode {
  const addButton = useRef<HTMLButtonElement>(null);
  const replace = useCallback(
    (draft: QuestionDraft) => {
      change(({ questions: all }) => ({
        questions: all.map((other) => (other.id === draft.id ? draft : other)),
      }));
    },
    [change],
  );
  const move = useCallback(
    (id: number, to: number) => {
      change(({ questions: all }) => ({
        questions: moved(
          all,
          all.findIndex((draft) => draft.id === id),
          to,
        ),
      }));
    },
    [change],
  );
  const remove = useCallback(
    (id: number) => {
      change(({ questions: all }) => ({ questions: all.filter((draft) => draft.id !== id) }));
      addButton.current?.focus();
    },
    [change],
  );
  return (
    <>
      {questions.map((draft, at) => (
        <QuestionFields
          key={draft.id}
          draft={draft}
          at={at}
          count={questions.length}
          onChange={replace}
          onMove={move}
          onRemove={remove}
        />
      ))}
      <AddButton
        label="Add a question"
        buttonRef={addButton}
        isFull={questions.length >= questionsMax}
        onClick={() => {
          change(({ questions: all }) => ({ questions: [...all, newQuestion(nextId(all))] }));
        }}
      />
    </>
  );
}

function QuestionsJson({ text, change }: Pick<UsedWork, 'change'> & { readonly text: string }): ReactNode {
  const whole = fromWholeRequest(text);
  const { problem } = readQuestions({ questions: [], questionsJson: text });
  return (
    <>
      <Textarea
        label="Questions as JSON"
        description='By name: { "refund": { "type": "noul", "instructions": "…" } }'
        autosize
        minRows={8}
        maxRows={30}
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        value={text}
        error={whole === null ? problem?.message : undefined}
        onChange={(event) => {
          change({ questionsJson: event.currentTarget.value });
        }}
      />
      {whole !== null && (
        <Alert variant="outline" role="status" title="This is a whole request">
          <Button
            variant="default"
            size="compact-sm"
            onClick={() => {
              change(whole);
            }}
          >
            Take its state and its questions
          </Button>
        </Alert>
      )}
    </>
  );
}
