import { Group, NumberInput, Switch } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ResultsView } from './review.ts';

interface Props {
  readonly view: ResultsView;
  readonly onView: (part: Partial<ResultsView>) => void;
}

/** Which results are shown first, and which somebody should look at. */
export function ViewControls({ view, onView }: Props): ReactNode {
  return (
    <Group align="flex-end" gap="lg">
      <NumberInput
        label="Review below a confidence of"
        description="Such rows are marked, and those that were abstained from"
        w="24rem"
        maw="100%"
        min={0}
        max={1}
        step={0.05}
        value={view.reviewBelow}
        onChange={(below) => {
          onView({ reviewBelow: typeof below === 'number' ? below : 0 });
        }}
      />
      <Switch
        label="Least sure first"
        checked={view.leastSureFirst}
        onChange={(event) => {
          onView({ leastSureFirst: event.currentTarget.checked });
        }}
      />
      <Switch
        label="Only rows to review"
        checked={view.onlyReview}
        onChange={(event) => {
          onView({ onlyReview: event.currentTarget.checked });
        }}
      />
      <Switch
        label="Only rows with errors"
        checked={view.onlyErrors}
        onChange={(event) => {
          onView({ onlyErrors: event.currentTarget.checked });
        }}
      />
    </Group>
  );
}
