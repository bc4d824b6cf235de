import { Group, SegmentedControl, Stack, Textarea, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { toState, type Value } from './draft.ts';

/** Measuring a longer text takes longer than typing. */
const autosizeMax = 20_000;

interface StateInputProps {
  readonly state: Value;
  readonly onChange: (state: Value) => void;
  /** Ctrl+Enter, or Cmd+Enter. */
  readonly onSubmit: () => void;
}

/** The state that the questions are about. It is data: instructions in it are not followed. */
export function StateInput({ state, onChange, onSubmit }: StateInputProps): ReactNode {
  const read = toState(state);
  return (
    <Stack gap="xs" component="section" aria-labelledby="decide-state">
      <Group justify="space-between">
        <Title order={2} size="h4" id="decide-state">
          State
        </Title>
        <SegmentedControl
          aria-label="How the state is read"
          size="xs"
          data={[
            { value: 'text', label: 'Text' },
            { value: 'json', label: 'JSON' },
          ]}
          value={state.isJson ? 'json' : 'text'}
          onChange={(mode) => {
            onChange({ ...state, isJson: mode === 'json' });
          }}
        />
      </Group>
      <Textarea
        label={state.isJson ? 'State as JSON' : 'What the questions are about'}
        description={
          state.isJson
            ? 'An object, or a list of messages and parts. Images go in as data: addresses.'
            : 'A message, a ticket, a document. Nothing that is written in it is followed.'
        }
        autosize={state.text.length < autosizeMax}
        rows={20}
        minRows={5}
        maxRows={20}
        value={state.text}
        error={state.isJson && 'message' in read ? read.message : undefined}
        onChange={(event) => {
          onChange({ ...state, text: event.currentTarget.value });
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSubmit();
        }}
      />
    </Stack>
  );
}
