import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly color: string;
  readonly children: ReactNode;
}

/** Its colour is in the border; the words have the contrast. */
export function OutlinedBadge({ color, children }: Props): ReactNode {
  return (
    <Badge variant="default" miw="max-content" style={{ borderColor: `var(--mantine-color-${color}-6)` }}>
      {children}
    </Badge>
  );
}
