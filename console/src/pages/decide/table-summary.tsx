import { Box, Group, Paper, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { formatCount, formatProbability } from '../../parts/formats.ts';
import type { Outcome } from './batch.ts';
import { summarize, type Summary } from './review.ts';

interface Props {
  readonly outcomes: readonly (Outcome | null)[];
  readonly names: readonly string[];
}

/** How often each answer came, question by question. */
export function TableSummary({ outcomes, names }: Props): ReactNode {
  const summaries = useMemo(() => summarize(outcomes, names), [outcomes, names]);
  return (
    <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
      {summaries
        .filter(({ answered }) => answered > 0)
        .map((summary) => (
          <QuestionSummary key={summary.name} summary={summary} />
        ))}
    </SimpleGrid>
  );
}

const classesShown = 8;

function QuestionSummary({ summary }: { readonly summary: Summary }): ReactNode {
  const { name, answered, classes } = summary;
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Title order={3} size="h5" className="nestor-text">
          {name}
        </Title>
        <Table
          aria-label={`Answers to ${name}`}
          layout="fixed"
          withRowBorders={false}
          verticalSpacing={4}
          horizontalSpacing={4}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Answer</Table.Th>
              <Table.Th scope="col">Rows</Table.Th>
              <Table.Th scope="col" w="6rem" ta="right">
                Confidence
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {classes.slice(0, classesShown).map(({ label, count, meanConfidence }) => (
              <Table.Tr key={label}>
                <Table.Th scope="row" fw={400} className="nestor-text">
                  {label}
                </Table.Th>
                <Table.Td>
                  <CountBar count={count} of={answered} />
                </Table.Td>
                <Table.Td ta="right">{formatProbability(meanConfidence)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {classes.length > classesShown && (
          <Text size="sm" c="dimmed">
            and {classes.length - classesShown} answers more
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

function CountBar({ count, of }: { readonly count: number; readonly of: number }): ReactNode {
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm">{formatCount(count)}</Text>
      <Box aria-hidden flex={1} h={8} bg="var(--mantine-color-default-hover)" style={{ borderRadius: 3 }}>
        <Box
          h={8}
          w={`${(count / of) * 100}%`}
          bg="var(--mantine-color-blue-filled)"
          style={{ borderRadius: 3 }}
        />
      </Box>
    </Group>
  );
}
