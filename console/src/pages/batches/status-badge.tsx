import type { ReactNode } from 'react';
import { OutlinedBadge } from '../../parts/outlined-badge.tsx';
import { statusNames } from './about.ts';
import type { Batch } from './wire.ts';

const colors: Readonly<Record<Batch['status'], string>> = {
  queued: 'gray',
  running: 'blue',
  completed: 'green',
  cancelled: 'gray',
  expired: 'red',
};

export function BatchBadge({ status }: Pick<Batch, 'status'>): ReactNode {
  return <OutlinedBadge color={colors[status]}>{statusNames[status]}</OutlinedBadge>;
}
