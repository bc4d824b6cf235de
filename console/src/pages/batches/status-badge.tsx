import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import { statusNames } from './about.ts';
import type { Batch } from './wire.ts';

const colors: Readonly<Record<Batch['status'], string>> = {
  queued: 'gray',
  running: 'blue',
  completed: 'green',
  cancelled: 'gray',
  expired: 'red',
};

/** Its colour is in the border; the words have the contrast. */
export function BatchBadge({ status }: Pick<Batch, 'status'>): ReactNode {
  return (
    <Badge
      variant="default"
      miw="max-content"
      style={{ borderColor: `var(--mantine-color-${colors[status]}-6)` }}
    >
      {statusNames[status]}
    </Badge>
  );
}
