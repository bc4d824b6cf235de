import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** Null where nothing keeps it from being asked. */
  readonly message: string | null;
  /** Of what was asked before: `answers`, `results`; null where nothing was. */
  readonly below: string | null;
}

/** What has to be changed before anybody can be asked. */
export function NotAsked({ message, below }: Props): ReactNode {
  if (message === null) return null;
  const title = below === null ? 'Not asked yet' : `Not asked again; the ${below} below are from before`;
  return (
    <Alert color="red" variant="outline" role="alert" title={title}>
      <Text size="sm" className="nestor-text">
        {message}
      </Text>
    </Alert>
  );
}
