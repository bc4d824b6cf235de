import { Group, Input, NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { kinds, type ConfidenceDraft, type NumberDraft } from './draft.ts';

interface Props {
  readonly label: string;
  readonly description: string;
  readonly value: ConfidenceDraft;
  readonly onChange: (value: ConfidenceDraft) => void;
}

/** A confidence for each kind of question, or none. */
export function ConfidenceFields({ label, description, value, onChange }: Props): ReactNode {
  return (
    <Input.Wrapper label={label} description={description} labelElement="div">
      <Group gap="xs" mt={4} role="group" aria-label={label}>
        {kinds.map((kind) => (
          <ShareInput
            key={kind}
            label={kind}
            value={value[kind]}
            onChange={(least) => {
              onChange({ ...value, [kind]: least });
            }}
          />
        ))}
      </Group>
    </Input.Wrapper>
  );
}

interface ShareProps {
  readonly label: string;
  readonly description?: string;
  readonly value: NumberDraft;
  readonly onChange: (value: NumberDraft) => void;
}

/** A number from 0 to 1. */
export function ShareInput({ label, description, value, onChange }: ShareProps): ReactNode {
  return (
    <NumberInput
      label={label}
      description={description}
      styles={{ wrapper: { maxWidth: '9rem' } }}
      w={description === undefined ? '7rem' : undefined}
      min={0}
      max={1}
      step={0.05}
      value={value}
      onChange={(given) => {
        onChange(typeof given === 'number' ? given : '');
      }}
    />
  );
}
