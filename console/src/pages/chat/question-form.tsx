import { Button, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { useId, useState, type FormEvent, type KeyboardEvent, type ReactNode } from 'react';
import { aboutChatModel } from '../../parts/answers/chat-models.ts';
import { Details } from '../../parts/answers/details.tsx';
import type { ChatSettings } from './request.ts';
import { SettingsForm } from './settings-form.tsx';

interface Props {
  /** What a link asks; the person sends it. */
  readonly first: string;
  /** Empty until they are known. */
  readonly models: readonly string[];
  readonly settings: ChatSettings;
  readonly onSettings: (changed: Partial<ChatSettings>) => void;
  readonly isBusy: boolean;
  readonly hasTurns: boolean;
  readonly onAsk: (question: string) => void;
  readonly onStop: () => void;
  readonly onClear: () => void;
}

export function QuestionForm(props: Props): ReactNode {
  const { models, settings, onSettings, isBusy, onAsk } = props;
  const aboutId = useId();
  const [question, setQuestion] = useState(props.first);
  const canAsk = !isBusy && models.length > 0 && question.trim() !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!canAsk) return;
    onAsk(question.trim());
    setQuestion('');
  };
  const submitByKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
  };
  return (
    <form onSubmit={submit} className="nestor-composer">
      <Stack gap="xs">
        <Textarea
          label="Question"
          description="Enter asks; Shift and Enter begin a new line."
          autosize
          minRows={2}
          maxRows={12}
          value={question}
          onKeyDown={submitByKey}
          onChange={(event) => {
            setQuestion(event.currentTarget.value);
          }}
        />
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label="Model"
            aria-describedby={aboutId}
            flex="1 1 6rem"
            maw="22rem"
            data={[...models]}
            value={settings.model}
            disabled={models.length === 0}
            onChange={(event) => {
              onSettings({ model: event.currentTarget.value });
            }}
          />
          <Buttons {...props} canAsk={canAsk} />
        </Group>
        <Text id={aboutId} size="xs" c="dimmed">
          {aboutChatModel(settings.model)}
        </Text>
        <Details summary="Search settings and instructions">
          <SettingsForm settings={settings} onChange={onSettings} />
        </Details>
      </Stack>
    </form>
  );
}

function Buttons({
  isBusy,
  hasTurns,
  onStop,
  onClear,
  canAsk,
}: Props & { readonly canAsk: boolean }): ReactNode {
  return (
    <Group gap="xs">
      <Button type="submit" disabled={!canAsk}>
        Ask
      </Button>
      {isBusy && (
        <Button variant="default" onClick={onStop}>
          Stop
        </Button>
      )}
      {hasTurns && (
        <Button variant="default" onClick={onClear}>
          New conversation
        </Button>
      )}
    </Group>
  );
}
