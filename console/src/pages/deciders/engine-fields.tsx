import { Checkbox, NativeSelect, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { shippedEngines, type DeciderDraft } from './draft.ts';

export interface FieldsProps {
  readonly draft: DeciderDraft;
  readonly onChange: (part: Partial<DeciderDraft>) => void;
}

/** The engine and the steps around it. */
export function EngineFields({ draft, onChange }: FieldsProps): ReactNode {
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Engine"
        description="encoder understands meaning and learns from examples; words is faster and does neither."
        data={shippedEngines}
        value={draft.engine}
        onChange={(event) => {
          onChange({ engine: event.currentTarget.value });
        }}
      />
      <NativeSelect
        label="Orders of the options that are averaged"
        data={[
          { value: '1', label: '1: as given' },
          { value: '2', label: '2: also backwards' },
          { value: 'n', label: 'n: each option first once' },
        ]}
        value={draft.passes}
        onChange={(event) => {
          onChange({ passes: event.currentTarget.value as DeciderDraft['passes'] });
        }}
      />
      <Checkbox
        label="Divide by what is answered to a state that says nothing (prior)"
        checked={draft.prior}
        onChange={(event) => {
          onChange({ prior: event.currentTarget.checked });
        }}
      />
      <Checkbox
        label="Ask every noul denied as well (negation)"
        checked={draft.negation}
        onChange={(event) => {
          onChange({ negation: event.currentTarget.checked });
        }}
      />
    </Stack>
  );
}
