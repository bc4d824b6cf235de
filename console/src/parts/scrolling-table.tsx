import { Box, Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';

/** Of a column; those of numbers stand at its right. */
type Heading = string | { readonly ofNumbers: string };

export const numbers = (...headings: readonly string[]): readonly Heading[] =>
  headings.map((ofNumbers) => ({ ofNumbers }));

interface Props {
  /** Accessible name of the table. */
  readonly caption: string;
  /** All different. */
  readonly headings: readonly Heading[];
  /** For screen readers alone: nothing scrolls, and the keyboard does not stop where nothing can be seen. */
  readonly isHidden?: boolean;
  /** Its rows. */
  readonly children: ReactNode;
}

/** Narrowest average width of a column. Unit: rem. */
const columnRem = 6.5;

/** A table that scrolls by itself in narrow windows; scrolling areas must be reachable by keyboard. */
export function ScrollingTable({ caption, headings, isHidden = false, children }: Props): ReactNode {
  if (isHidden)
    return (
      <VisuallyHidden>
        <TableOf caption={caption} headings={headings}>
          {children}
        </TableOf>
      </VisuallyHidden>
    );
  return (
    <Box tabIndex={0} role="region" aria-label={caption} style={{ overflowX: 'auto' }}>
      <TableOf caption={caption} headings={headings}>
        {children}
      </TableOf>
    </Box>
  );
}

function TableOf({ caption, headings, children }: Props): ReactNode {
  return (
    // Narrow columns would break their words letter by letter.
    <Table striped aria-label={caption} miw={`${headings.length * columnRem}rem`}>
      <Table.Thead>
        <Table.Tr>{headings.map(toCell)}</Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  );
}

function toCell(heading: Heading): ReactNode {
  const [text, align] = typeof heading === 'string' ? [heading] : [heading.ofNumbers, 'right' as const];
  return (
    <Table.Th key={text} scope="col" ta={align}>
      {text}
    </Table.Th>
  );
}
