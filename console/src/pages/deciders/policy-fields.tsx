import { Stack, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { Details } from '../../parts/answers/details.tsx';
import { ConfidenceFields, ShareInput } from './confidence-fields.tsx';
import type { FieldsProps } from './engine-fields.tsx';

/** What happens to answers that are not sure, and the files that were fitted. */
export function PolicyFields({ draft, onChange }: FieldsProps): ReactNode {
  return (
    <Stack gap="sm">
      <ConfidenceFields
        label="Abstain below a confidence of"
        description="Such answers are marked, so that a person can decide. Empty: nothing is marked."
        value={draft.abstain}
        onChange={(abstain) => {
          onChange({ abstain });
        }}
      />
      <ShareInput
        label="At most this share of the answers may be wrong"
        description="Takes a guarantee that was fitted for this decider, below. 0.05 is one in twenty."
        value={draft.maxError}
        onChange={(maxError) => {
          onChange({ maxError });
        }}
      />
      <Details summary="Files that were fitted for it">
        <Stack gap="sm">
          {draft.answersBy === 'engine' && (
            <JsonFile
              label="What nestor calibrate wrote"
              value={draft.calibration}
              onChange={(calibration) => {
                onChange({ calibration });
              }}
            />
          )}
          <JsonFile
            label="What nestor guarantee wrote (guarantee.json)"
            value={draft.guarantees}
            onChange={(guarantees) => {
              onChange({ guarantees });
            }}
          />
        </Stack>
      </Details>
    </Stack>
  );
}

interface JsonFileProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function JsonFile({ label, value, onChange }: JsonFileProps): ReactNode {
  return (
    <Textarea
      label={label}
      rows={5}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      value={value}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  );
}
