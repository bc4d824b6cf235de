import { Box } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly summary: string;
  readonly children: ReactNode;
}

/** What most do not need to see. The browser's own disclosure knows keyboard and screen reader. */
export function Details({ summary, children }: Props): ReactNode {
  return (
    <details>
      <summary style={{ cursor: 'pointer' }}>{summary}</summary>
      <Box pt="sm">{children}</Box>
    </details>
  );
}
