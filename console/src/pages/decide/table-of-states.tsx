import { Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { useSession } from '../../session.tsx';
import { AboutServerBatch, BatchButtons, BatchProgress } from './batch-controls.tsx';
import { parseTable, stateOf, type ResultOptions } from './csv.ts';
import { EnginePicker } from './engine-picker.tsx';
import type { TableWork } from './kept.ts';
import { NotAsked } from './not-asked.tsx';
import { QuestionsInput } from './questions-input.tsx';
import { readQuestions } from './request.ts';
import { TableInput } from './table-input.tsx';
import { TableResults } from './table-results.tsx';
import { useBatch } from './use-batch.ts';
import type { UsedWork } from './use-work.ts';

/** The same questions about every row of a table. */
export function TableOfStates({ work, change }: Pick<UsedWork, 'work' | 'change'>): ReactNode {
  const { api } = useSession();
  const { table: tableWork, engine } = work;
  const { text, hasHeader, chosen, fileName } = tableWork;
  const table = useMemo(() => parseTable(text, hasHeader), [text, hasHeader]);
  const rows = useMemo(() => [...table.rows.keys()], [table]);
  const keep = useCallback(
    (part: Partial<TableWork>) => {
      change(({ table: before }) => ({ table: { ...before, ...part } }));
    },
    [change],
  );
  const { batch, start, stop } = useBatch(api, tableWork, keep);
  const [message, setMessage] = useState<string | null>(null);
  const read = readQuestions(work);
  const askedWith = JSON.stringify([engine, read.questions, chosen]);
  const isSame = tableWork.askedWith === null || tableWork.askedWith === askedWith;
  const begin = (wanted: readonly number[]) => {
    const problem = whyNot(rows.length, chosen.length) ?? read.problem?.message ?? null;
    setMessage(problem);
    if (problem !== null) return;
    const stateOfRow = (row: number) => stateOf(table, table.rows[row] ?? [], chosen);
    keep({ askedWith });
    start({
      name: fileName ?? 'table.csv',
      model: engine,
      questions: read.questions,
      rows: wanted,
      stateOf: stateOfRow,
      askedWith,
      rowCount: rows.length,
    });
  };
  const unasked = rows.filter((row) => (batch.outcomes[row] ?? null) === null);
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl" verticalSpacing="lg">
        <Stack gap="lg" miw={0}>
          <TableInput
            table={table}
            work={tableWork}
            isBusy={batch.isRunning}
            onChange={(next) => {
              change({ table: next });
            }}
          />
        </Stack>
        <Stack gap="lg" miw={0}>
          <QuestionsInput work={work} change={change} />
          <EnginePicker api={api} work={work} change={change} canCompare={false} />
        </Stack>
      </SimpleGrid>
      <NotAsked message={message} below={batch.answered > 0 ? 'results' : null} />
      <Group gap="lg">
        <BatchButtons
          batch={batch}
          rows={rows}
          unasked={unasked}
          canGoOn={isSame}
          onBegin={begin}
          onStop={stop}
        />
        <BatchProgress batch={batch} rowCount={rows.length} unasked={unasked.length} />
      </Group>
      <AboutServerBatch batch={batch} rowCount={rows.length} />
      {!isSame && (
        <Text size="sm">The results below belong to other questions, columns or another engine.</Text>
      )}
      <Failure of={batch.failure} />
      {batch.answered > 0 && (
        <TableResults
          table={table}
          fileName={fileName}
          outcomes={batch.outcomes}
          {...readAskedWith(tableWork.askedWith)}
        />
      )}
    </Stack>
  );
}

function whyNot(rows: number, chosen: number): string | null {
  if (rows === 0) return 'Choose a file or paste rows first.';
  return chosen === 0 ? 'Choose a column that makes the state.' : null;
}

/** What the answers belong to, which may have been changed since. */
function readAskedWith(askedWith: string | null): {
  readonly questions: ResultOptions['questions'];
  readonly chosen: readonly number[];
} {
  type AskedWith = readonly [string, ResultOptions['questions'], readonly number[]];
  const [, questions, chosen] = JSON.parse(askedWith ?? '["", {}, []]') as AskedWith;
  return { questions, chosen };
}
