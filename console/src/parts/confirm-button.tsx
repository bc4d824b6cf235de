import { Button, Group } from '@mantine/core';
import { useState, type ReactNode } from 'react';

interface Props {
  /** Label of the action, such as Delete. */
  readonly verb: string;
  /** What it acts on, for screen readers. */
  readonly label: string;
  readonly onConfirm: () => Promise<void>;
}

/**
 * A button that asks for confirmation, for actions that cannot be undone. Each answer takes the place of what was pressed, so
 * it takes the focus as well, which also brings it into view in a table that scrolls: at first the one that does nothing.
 */
export function ConfirmButton({ verb, label, onConfirm }: Props): ReactNode {
  /** Null before it was pressed. */
  const [isAsked, setAsked] = useState<boolean | null>(null);
  const ask = (asked: boolean) => () => {
    setAsked(asked);
  };
  if (isAsked !== true)
    return (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={`${verb} ${label}`}
        autoFocus={isAsked === false}
        onClick={ask(true)}
      >
        {verb}
      </Button>
    );
  return (
    <Group gap="xs" wrap="nowrap">
      <Button
        size="compact-sm"
        color="red"
        aria-label={`${verb} ${label} for good`}
        onClick={() => void onConfirm()}
      >
        {verb} for good
      </Button>
      <Button size="compact-sm" variant="default" autoFocus onClick={ask(false)}>
        Keep
      </Button>
    </Group>
  );
}
