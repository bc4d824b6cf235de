import { Stack, Table, Text, Title } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import type { Api } from '../../api/call.ts';
import { Failure } from '../../parts/failure.tsx';
import { formatCount } from '../../parts/formats.ts';
import { ScrollingTable } from '../../parts/scrolling-table.tsx';
import { useSession } from '../../session.tsx';
import { shortAnswer } from '../decide/short-answer.ts';
import { isOpen, readResults, type Batch, type Result } from './wire.ts';

const rowsShown = 20;
const questionsShown = 8;

/** The first results, as soon as there are some. */
export function FirstResults({ batch }: { readonly batch: Batch }): ReactNode {
  const { api } = useSession();
  const { id, rows } = batch;
  const ready = Math.min(rowsShown, rows.answered + rows.failed);
  const { results, failure } = useResults(api, id, ready);
  if (ready === 0)
    return (
      <Text c="dimmed">
        {isOpen(batch) ? 'The first results stand here as soon as there are some.' : 'It has no results.'}
      </Text>
    );
  const names = Object.keys(results.find(({ answers }) => answers !== undefined)?.answers ?? {});
  const shown = names.slice(0, questionsShown);
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        The first results
      </Title>
      <Failure of={failure} />
      <ScrollingTable caption="The first results" headings={['Row', 'Id', ...shown.map(toHeading)]}>
        {results.map(({ line, id: own, answers, error }) => (
          <Table.Tr key={line}>
            <Table.Td>{formatCount(line)}</Table.Td>
            <Table.Td miw="6rem" className="nestor-text">
              {own ?? ''}
            </Table.Td>
            {answers === undefined ? (
              <Table.Td colSpan={Math.max(1, shown.length)} c="var(--mantine-color-error)">
                {error?.message}
              </Table.Td>
            ) : (
              shown.map((name) => (
                <Table.Td key={name} className="nestor-text">
                  {shortAnswer(answers[name])}
                </Table.Td>
              ))
            )}
          </Table.Tr>
        ))}
      </ScrollingTable>
    </Stack>
  );
}

/** Headings have to differ from those of the other columns. */
const toHeading = (name: string): string => (name === 'Row' || name === 'Id' ? `${name} (question)` : name);

function useResults(
  api: Api,
  id: string,
  ready: number,
): { readonly results: readonly Result[]; readonly failure: unknown } {
  const [results, setResults] = useState<readonly Result[]>([]);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    if (ready === 0) return;
    const abort = new AbortController();
    readResults(api, id, { limit: rowsShown }, abort.signal).then(setResults, (error: unknown) => {
      if (!abort.signal.aborted) setFailure(error);
    });
    return () => {
      abort.abort();
    };
  }, [api, id, ready]);
  return { results, failure };
}
