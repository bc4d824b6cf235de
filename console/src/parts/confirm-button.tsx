import { Button, Group } from '@mantine/core';
import { useState, type ReactNode } from 'react';

interface Props {
  /** Label of the action, such as Delete. */
  readonly verb: string;
  /** What it acts on, for screen readers. */
  readonly label: string;
  readonly onConfirm: () => Promise<void>;
}

/** A button that asks for confirmation, for actions that cannot be undone. */
export function ConfirmButton({ verb, label, onConfirm }: Props): ReactNode {
  const [isAsked, setAsked] = useState(false);
  const ask = (asked: boolean) => () => {
    setAsked(asked);
  };
  if (!isAsked)
    return (
      <Button size="compact-sm" variant="default" aria-label={`${verb} ${label}`} onClick={ask(true)}>
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
      <Button size="compact-sm" variant="default" onClick={ask(false)}>
        Keep
      </Button>
    </Group>
  );
}
