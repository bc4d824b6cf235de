import { Button, Group, Stack, Switch, Table, Text, Title } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { OutlinedBadge } from '../../parts/outlined-badge.tsx';
import { formatCount } from '../../parts/formats.ts';
import { saveAs } from '../../parts/save-as.ts';
import { formatRows, type Outcome } from './batch.ts';
import { stateOf, toResultCsv, type ResultOptions, type Table as TableOfRows } from './csv.ts';
import { isToReview, rowsInView, type ResultsView } from './review.ts';
import { shortAnswer } from './short-answer.ts';
import { TableSummary } from './table-summary.tsx';
import { ViewControls } from './view-controls.tsx';

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
  const [view, setView] = useState(firstView);
  const all = useMemo(() => rowsInView(outcomes, view), [outcomes, view]);
  const toReview = useMemo(
    () => outcomes.filter((outcome) => isToReview(outcome, view.reviewBelow)).length,
    [outcomes, view.reviewBelow],
  );
  const rows = all.slice(0, rowsShown);
  const names = Object.keys(questions);
  return (
    <Stack gap="xs" component="section" aria-labelledby="decide-results">
      <Title order={2} size="h4" id="decide-results">
        Results
      </Title>
      <TableSummary outcomes={outcomes} names={names.slice(0, questionsShown)} />
      <Download {...props} reviewBelow={view.reviewBelow} />
      <ViewControls
        view={view}
        onView={(part) => {
          setView({ ...view, ...part });
        }}
      />
      <Text size="sm" c="dimmed">
        {rows.length === rowsShown
          ? `The first ${rowsShown} rows are shown; the download has all ${formatCount(table.rows.length)}.`
          : `Shown: ${formatRows(rows.length)}.`}
        {` To review: ${formatRows(toReview)}.`}
        {names.length > questionsShown &&
          ` Of ${names.length} questions the first ${questionsShown} are shown.`}
      </Text>
      <Table.ScrollContainer
        minWidth={400 + 140 * Math.min(names.length, questionsShown)}
        maxHeight={600}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Results by row' } }}
      >
        <ResultRows
          {...props}
          rows={rows}
          names={names.slice(0, questionsShown)}
          reviewBelow={view.reviewBelow}
        />
      </Table.ScrollContainer>
    </Stack>
  );
}

interface ResultRowsProps extends TableResultsProps {
  readonly rows: readonly number[];
  readonly names: readonly string[];
  readonly reviewBelow: number;
}

const firstView: ResultsView = {
  onlyErrors: false,
  onlyReview: false,
  leastSureFirst: false,
  reviewBelow: 0.5,
};

function ResultRows({ table, chosen, outcomes, rows, names, reviewBelow }: ResultRowsProps): ReactNode {
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
                {isToReview(outcome, reviewBelow) && (
                  <OutlinedBadge ml="xs" color="orange" size="sm">
                    review
                  </OutlinedBadge>
                )}
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

interface DownloadProps extends TableResultsProps {
  readonly reviewBelow: number;
}

function Download({ table, fileName, questions, outcomes, reviewBelow }: DownloadProps): ReactNode {
  const [isForSpreadsheets, setForSpreadsheets] = useState(true);
  const download = () => {
    const given = outcomes.map((outcome) => outcome ?? undefined);
    const csv = toResultCsv(table, { questions, outcomes: given, isForSpreadsheets, reviewBelow });
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

function shorten(text: string): string {
  return text.length > stateLettersShown ? `${text.slice(0, stateLettersShown)}…` : text;
}
