import { Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { OutlinedBadge } from '../../parts/outlined-badge.tsx';
import { formatCount, formatTime } from '../../parts/formats.ts';
import { numbers, ScrollingTable } from '../../parts/scrolling-table.tsx';
import { formatDifference } from './about.ts';
import type { Drift, Fit, LabelMass } from './wire.ts';

interface Props {
  readonly drift: readonly Drift[];
  /** The fit in use, which has the words of the questions. */
  readonly fit: Fit | undefined;
}

/** Whether what was learned is still answered as in its fit, with the figures of it; nothing before anything was asked. */
export function DriftTable({ drift, fit }: Props): ReactNode {
  if (drift.length === 0) return null;
  const nameOf = (key: string): string => {
    const question = fit?.report?.questions.find((one) => one.question === key);
    if (question === undefined) return key.slice(0, 8);
    return question.instructions === '' ? question.kind : `${question.kind}: ${question.instructions}`;
  };
  return (
    <Stack gap="xs" component="section" aria-label="Answers since">
      <Title order={2} size="h4">
        Answers since it was learned
      </Title>
      <ScrollingTable
        caption="Answers since it was learned"
        headings={[
          'Question',
          ...numbers('Answers', 'Examples', 'Which answers', 'How sure'),
          'As when it was learned',
        ]}
      >
        {drift.map((one) => (
          <Table.Tr key={one.question}>
            <Table.Td miw="9rem" className="nestor-text">
              {nameOf(one.question)}
            </Table.Td>
            <Table.Td ta="right">{formatCount(one.answers)}</Table.Td>
            <Table.Td ta="right">{formatCount(one.baseline)}</Table.Td>
            <Table.Td ta="right" miw="9rem">
              {formatDifference(one.choices)}
            </Table.Td>
            <Table.Td ta="right" miw="9rem">
              {formatDifference(one.confidence)}
            </Table.Td>
            <Table.Td miw="9rem">
              {one.since === null ? 'yes' : `no, since ${formatTime(one.since)}`}
            </Table.Td>
          </Table.Tr>
        ))}
      </ScrollingTable>
      <Text size="sm" c="dimmed" maw="46rem">
        How far the last answers lie from those to your examples: the population stability index above what it
        would be by chance, and z of the chi-square test. Where both are large what you are asked about has
        changed: look at some answers, send those that were wrong as examples, and learn again.
      </Text>
    </Stack>
  );
}

interface MarkProps {
  readonly drift: readonly Drift[];
  readonly labelMass: LabelMass | undefined;
}

/** Of a decider of which a question is answered otherwise than when it was learned, or whose model has changed since. */
export const DriftMark = ({ drift, labelMass }: MarkProps): ReactNode =>
  [...drift, ...(labelMass === undefined ? [] : [labelMass])].some(({ drifted }) => drifted) && (
    <OutlinedBadge color="orange" size="sm">
      answers have changed
    </OutlinedBadge>
  );
