import {
  Alert,
  Button,
  Checkbox,
  FileButton,
  Group,
  Stack,
  Switch,
  Text,
  Textarea,
  Title,
} from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { formatCount } from '../../parts/formats.ts';
import { formatRows } from './batch.ts';
import { decodeFile, fileBytesMax, likelyColumn, parseTable, type Table } from './csv.ts';
import { emptyTable, type TableWork } from './kept.ts';
import { RowsPreview } from './rows-preview.tsx';

interface TableInputProps {
  readonly table: Table;
  readonly work: TableWork;
  readonly isBusy: boolean;
  readonly onChange: (work: TableWork) => void;
}

/** The rows, and which of their columns are asked about. */
export function TableInput({ table, work, isBusy, onChange }: TableInputProps): ReactNode {
  const [message, setMessage] = useState<string | null>(null);
  const give = (part: Pick<TableWork, 'fileName' | 'text'> | Pick<TableWork, 'hasHeader'>) => {
    const next = { ...work, askedWith: null, outcomes: [], ...part };
    const read = parseTable(next.text, next.hasHeader);
    const isSame = read.columns.join('\n') === table.columns.join('\n');
    onChange({ ...next, chosen: isSame ? work.chosen : [likelyColumn(read)] });
  };
  const choose = (file: File | null) => {
    if (file === null) return;
    setMessage(
      file.size > fileBytesMax ? `A file may have ${fileBytesMax / 1e6} MB; this one is larger.` : null,
    );
    if (file.size > fileBytesMax) return;
    const read = async () => {
      give({ fileName: file.name, text: decodeFile(new Uint8Array(await file.arrayBuffer())) });
    };
    read().catch(() => {
      setMessage('This file cannot be read.');
    });
  };
  return (
    <Stack gap="xs" component="section" aria-labelledby="decide-table">
      <Group justify="space-between">
        <Title order={2} size="h4" id="decide-table">
          Table
        </Title>
        <FileButton
          onChange={choose}
          accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
          disabled={isBusy}
        >
          {(props) => (
            <Button {...props} variant="default" size="compact-sm">
              Choose a CSV file
            </Button>
          )}
        </FileButton>
      </Group>
      {message !== null && (
        <Alert color="red" variant="outline" role="alert">
          {message}
        </Alert>
      )}
      {work.fileName === null ? (
        <Textarea
          label="Or paste the rows here"
          description="Separated by comma, semicolon or tab. Every row is one state."
          rows={6}
          wrap="off"
          spellCheck={false}
          disabled={isBusy}
          value={work.text}
          onChange={(event) => {
            give({ fileName: null, text: event.currentTarget.value });
          }}
        />
      ) : (
        <Group gap="xs">
          <Text size="sm" className="nestor-text">
            {work.fileName}
          </Text>
          <Button
            variant="default"
            size="compact-sm"
            disabled={isBusy}
            onClick={() => {
              onChange({ ...emptyTable, hasHeader: work.hasHeader });
            }}
          >
            Remove the file
          </Button>
        </Group>
      )}
      <Switch
        label="The first row holds the names of the columns"
        checked={work.hasHeader}
        disabled={isBusy}
        onChange={(event) => {
          give({ hasHeader: event.currentTarget.checked });
        }}
      />
      {table.columns.length > 0 && <Columns table={table} work={work} isBusy={isBusy} onChange={onChange} />}
    </Stack>
  );
}

function Columns({ table, work, isBusy, onChange }: TableInputProps): ReactNode {
  return (
    <>
      <Text size="sm" role="status">
        {formatRows(table.rows.length)}, {formatCount(table.columns.length)}{' '}
        {table.columns.length === 1 ? 'column' : 'columns'}
      </Text>
      {table.problems.length > 0 && (
        <Alert color="yellow" variant="outline" title="The table may not be read as it was meant">
          {table.problems.map((problem) => (
            <Text key={problem} size="sm">
              {problem}
            </Text>
          ))}
        </Alert>
      )}
      <Checkbox.Group
        label="Columns that make the state"
        description="One: its text. Several: a line “name: text” for each, in the order of the table."
        value={work.chosen.map(String)}
        onChange={(chosen) => {
          onChange({ ...work, chosen: chosen.map(Number).sort((one, other) => one - other) });
        }}
      >
        <Group gap="sm" mt="xs">
          {table.columns.map((column, at) => (
            <Checkbox
              key={column}
              value={String(at)}
              label={column}
              disabled={isBusy}
              className="nestor-text"
            />
          ))}
        </Group>
      </Checkbox.Group>
      <RowsPreview table={table} chosen={work.chosen} />
    </>
  );
}
