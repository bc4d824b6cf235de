import { Box } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly summary: string;
  readonly children: ReactNode;
}

/** Folded details. The browser's own disclosure works with keyboard and screen reader. */
export function Details({ summary, children }: Props): ReactNode {
  return (
    <details>
      <summary style={{ cursor: 'pointer' }}>{summary}</summary>
      <Box pt="sm">{children}</Box>
    </details>
  );
}
