import { Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatCount } from '../../parts/formats.ts';
import { numbers, ScrollingTable } from '../../parts/scrolling-table.tsx';
import { formatPercent, weakestFirst } from './about.ts';
import { toConfusion } from './confusion.ts';
import { ConfusionTable } from './confusion-table.tsx';
import { ReliabilityChart } from './reliability-chart.tsx';
import type { QuestionReport } from './wire.ts';

/** Which answers of a question what was learned gives rightly, and which it confuses. */
export function LabelTables({ question }: { readonly question: QuestionReport }): ReactNode {
  const { labels, confused, reliability, kind, instructions } = question;
  const confusion = toConfusion(question);
  if (labels === null || labels === undefined) return null;
  const name = instructions === '' ? kind : `${kind}: ${instructions}`;
  return (
    <Stack gap="xs" component="section" aria-label={`Answers to ${name}`}>
      <Title order={4} size="h6" className="nestor-text">
        {name}
      </Title>
      <ScrollingTable
        caption={`By answer, ${name}`}
        headings={['Answer', ...numbers('Examples', 'Answered with it', 'Rightly', 'Found')]}
      >
        {weakestFirst(labels).map((label) => (
          <Table.Tr key={label.name}>
            <Table.Td miw="9rem" className="nestor-text">
              {label.name}
            </Table.Td>
            <Table.Td ta="right">{formatCount(label.examples)}</Table.Td>
            <Table.Td ta="right">{formatCount(label.answered)}</Table.Td>
            <Table.Td ta="right">{shareOf(label.precision)}</Table.Td>
            <Table.Td ta="right">{shareOf(label.recall)}</Table.Td>
          </Table.Tr>
        ))}
      </ScrollingTable>
      {confusion !== null && (
        <ConfusionTable caption={`Right and given answers, ${name}`} confusion={confusion} />
      )}
      {confusion === null && (confused ?? []).length > 0 && (
        <ScrollingTable
          caption={`Confused most often, ${name}`}
          headings={['Right', 'Answered', ...numbers('Examples')]}
        >
          {(confused ?? []).map(({ right, answered, examples }) => (
            <Table.Tr key={`${right}\n${answered}`}>
              <Table.Td className="nestor-text">{right}</Table.Td>
              <Table.Td className="nestor-text">{answered}</Table.Td>
              <Table.Td ta="right">{formatCount(examples)}</Table.Td>
            </Table.Tr>
          ))}
        </ScrollingTable>
      )}
      {(reliability ?? []).length > 0 && <ReliabilityChart name={name} points={reliability ?? []} />}
      <Text size="sm" c="dimmed" maw="46rem">
        Of all examples, each answered by what the others teach. Rightly (precision): of those answered with
        it. Found (recall): of those for which it is right. The weakest stand first.
      </Text>
    </Stack>
  );
}

const shareOf = (share: number | null): string => (share === null ? '–' : formatPercent(share));
