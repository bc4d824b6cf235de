import { Button, Fieldset, Group, NativeSelect, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCall } from '../../api/use-call.ts';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';
import { moved } from '../decide/draft.ts';
import { RowButtons } from '../decide/row-buttons.tsx';
import { ConfidenceFields } from './confidence-fields.tsx';
import { newStage, stagesMax, type StageDraft } from './draft.ts';
import type { FieldsProps } from './engine-fields.tsx';
import type { DeciderList } from './wire.ts';

/** Deciders that are asked in turn, and how sure each has to be. */
export function CascadeFields({ draft, onChange }: FieldsProps): ReactNode {
  const { api } = useSession();
  const { body, failure } = useCall<DeciderList>(api, { path: '/v1/deciders' });
  const { stages, name } = draft;
  const known = (body?.deciders ?? [])
    .filter(({ name: other, definition }) => definition.cascade.length === 0 && other !== name)
    .map(({ name: other }) => other);
  const replace = (stage: StageDraft) => {
    onChange({ stages: stages.map((other) => (other.id === stage.id ? stage : other)) });
  };
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        The first one that is sure enough answers; the last answers all that is left. Put the cheap ones
        first.
      </Text>
      <Failure of={failure} />
      {stages.map((stage, at) => (
        <Fieldset key={stage.id} legend={`Step ${at + 1}`} p="sm">
          <Stack gap="xs">
            <Group align="flex-end" gap="xs">
              <NativeSelect
                label="Decider"
                flex="1 1 12rem"
                data={[{ value: '', label: 'Choose one' }, ...withChosen(known, stage.decider)]}
                value={stage.decider}
                onChange={(event) => {
                  replace({ ...stage, decider: event.currentTarget.value });
                }}
              />
              <RowButtons
                of={`step ${at + 1}`}
                at={at}
                count={stages.length}
                onMove={(to) => {
                  onChange({ stages: moved(stages, at, to) });
                }}
                onRemove={() => {
                  onChange({ stages: stages.toSpliced(at, 1) });
                }}
              />
            </Group>
            {at < stages.length - 1 && (
              <ConfidenceFields
                label="Answers from a confidence of"
                description="What is below goes on to the next step."
                value={stage.confidence}
                onChange={(confidence) => {
                  replace({ ...stage, confidence });
                }}
              />
            )}
          </Stack>
        </Fieldset>
      ))}
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          disabled={stages.length >= stagesMax}
          onClick={() => {
            onChange({ stages: [...stages, newStage(stages)] });
          }}
        >
          Add a step
        </Button>
      </Group>
    </Stack>
  );
}

/** The chosen one stays chosen while the others are loading, and where it is gone. */
function withChosen(known: readonly string[], chosen: string): readonly string[] {
  return chosen === '' || known.includes(chosen) ? known : [chosen, ...known];
}
