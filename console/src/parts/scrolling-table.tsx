import { Box, Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** Accessible name of the table. */
  readonly caption: string;
  readonly children: ReactNode;
}

/** A table that scrolls by itself in narrow windows; scrolling areas must be reachable by keyboard. */
export function ScrollingTable({ caption, children }: Props): ReactNode {
  return (
    <Box tabIndex={0} role="region" aria-label={caption} style={{ overflowX: 'auto' }}>
      <Table striped aria-label={caption}>
        {children}
      </Table>
    </Box>
  );
}
