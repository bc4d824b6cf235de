import { Button, Group, Stack, Switch, Table, Text, Title } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { formatCount, formatProbability } from '../../parts/formats.ts';
import { saveAs } from '../../parts/save-as.ts';
import { toHeadline, type Answer } from './answers.ts';
import { formatRows, type Outcome } from './batch.ts';
import { stateOf, toResultCsv, type ResultOptions, type Table as TableOfRows } from './csv.ts';

interface TableResultsProps {
  readonly table: TableOfRows;
  readonly chosen: readonly number[];
  readonly fileName: string | null;
  readonly questions: ResultOptions['questions'];
  readonly outcomes: readonly (Outcome | null)[];
}

/** More rows in a page make it slow, and nobody reads them there. */
const rowsShown = 200;
const questionsShown = 8;
const stateLettersShown = 140;

export function TableResults(props: TableResultsProps): ReactNode {
  const { table, questions, outcomes } = props;
  const [onlyErrors, setOnlyErrors] = useState(false);
  const rows = firstRows(outcomes, onlyErrors);
  const names = Object.keys(questions);
  return (
    <Stack gap="xs" component="section" aria-labelledby="decide-results">
      <Title order={2} size="h4" id="decide-results">
        Results
      </Title>
      <Download {...props} />
      <Switch
        label="Only rows with errors"
        checked={onlyErrors}
        onChange={(event) => {
          setOnlyErrors(event.currentTarget.checked);
        }}
      />
      <Text size="sm" c="dimmed">
        {rows.length === rowsShown
          ? `The first ${rowsShown} rows are shown; the download has all ${formatCount(table.rows.length)}.`
          : `Shown: ${formatRows(rows.length)}.`}
        {names.length > questionsShown &&
          ` Of ${names.length} questions the first ${questionsShown} are shown.`}
      </Text>
      <Table.ScrollContainer
        minWidth={400 + 140 * Math.min(names.length, questionsShown)}
        maxHeight={600}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Results by row' } }}
      >
        <ResultRows {...props} rows={rows} names={names.slice(0, questionsShown)} />
      </Table.ScrollContainer>
    </Stack>
  );
}

interface ResultRowsProps extends TableResultsProps {
  readonly rows: readonly number[];
  readonly names: readonly string[];
}

function ResultRows({ table, chosen, outcomes, rows, names }: ResultRowsProps): ReactNode {
  return (
    <Table stickyHeader>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Row</Table.Th>
          <Table.Th scope="col">State</Table.Th>
          {names.map((name) => (
            <Table.Th key={name} scope="col" className="nestor-text">
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => {
          const outcome = outcomes[row];
          return (
            <Table.Tr key={row}>
              <Table.Th scope="row">{formatCount(row + 1)}</Table.Th>
              <Table.Td className="nestor-text">
                {shorten(stateOf(table, table.rows[row] ?? [], chosen))}
              </Table.Td>
              {outcome?.error !== undefined ? (
                <Table.Td colSpan={names.length} c="var(--mantine-color-error)" className="nestor-text">
                  Error: {outcome.error}
                </Table.Td>
              ) : (
                names.map((name) => (
                  <Table.Td key={name} className="nestor-text">
                    {shortAnswer(outcome?.decision?.answers[name])}
                  </Table.Td>
                ))
              )}
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </Table>
  );
}

function Download({ table, fileName, questions, outcomes }: TableResultsProps): ReactNode {
  const [isForSpreadsheets, setForSpreadsheets] = useState(true);
  const download = () => {
    const given = outcomes.map((outcome) => outcome ?? undefined);
    const csv = toResultCsv(table, { questions, outcomes: given, isForSpreadsheets });
    const name = (fileName ?? 'table').replace(/\.\w+$/, '');
    saveAs(new Blob([csv], { type: 'text/csv;charset=utf-8' }), `${name}-answers.csv`);
  };
  return (
    <Group align="flex-start">
      <Button onClick={download}>Download as CSV</Button>
      <Switch
        maw="34rem"
        label="Safe for spreadsheets"
        description="Puts ' before cells that a spreadsheet would run as a formula (they begin with =, +, - or @; numbers are left alone). Switch it off where a program reads the file."
        checked={isForSpreadsheets}
        onChange={(event) => {
          setForSpreadsheets(event.currentTarget.checked);
        }}
      />
    </Group>
  );
}

function firstRows(outcomes: TableResultsProps['outcomes'], onlyErrors: boolean): readonly number[] {
  const rows: number[] = [];
  for (const [row, outcome] of outcomes.entries()) {
    if (rows.length === rowsShown) break;
    if (onlyErrors ? outcome?.error !== undefined : outcome !== null) rows.push(row);
  }
  return rows;
}

function shortAnswer(answer: Answer | undefined): string {
  if (answer === undefined) return '';
  const { label, score, confidence } = toHeadline(answer);
  if (answer.type === 'noul') return `${label} (${formatProbability(answer.noul)})`;
  return `${score === null ? label : score.toFixed(2)} (confidence ${formatProbability(confidence ?? 0)})`;
}

function shorten(text: string): string {
  return text.length > stateLettersShown ? `${text.slice(0, stateLettersShown)}…` : text;
}
