import { Box, Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** Names the table for who cannot see where it stands. */
  readonly caption: string;
  readonly children: ReactNode;
}

/** A table that scrolls within itself where the window is narrow. What scrolls has to be reachable by keyboard. */
export function ScrollingTable({ caption, children }: Props): ReactNode {
  return (
    <Box tabIndex={0} role="region" aria-label={caption} style={{ overflowX: 'auto' }}>
      <Table striped aria-label={caption}>
        {children}
      </Table>
    </Box>
  );
}
