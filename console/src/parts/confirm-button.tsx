import { Button, Group } from '@mantine/core';
import { useState, type ReactNode } from 'react';

interface Props {
  /** What is done: Delete. */
  readonly verb: string;
  /** To what, for who cannot see beside what the button stands. */
  readonly label: string;
  readonly onConfirm: () => Promise<void>;
}

/** What cannot be taken back is asked for twice. */
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
