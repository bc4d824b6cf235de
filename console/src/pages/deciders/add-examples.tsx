import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { useMemo, useState, type ReactNode } from 'react';
import { Failure } from '../../parts/failure.tsx';
import { formatCount } from '../../parts/formats.ts';
import { ExamplePreview } from './example-preview.tsx';
import { ExampleSource } from './example-source.tsx';
import {
  isJsonLines,
  likelyColumns,
  likelyQuestion,
  readJsonLines,
  readNamedTable,
  readTable,
  type ReadRow,
  type TableMeaning,
} from './read-examples.ts';
import { TableMeaningFields } from './table-meaning-fields.tsx';
import { useSending } from './use-sending.ts';

interface Props {
  readonly name: string;
  readonly onAdded: () => void;
}

/** Reads examples out of a file or a paste, shows what was read, and sends them. */
export function AddExamples({ name, onAdded }: Props): ReactNode {
  const [text, setText] = useState('');
  const [told, setTold] = useState('');
  const [given, setGiven] = useState<Partial<TableMeaning>>({});
  const { table, meaning, rows } = useMemo(() => readAll(text, given), [text, given]);
  const { progress, failure, send } = useSending(name, (count) => {
    setText('');
    setTold(`${formatCount(count)} added.`);
    onAdded();
  });
  const take = (next: string) => {
    setText(next);
    setGiven({});
    setTold('');
  };
  const examples = rows.flatMap(({ example }) => (example === undefined ? [] : [example]));
  return (
    <Stack gap="sm" component="section" aria-label="Add examples">
      <ExampleSource text={text} onText={take} />
      {table !== null && meaning !== null && (
        <TableMeaningFields
          table={table}
          meaning={meaning}
          onChange={(part) => {
            setGiven({ ...given, ...part });
          }}
        />
      )}
      {rows.length > 0 && <ExamplePreview rows={rows} />}
      <Failure of={failure} />
      {progress !== null && (
        <Progress value={(progress / Math.max(1, examples.length)) * 100} aria-label="Examples sent" />
      )}
      <Group>
        <Button
          disabled={examples.length === 0}
          loading={progress !== null}
          onClick={() => {
            void send(examples);
          }}
        >
          Add {formatCount(examples.length)} {examples.length === 1 ? 'example' : 'examples'}
        </Button>
        <Text role="status">{told}</Text>
      </Group>
    </Stack>
  );
}

/** The text as examples; a table needs a meaning, of which `given` are the parts that somebody chose. */
function readAll(text: string, given: Partial<TableMeaning>) {
  if (text.trim() === '' || isJsonLines(text)) {
    const rows: readonly ReadRow[] = text.trim() === '' ? [] : readJsonLines(text);
    return { table: null, meaning: null, rows };
  }
  const table = readNamedTable(text);
  if (table.columns.length < 2) {
    const problem = 'a table needs two columns at least: the text and its answer';
    return { table: null, meaning: null, rows: [{ row: 1, problem }] };
  }
  const columns = { ...likelyColumns(table), ...given };
  const question = given.question ?? likelyQuestion(table, columns.answerColumn);
  const meaning: TableMeaning = { ...columns, question };
  return { table, meaning, rows: readTable(table, meaning) };
}
