import { Box, Button, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { formatProbability } from '../../parts/formats.ts';
import { toBars, toDifference, toHeadline, type Answer, type Bar } from './answers.ts';

export interface NamedAnswer {
  /** Of the engine; shown where there are two. */
  readonly engine: string;
  readonly answer: Answer;
}

/** A choice has up to 255 options; the likeliest come first. */
const barsShown = 12;
const colors = ['var(--mantine-color-blue-filled)', 'var(--mantine-color-teal-filled)'];

interface AnswerTableProps {
  readonly name: string;
  /** One, or two to compare. */
  readonly answers: readonly NamedAnswer[];
}

/** One question: what is likeliest, and every possible answer with its probability, as a number and as a bar. */
export function AnswerTable({ name, answers }: AnswerTableProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [first, second] = answers;
  if (first === undefined) return null;
  const bars = toBars(first.answer);
  const shown = isOpen ? bars : bars.slice(0, barsShown);
  const columns = answers.map(({ answer }) => new Map(toBars(answer).map((bar) => [bar.key, bar])));
  const { winner } = toHeadline(first.answer);
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Title order={3} size="h5" className="nestor-text">
          {name}
        </Title>
        {answers.map(({ engine, answer }, at) => (
          <HeadlineText key={at} engine={answers.length > 1 ? engine : null} answer={answer} />
        ))}
        {second !== undefined && <DifferenceText first={first.answer} second={second.answer} />}
        <Table
          aria-label={`Probabilities of ${name}`}
          layout="fixed"
          withRowBorders={false}
          verticalSpacing={4}
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Answer</Table.Th>
              {answers.map(({ engine }, at) => (
                <Table.Th key={at} scope="col" className="nestor-text">
                  {answers.length > 1 ? engine : 'Probability'}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map(({ key, label }) => (
              <Table.Tr key={key}>
                <Table.Th scope="row" fw={key === winner ? 700 : 400} className="nestor-text">
                  {label}
                </Table.Th>
                {columns.map((column, at) => (
                  <Table.Td key={at}>
                    <BarWithNumber bar={column.get(key)} color={colors[at] ?? ''} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {bars.length > barsShown && (
          <Button
            variant="default"
            size="compact-sm"
            aria-expanded={isOpen}
            style={{ alignSelf: 'flex-start' }}
            onClick={() => {
              setOpen(!isOpen);
            }}
          >
            {isOpen ? `Show the first ${barsShown}` : `Show all ${bars.length}`}
          </Button>
        )}
      </Stack>
    </Paper>
  );
}

function HeadlineText({
  engine,
  answer,
}: {
  readonly engine: string | null;
  readonly answer: Answer;
}): ReactNode {
  const { label, score, confidence } = toHeadline(answer);
  const notes = [
    ...(score === null ? [] : [`score ${score.toFixed(2)} of 0 to ${toBars(answer).length - 1}`]),
    ...(confidence === null ? [] : [`confidence ${formatProbability(confidence)}`]),
    ...(answer.abstained === true ? ['abstained: no more than a guess'] : []),
    ...(answer.decided_by === undefined ? [] : [`decided by ${answer.decided_by}`]),
  ];
  return (
    <Text size="sm" className="nestor-text">
      {engine !== null && `${engine}: `}
      <strong>{label}</strong>
      {notes.map((note) => ` · ${note}`).join('')}
    </Text>
  );
}

function DifferenceText({ first, second }: { readonly first: Answer; readonly second: Answer }): ReactNode {
  const { agrees, label, change } = toDifference(first, second);
  return (
    <Text size="sm" className="nestor-text">
      {agrees ? 'Both find the same answer likeliest.' : 'They find different answers likeliest.'} Largest
      change: {label} {formatChange(change)}.
    </Text>
  );
}

function BarWithNumber({ bar, color }: { readonly bar: Bar | undefined; readonly color: string }): ReactNode {
  if (bar === undefined) return '–';
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm" ff="monospace">
        {formatProbability(bar.probability)}
      </Text>
      <Box aria-hidden flex={1} h={12} bg="var(--mantine-color-default-hover)" style={{ borderRadius: 3 }}>
        <Box h={12} w={`${bar.probability * 100}%`} bg={color} style={{ borderRadius: 3 }} />
      </Box>
    </Group>
  );
}

/** +0.120 or −0.120. */
export function formatChange(change: number): string {
  return `${change < 0 ? '−' : '+'}${formatProbability(Math.abs(change))}`;
}
