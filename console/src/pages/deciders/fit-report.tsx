import { Box, Group, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from '../../parts/formats.ts';
import { numbers, ScrollingTable } from '../../parts/scrolling-table.tsx';
import { formatBeforeAfter, formatPercent } from './about.ts';
import { LabelTables } from './label-tables.tsx';
import type { Fit, QuestionReport } from './wire.ts';

/** What a fit found for each question: before and after on the same examples, none of which taught its own answer. */
export function FitReport({ report }: { readonly report: NonNullable<Fit['report']> }): ReactNode {
  return (
    <Stack gap="xs" component="section" aria-label="Report">
      <Title order={3} size="h5">
        Before and after
      </Title>
      <ScrollingTable
        caption="Figures of each question"
        headings={[
          'Question',
          ...numbers('Examples'),
          'Accuracy',
          ...numbers('ECE', 'NLL', 'Accuracy on all'),
          'Outcome',
        ]}
      >
        {report.questions.map((question) => (
          <QuestionRow key={question.question} question={question} />
        ))}
      </ScrollingTable>
      <Text size="sm" c="dimmed" maw="46rem">
        Before: what was answered to up to 200 of the examples. After: the same ones, each answered by what
        the others teach. ECE is how far confidence lies from accuracy; NLL is low where the right answer is
        likely.
      </Text>
      {report.questions.map((question) => (
        <LabelTables key={question.question} question={question} />
      ))}
    </Stack>
  );
}

const methods = {
  linear: 'taken: logistic regression',
  nearest: 'taken: nearest examples',
  blend: 'taken: logistic regression with nearest examples',
} as const;

function QuestionRow({ question }: { readonly question: QuestionReport }): ReactNode {
  const { kind, instructions, examples, taken, before, after, held_out: all } = question;
  return (
    <Table.Tr>
      <Table.Td miw="9rem" className="nestor-text">
        {instructions === '' ? kind : `${kind}: ${instructions}`}
      </Table.Td>
      <Table.Td ta="right">{formatCount(examples)}</Table.Td>
      <Table.Td miw="11rem">
        <Accuracy name="Before" share={before?.accuracy} color="var(--mantine-color-blue-filled)" />
        <Accuracy name="After" share={after?.accuracy} color="var(--mantine-color-teal-filled)" />
      </Table.Td>
      <Table.Td ta="right" miw="8rem">
        {formatBeforeAfter(before?.ece, after?.ece)}
      </Table.Td>
      <Table.Td ta="right" miw="8rem">
        {formatBeforeAfter(before?.nll, after?.nll)}
      </Table.Td>
      <Table.Td ta="right">{all === null ? '–' : formatPercent(all.accuracy)}</Table.Td>
      <Table.Td miw="9rem">{taken === null ? why(question) : methods[taken]}</Table.Td>
    </Table.Tr>
  );
}

function why({ before }: QuestionReport): string {
  return before === null ? 'too few examples, or one answer to all' : 'not surely better';
}

interface AccuracyProps {
  readonly name: string;
  readonly share: number | undefined;
  readonly color: string;
}

function Accuracy({ name, share, color }: AccuracyProps): ReactNode {
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="xs" w="3rem">
        {name}
      </Text>
      <Box aria-hidden flex={1} h={8} bg="var(--mantine-color-default-hover)" style={{ borderRadius: 3 }}>
        <Box h={8} w={`${(share ?? 0) * 100}%`} bg={color} style={{ borderRadius: 3 }} />
      </Box>
      <Text size="xs" w="3.5rem" ta="right">
        {share === undefined ? '–' : formatPercent(share)}
      </Text>
    </Group>
  );
}
