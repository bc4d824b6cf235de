import { Box, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from '../../parts/formats.ts';
import { numbers, ScrollingTable } from '../../parts/scrolling-table.tsx';
import type { Confusion } from './confusion.ts';

/** Stretched over a wide window, a cell would be far from its name. */
const columnRem = 9;

interface Props {
  readonly caption: string;
  readonly confusion: Confusion;
}

/** Right answers down, given ones across; the more of a row lies in a cell, the darker it is. */
export function ConfusionTable({ caption, confusion: { names, rows } }: Props): ReactNode {
  return (
    <Box maw={`${(names.length + 1) * columnRem}rem`}>
      <ScrollingTable caption={caption} headings={['Right \\ answered', ...numbers(...names)]}>
        {rows.map((row, right) => (
          <Table.Tr key={names[right]}>
            <Table.Td className="nestor-text" fw={600}>
              {names[right]}
            </Table.Td>
            {row.map((count, answered) => (
              <Table.Td key={names[answered]} ta="right" p={2}>
                <Box
                  px="xs"
                  py={6}
                  style={{ borderRadius: 4, background: shadeOf(count, sumOf(row), right === answered) }}
                >
                  {formatCount(count)}
                </Box>
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </ScrollingTable>
    </Box>
  );
}

const sumOf = (row: readonly number[]): number => row.reduce((sum, count) => sum + count, 0);

/** At most so strong that the number stays readable in both schemes. */
const strongest = 45;

function shadeOf(count: number, all: number, isRight: boolean): string {
  if (count === 0) return 'none';
  const strength = Math.round(10 + (strongest - 10) * (count / all));
  return `color-mix(in srgb, var(--mantine-color-${isRight ? 'teal' : 'orange'}-6) ${strength}%, transparent)`;
}
