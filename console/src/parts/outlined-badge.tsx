import { Badge, type BadgeProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props extends Pick<BadgeProps, 'size' | 'ml'> {
  readonly color: string;
  readonly children: ReactNode;
}

/** Its colour is in the border; the words have the contrast, and are never cut. */
export function OutlinedBadge({ color, children, ...rest }: Props): ReactNode {
  return (
    <Badge
      {...rest}
      variant="default"
      miw="max-content"
      style={{ borderColor: `var(--mantine-color-${color}-6)` }}
    >
      {children}
    </Badge>
  );
}
